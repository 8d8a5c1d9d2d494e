"""The operations that blocks (blocks.py) are written in.  Three graphs carry them out, each on tensors of its own:

    weights.WeightGraph        tensors are numbers of features: the weights, their shapes, and their group action
    keras_model.KerasGraph     Keras tensors (n, rows, columns, filters), or (n, features): a model to train
    onnx_graph.OnnxGraph       names of tensors (n, filters, rows, columns), or (n, features): a graph to play with

A feature on the board is a filter.  Every operation has a name; weights are named LAYER/WEIGHT, as in Keras
("conv0/kernel").  Each axis of a weight, rows and columns of a kernel aside, is of one of these kinds (in the language
of Cohen & Welling 2016, the representation of D4, the eight symmetries of the board, that its entries transform by),
which follow from the operations:

    TRIVIAL        turning the board leaves the entries alone: input planes, units, the filters of some heads
    REGULAR        filters in eight orientations, which turning permutes
    TWO_REGULAR    the same twice: means of the filters, then their maxima
    POINTS         points of the board
    UNTIED         no action is defined: a dense layer over points and filters; such a block cannot be equivariant
"""
from collections.abc import Sequence
from typing import Any, Protocol, Self

TRIVIAL, REGULAR, TWO_REGULAR, POINTS, UNTIED = "trivial", "regular", "two regular", "points", "untied"
GLOBAL_FEATURES = "global_features"      # an input of networks whose value depends on komi and colour
PEOPLE = "people"                        # an input of networks with a metadata encoder (people.py)
COMPONENTS = "components"                # an input of networks that pool over chains and empty regions
POINT_BIAS = "point_bias"                # an input of the ONNX graph, as it depends on the size of the board


class Graph(Protocol):
    """A network in the making.

    komi, colour: (n, 1), of a network with global features.  people: (n, people.INPUTS), of one with a metadata
    encoder.  context: the output of the context module, if there is one.
    """
    komi: Any
    colour: Any
    people: Any
    context: Any

    @property
    def float32(self) -> Self:
        """This graph, with layers that compute in float32 where the model trains in bfloat16."""
        ...

    def start(self, spec: Any) -> Any:
        """The inputs of a network, a blocks.NetworkSpec; returns the planes, 0 and 1."""
        ...

    def conv(self, x: Any, name: str, filters: int, width: int = 1, *, batch_norm: str = "", relu: str = "",
             dilation: int = 1, gamma: str = "ones", kind: str = REGULAR) -> Any:
        """A convolution with padding; batch normalisation if it is given a name, and without it a bias; ReLU if that is
        given a name.  gamma: as in batch_norm.  kind: of the filters."""
        ...

    def plane(self, x: Any, name: str, *, bias: bool = False, initializer: str = "glorot_uniform") -> Any:
        """A 1x1 convolution to one filter, of logits: it is not quantised.  bias: whether it has one."""
        ...

    def batch_norm(self, x: Any, name: str, *, gamma: str = "ones") -> Any:
        """Batch normalisation that no convolution precedes.  gamma: the initializer of its scales."""
        ...

    def dense(self, x: Any, name: str, units: int, *, points: int = 1, activation: str = "", bias: bool = True,
              initializer: str = "glorot_uniform", kind: str = TRIVIAL) -> Any:
        """A dense layer of (n, features).  points: where x is (n, filters, rows, columns), which is flattened, the
        points of the board.  activation: "elu", "relu" or ''.  bias: whether it has one.  kind: of the units."""
        ...

    def add(self, tensors: Sequence[Any], name: str) -> Any: ...

    def relu(self, x: Any, name: str) -> Any: ...

    def concatenate(self, tensors: Sequence[Any], name: str) -> Any:
        """(n, features) each."""
        ...

    def rescale(self, x: Any, name: str, factor: float) -> Any: ...

    def mean_pool(self, x: Any, name: str) -> Any:
        """The mean of each filter over the board: (n, filters)."""
        ...

    def mean_max_pool(self, x: Any, name: str) -> Any:
        """The mean of each filter over the board, then the maxima: (n, 2 * filters)."""
        ...

    def chain_pool(self, x: Any, name: str, filters: int) -> Any:
        """The mean of each filter, none below 0, over the component of a point, then the maxima: 2 * filters."""
        ...

    def on_board(self, x: Any, name: str) -> Any:
        """(n, filters) as filters that are the same at all points."""
        ...

    def point_bias(self, plane: Any, name: str, *, size: int, trainable: bool) -> Any:
        """A plane, to which a learned number is added at each point of a board of this size: (n, points)."""
        ...

    def ownership(self, plane: Any) -> Any:
        """Ownership, (n, points), of a plane of its logits."""
        ...

    def lead(self, ownership: Any) -> Any:
        """The points that the side to move is ahead by on the board, (n, 1).  No gradient passes: those of value and
        score are the same for all points, and 13 times as large as that of ownership."""
        ...

    def score(self, lead: Any, correction: Any, scale: Any, unit: float, min_scale: float) -> Any:
        """The mean and the scale of a logistic distribution of the final score, (n, 2) in points: of the lead, a
        correction of it and a scale before softplus, in units of so many points, and komi.  min_scale: in points."""
        ...

    def value_of_score(self, score: Any, correction: Any) -> Any:
        """The value before tanh, (n, 1): mean / (2 scale) of the score, and a correction."""
        ...
