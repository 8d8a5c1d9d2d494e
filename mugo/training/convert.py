"""A network for other programs:  mugo convert NETWORK FILE.onnx

The float32 graph that MuGo plays on; nn/onnx_graph.py has its inputs and outputs.  MuGo itself does not read it.
"""
import argparse

from mugo.core.files import BadInput, atomic_write
from mugo.nn.architectures import config_of
from mugo.nn.network_file import find_network, read_network
from mugo.nn.onnx_graph import OnnxGraph


def command(args: argparse.Namespace) -> int:
    if args.output.suffix != ".onnx":
        raise BadInput(f"{args.output}: a network is converted to a file that ends in .onnx")
    path = find_network(args.network)
    weights, metadata = read_network(path)
    try:
        graph = OnnxGraph(config_of(metadata).spec(), weights).serialize()
    except ValueError as error:
        raise BadInput(f"{path}: {error}") from None
    with atomic_write(args.output) as temporary:
        temporary.write_bytes(graph)
    print(args.output)
    return 0
