"""A network for other programs:  mugo convert NETWORK FILE.onnx, or FILE.keras

    FILE.onnx     the float32 graph that MuGo plays on (nn/onnx_graph.py has its inputs and outputs)
    FILE.keras    the model; `import mugo.nn.keras.model` makes MuGo's layers known to keras.saving.load_model

MuGo itself reads neither.
"""
import argparse

from mugo.core.files import BadInput, atomic_write
from mugo.nn.architectures import config_of
from mugo.nn.network_file import find_network, read_network
from mugo.nn.onnx_graph import OnnxGraph

SUFFIXES = ".onnx", ".keras"


def command(args: argparse.Namespace) -> int:
    if args.output.suffix not in SUFFIXES:
        raise BadInput(f"{args.output}: a network is converted to a file that ends in {' or '.join(SUFFIXES)}")
    path = find_network(args.network)
    weights, metadata = read_network(path)
    if args.output.suffix == ".onnx":
        try:
            graph = OnnxGraph(config_of(metadata).spec(), weights).serialize()
        except ValueError as error:
            raise BadInput(f"{path}: {error}") from None
        with atomic_write(args.output) as temporary:
            temporary.write_bytes(graph)
    else:
        from mugo.nn.keras.checkpoint import load  # Keras, which an ONNX file does not need

        model = load(path)
        with atomic_write(args.output) as temporary:
            model.save(temporary)
    print(args.output)
    return 0
