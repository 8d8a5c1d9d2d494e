"""A network that knows the board has no up and no left: turn or mirror what it sees, and its moves turn along.

Plain layers do that if weights that symmetries of the board turn into each other are equal (Cohen & Welling 2016,
arXiv:1602.07576).  A layer's n filters are n / 8 features in eight orientations: filter c looks for feature
c % (n / 8) as symmetry c // (n / 8) shows it.  Turn the board, and what filter (feature, o) found is found by
(feature, turned o), elsewhere.  So a kernel is the same number at (offset, in, out) and at (turned offset, turned in,
turned out): an `Orbits` says which weights are one.  The planes, the value head's filters and the outputs have no
orientation: turning leaves them alone.

To train such a network, begin with equal weights (`tie`), and give all weights of an orbit the average of their
gradients (`averaged`): then every optimizer that treats equals equally keeps them equal, and each position teaches
what its eight turned copies would.  Files, graphs and players see plain layers.
"""
import functools
from typing import NamedTuple

import numpy as np

from mugo.games.coords import symmetries
from mugo.nn.backend import keras, ops

ORIENTATIONS = 8

# What an axis of a weight counts, rows and columns of kernels aside: things that turning leaves alone (planes,
# outputs), filters, filters twice over (their means, then their maxima), points of the board.
SAME, FILTERS, TWICE, POINTS = "same", "filters", "twice", "points"
AXES = {
    "conv0/kernel": (SAME, FILTERS),
    "pool_bias/kernel": (TWICE, FILTERS),
    "move/kernel": (FILTERS, SAME),
    "point_bias/bias": (POINTS,),
    "pass/kernel": (FILTERS, SAME),
    "pass/bias": (SAME,),
    "value_conv/kernel": (FILTERS, SAME),
    **{f"{layer}/{name}": (SAME,) for layer in ("value_norm", "value_level")
       for name in ("gamma", "beta", "moving_mean", "moving_variance")},
    "value_hidden/kernel": (SAME, SAME),
    "value_hidden/bias": (SAME,),
    "value/kernel": (SAME, SAME),
    "value/bias": (SAME,),
}                                        # of all others: filters


class Orbits(NamedTuple):
    """Which weights of one array are one.

    members: int32 (8, m), for each of the m independent weights where it stands, in the flat array, in each of the
    symmetries (coords.symmetries), the same place more than once if it looks the same.  of: int32 (n,), which of
    the m each weight is.
    """

    members: np.ndarray
    of: np.ndarray


@functools.cache
def _orientations() -> np.ndarray:
    """int64 (8, 8): [g, o] is the symmetry that does o, then g."""
    turns = symmetries(3)
    return np.array([[next(i for i in range(8) if np.array_equal(turns[i], turns[g][turns[o]])) for o in range(8)]
                     for g in range(8)])


def _turned(count: int, kind: str, g: int) -> np.ndarray:
    """int64 (count,): where symmetry g puts what stands at each place of an axis."""
    places = np.arange(count)
    if kind == FILTERS:
        orientation, feature = np.divmod(places, count // ORIENTATIONS)
        return _orientations()[g][orientation] * (count // ORIENTATIONS) + feature
    if kind == TWICE:
        once = _turned(count // 2, FILTERS, g)
        return np.concatenate([once, once + count // 2])
    return symmetries(round(count ** 0.5))[g, :count] if kind == POINTS else places


def kinds_of(name: str, axes: int) -> tuple[str, ...]:
    """What the axes of the weight with this name count, a kernel's rows and columns aside.

    name: LAYER/WEIGHT, as layers.build has them.
    """
    return AXES.get(name, (FILTERS,) * (2 if axes == 4 else 1))


@functools.cache
def orbits(name: str, shape: tuple[int, ...]) -> Orbits:
    """Of the weight with this name and shape."""
    kinds = kinds_of(name, len(shape))
    if len(shape) == 4:                  # a kernel's rows and columns are turned as one
        kinds, shape = (POINTS, *kinds), (shape[0] * shape[1], *shape[2:])
    where = np.stack([np.ravel_multi_index(np.ix_(*(_turned(count, kind, g) for count, kind in zip(
        shape, kinds, strict=True))), shape).ravel() for g in range(ORIENTATIONS)])
    first = np.flatnonzero(where.min(0) == np.arange(where.shape[1]))
    members = where[:, first]
    of = np.empty(where.shape[1], np.int32)
    of[members] = np.arange(len(first))
    return Orbits(members.astype(np.int32), of)


def name_of(variable: keras.Variable) -> str:
    return "/".join(variable.path.split("/")[-2:])


def orbits_of(variable: keras.Variable) -> Orbits:
    return orbits(name_of(variable), tuple(variable.shape))


def averaged(gradient, variable: keras.Variable):
    """The gradient of a variable, the same for all weights that are one: their average."""
    members, of = orbits_of(variable)
    average = ops.mean(ops.take(ops.reshape(gradient, (-1,)), members), axis=0)
    return ops.reshape(ops.take(average, of), gradient.shape)


def tie(model: keras.Model) -> None:
    """Make a new network equivariant: all weights that are one become the first of them."""
    for variable in model.weights:
        members, of = orbits_of(variable)
        variable.assign(ops.convert_to_numpy(variable).ravel()[members[0]][of].reshape(variable.shape))


def even_out(model: keras.Model) -> None:
    """Take away what separates weights that are one: rounding, and that each normalising layer remembers means and
    variances of every filter by itself."""
    for variable in model.weights:
        members, of = orbits_of(variable)
        variable.assign(ops.convert_to_numpy(variable).ravel()[members].mean(0)[of].reshape(variable.shape))
