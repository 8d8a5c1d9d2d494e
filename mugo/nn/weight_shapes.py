"""The shapes of a network's weights, from its blocks alone: no Keras here, which playing does not need."""
import math
from typing import Any

from mugo.nn.blocks import NetworkSpec

Shape = tuple[int, ...]


def weight_shapes(spec: NetworkSpec) -> dict[str, list[Shape]]:
    """For each layer with weights, by its name, the shapes of its weights in the order of Keras's get_weights."""
    graph: Any = _ShapeGraph()
    graph.komi = graph.colour = (1,)
    graph.components = (spec.size ** 2,)
    spec.keras(graph, (spec.size, spec.size, spec.depth))
    return graph.weights


class _ShapeGraph:
    """The counterpart of layers.KerasGraph: a tensor is the shape that it has, without the number of positions."""

    context: Any = None

    def __init__(self) -> None:
        self.weights: dict[str, list[Shape]] = {}

    def conv(self, x: Shape, name: str, filters: int, width: int, batch_norm: str = "",
             dilation: int = 1, gamma: str = "") -> Shape:
        x = self.add("Conv2D", x, name, filters=filters, kernel_size=width, use_bias=not batch_norm)
        return self.batch_norm(x, batch_norm) if batch_norm else x

    def batch_norm(self, x: Shape, name: str, dtype: str = "", gamma: str = "") -> Shape:
        self.weights[name] = [x[-1:]] * 4
        return x

    def mean_max_pool(self, x: Shape, name: str, dtype: str = "") -> Shape:
        return (2 * x[-1],)

    def add(self, kind: str, x: Any, name: str | None = None, dtype: str = "", **options: Any) -> Shape:
        """The shape of a layer's output.  Raises KeyError for a layer that is not here."""
        weights: list[Shape] = []
        if kind == "Conv2D":
            width, filters = options["kernel_size"], options["filters"]
            y = (*x[:-1], filters)
            weights.append((width, width, x[-1], filters))
            if options.get("use_bias", True):
                weights.append((filters,))
        elif kind == "Dense":
            y = (options["units"],)
            weights += [(x[-1], *y), y]
        elif kind == "PointBias":
            weights.append(y := x)
        else:
            y = {"ReLU": lambda: x, "Add": lambda: x[0], "Reshape": lambda: options["target_shape"],
                 "Flatten": lambda: (math.prod(x),), "GlobalAveragePooling2D": lambda: x[-1:],
                 "Concatenate": lambda: (sum(part[-1] for part in x),), "Rescaling": lambda: x,
                 "ChainPool": lambda: (*x[0][:-1], 2 * x[0][-1]),
                 "Lead": lambda: (1,), "ScoreDistribution": lambda: (2,), "ValueOfScore": lambda: (1,),
                 "Column": lambda: (1,)}[kind]()
        if weights:
            assert name is not None
            self.weights[name] = weights
        return y
