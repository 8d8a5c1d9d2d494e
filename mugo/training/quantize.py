"""An int8 graph for a trained network:  mugo quantize NETWORK [DATASET]

`train` writes one when it ends, and `selfplay` with each best network.  This is for networks that have none, such as
that of a run that goes on or was stopped, and for other calibration positions.  What is quantised, and how much it
loses: nn/quantization.py.
"""
import argparse

import numpy as np

from mugo.data import dataset
from mugo.core.files import BadInput, check_writable
from mugo.games.game import encode, new_game
from mugo.games.position import BasePosition, global_features
from mugo.core.options import given
from mugo.nn.inference import Network
from mugo.nn.inputs import encode_people
from mugo.nn.network_file import find_network
from mugo.nn.quantization import CALIBRATED, COMPARED, CalibrationPositions, format_metrics, quantize_file
from mugo.players.player import RESIGN, PolicyPlayer
from mugo.core.progress import progress_bar
from mugo.training.evaluate import sample_positions
from mugo.training.options import QuantizeOptions
from mugo.training.predictions import known_outcomes

POSITIONS = CALIBRATED + COMPARED
TEMPERATURE = 1.0                        # of the games that a network plays: moves as frequent as it expects them


def dataset_positions(data: dataset.DataSet, network: Network, where: str, seed: int) -> CalibrationPositions:
    """Validation positions of a data set, drawn by seed; who plays is unknown in every second one.  Raises BadInput if
    there are none."""
    positions, numbers, _ = sample_positions(data, network.size, "validation", where, POSITIONS, seed,
                                             "true" if network.takes_people else "unknown")
    batch = positions.batch(np.random.default_rng(seed).permutation(numbers))
    batch.people[1::2] = np.nan
    return CalibrationPositions(batch.packed, np.nan_to_num(batch.global_features()), batch.targets,
                                np.nan_to_num(known_outcomes(batch)),
                                encode_people(batch.people) if network.takes_people else None)


def own_positions(network: Network, seed: int) -> CalibrationPositions:
    """The positions of games that a network plays against itself, sampling its moves, from the beginning."""
    player = PolicyPlayer(network, temperature=TEMPERATURE, seed=seed)
    start = new_game(network.game, network.size, k=network.k, exactly=network.exactly)
    positions: list[BasePosition] = []
    with progress_bar("positions", POSITIONS) as bar:
        while len(positions) < POSITIONS:
            position = start
            while not position.is_over and len(positions) < POSITIONS:
                positions.append(position)
                bar.update()
                move = player.select_move(position)
                if move == RESIGN:
                    break
                position = position.play(move)
    features = global_features([position.area_komi for position in positions],
                               [position.to_play for position in positions])
    return CalibrationPositions(encode(positions), features)


# ---- the command

def command(args: argparse.Namespace) -> int:
    options = QuantizeOptions(**given(QuantizeOptions, args))
    if options.where and not args.dataset:
        raise BadInput("--where selects games of a DATASET, and none is given")
    path = find_network(args.network)
    output = args.output or path
    check_writable(output.resolve().parent)
    network = Network(path, precision="float32")
    if args.dataset and network.game != "go":
        raise BadInput(f"{path} plays {network.game.capitalize()}, and a data set has games of Go: leave DATASET out")
    positions = own_positions(network, options.seed) if args.dataset is None else \
        dataset_positions(dataset.load_dataset(args.dataset), network, options.where, options.seed)
    print(f"{output}: {format_metrics(quantize_file(path, output, positions))}")
    return 0
