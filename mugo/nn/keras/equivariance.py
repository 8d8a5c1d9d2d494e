"""Equivariant networks: when the board is turned or mirrored, their outputs turn with it.

Plain layers do that if weights that symmetries of the board map onto each other are equal (group convolutions, Cohen &
Welling 2016, arXiv:1602.07576).  A layer's n filters are n / 8 features in eight orientations: filter c looks for
feature c % (n / 8) as symmetry c // (n / 8) shows it.  A kernel has the same number at (offset, in, out) and at (turned
offset, turned in, turned out): an orbit of weights.  graph.py says how each axis of each weight transforms.

Weights are tied at first (`tie_weights`), and each gradient is averaged over each orbit (`project_gradient`), so that
every optimizer keeps them tied.  Files, graphs and players see plain layers.
"""
import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mugo.games.coords import symmetries
from mugo.nn.graph import ORIENTATIONS, POINTS, REGULAR, TRIVIAL, TWO_REGULAR
from mugo.nn.keras.backend import keras, ops

WeightAxes = Mapping[str, Sequence[str]]         # LAYER/WEIGHT: the kinds of its axes (graph.weight_axes)


class Orbits(NamedTuple):
    """Which weights of one array are tied."""

    members: np.ndarray                  # int32 (8, m): of each of m orbits the flat index of its member by symmetry
    orbit_of: np.ndarray                 # int32 (n,): the orbit of each weight


@functools.cache
def _products() -> np.ndarray:
    """The group table of D4, int64 (8, 8): [g, o] is the symmetry that does o, then g."""
    turns = symmetries(3)
    return np.array([[next(i for i in range(8) if np.array_equal(turns[i], turns[g][turns[o]])) for o in range(8)]
                     for g in range(8)])


def axis_permutation(count: int, kind: str, g: int) -> np.ndarray:
    """int64 (count,): where symmetry g moves each entry of an axis of this kind (see graph.py).

    Raises ValueError for a kind that has no group action.
    """
    entries = np.arange(count)
    if kind == TRIVIAL:
        return entries
    if kind == REGULAR:
        orientation, feature = np.divmod(entries, count // ORIENTATIONS)
        return _products()[g][orientation] * (count // ORIENTATIONS) + feature
    if kind == TWO_REGULAR:
        once = axis_permutation(count // 2, REGULAR, g)
        return np.concatenate([once, once + count // 2])
    if kind == POINTS:
        return symmetries(round(count ** 0.5))[g, :count]
    raise ValueError(f"an axis of kind {kind!r} has no group action: its block cannot be in an equivariant network")


@functools.cache
def orbits(kinds: tuple[str, ...], shape: tuple[int, ...]) -> Orbits:
    """The orbits of a weight of this shape.  kinds: the kinds of its axes, a kernel's rows and columns aside."""
    if len(shape) == 4:                  # a kernel's rows and columns are turned as one axis of points
        kinds, shape = (POINTS, *kinds), (shape[0] * shape[1], *shape[2:])
    moved = np.stack([np.ravel_multi_index(np.ix_(*(axis_permutation(count, kind, g) for count, kind in zip(
        shape, kinds, strict=True))), shape).ravel() for g in range(ORIENTATIONS)])
    first = np.flatnonzero(moved.min(0) == np.arange(moved.shape[1]))
    members = moved[:, first]
    orbit_of = np.empty(moved.shape[1], np.int32)
    orbit_of[members] = np.arange(len(first))
    return Orbits(members.astype(np.int32), orbit_of)


def weight_name(variable: keras.Variable) -> str:
    """LAYER/WEIGHT."""
    return "/".join(variable.path.split("/")[-2:])


def orbits_of(variable: keras.Variable, weight_axes: WeightAxes) -> Orbits:
    return orbits(tuple(weight_axes[weight_name(variable)]), tuple(variable.shape))


def project_gradient(gradient: Any, variable: keras.Variable, weight_axes: WeightAxes) -> Any:
    """The gradient of a variable, averaged over each orbit: the nearest one that keeps weights tied."""
    members, orbit_of = orbits_of(variable, weight_axes)
    mean = ops.mean(ops.take(ops.reshape(gradient, (-1,)), members), axis=0)
    return ops.reshape(ops.take(mean, orbit_of), gradient.shape)


def tie_weights(model: keras.Model, weight_axes: WeightAxes) -> None:
    """Make a new network equivariant: all weights of an orbit become the first of them."""
    for variable in model.weights:
        members, orbit_of = orbits_of(variable, weight_axes)
        variable.assign(ops.convert_to_numpy(variable).ravel()[members[0]][orbit_of].reshape(variable.shape))


def symmetrise(model: keras.Model, weight_axes: WeightAxes) -> None:
    """Make weights exactly equivariant that nearly are: all of an orbit become their mean.  Layers that are not trained
    keep theirs."""
    for variable in (weight for layer in model.layers if layer.trainable for weight in layer.weights):
        members, orbit_of = orbits_of(variable, weight_axes)
        mean = ops.convert_to_numpy(variable).ravel()[members].mean(0)
        variable.assign(mean[orbit_of].reshape(variable.shape))
