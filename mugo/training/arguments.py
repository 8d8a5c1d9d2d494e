"""The options of `mugo train` on its command line.  What they mean is in options.py and nn/policy_net.py."""
import argparse
from pathlib import Path

from mugo.core.limits import PRECISIONS, number_of_positions
from mugo.core.options import argument_type
from mugo.games.coords import interpret_square_size
from mugo.nn.context_module import DILATIONS
from mugo.nn.optimizers import OPTIMIZERS
from mugo.nn.policy_net import PolicyNetConfig
from mugo.core.resume import format_names
from mugo.training.options import MAY_CHANGE, TrainingOptions

POLICY_FILTERS = 256                     # of a new network


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", type=Path, metavar="DATASET", help="a folder made by preprocess")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="RUN", help="the run's folder")
    parser.add_argument("--resume", action="store_true",
                        help=f"continue the run with its own options; only {format_names(MAY_CHANGE)} can change")
    parser.add_argument("--init-from", default="", metavar="NETWORK",
                        help="initialise from this network, with its config; the board may have another size, and the "
                        "new one more --filters, --context-filters or --context-layers")
    parser.add_argument("--devices", type=int, metavar="N",
                        help="train on N GPUs, with an equal part of each batch on each (default: all)")
    group = parser.add_argument_group("several processes, on JAX; each trains on all of its GPUs",
                                      "the environment's JAX_COORDINATOR_ADDRESS, JAX_NUM_PROCESSES and JAX_PROCESS_ID "
                                      "say the same")
    group.add_argument("--coordinator-address", metavar="HOST:PORT", help="where process 0 runs, with a free port")
    group.add_argument("--num-processes", type=int, metavar="N", help="how many there are")
    group.add_argument("--process-id", type=int, metavar="I", help="the number of this one, from 0")
    group = parser.add_argument_group("length (default: one epoch)").add_mutually_exclusive_group()
    group.add_argument("--positions", type=float, metavar="N", help="positions to train on, say 2e6")
    group.add_argument("--epochs", type=float, metavar="N", help="times through all positions of the training split")
    group.add_argument("--minutes", type=float, metavar="N", help="as many as this machine does in N minutes")
    add_network_arguments(parser.add_argument_group("the network"))
    add_learning_arguments(parser.add_argument_group("learning"))


def add_network_arguments(group: argparse._ArgumentGroup) -> None:
    """Options whose default is None: those not given come from the network to start with, or from the run."""
    config = PolicyNetConfig()
    group.add_argument("--size", type=argument_type(interpret_square_size), metavar="N",
                       help="board size (default: the data set's most frequent)")
    group.add_argument("--filters", type=int, metavar="K",
                       help=f"filters of each convolution (default: {config.filters})")
    group.add_argument("--layers", type=int, metavar="N",
                       help=f"convolutions, the 5x5 and the 1x1 counted (default: {config.layers})")
    group.add_argument("--policy-filters", type=int, metavar="K",
                       help="filters of a hidden 1x1 convolution in the policy head; 0: none, as in AlphaGo (default: "
                       f"{POLICY_FILTERS})")
    for name, what in (("context_filters", "filters of the context module, the dilated convolutions that the value "
                        "head takes"),
                       ("context_layers", f"its 3x3 convolutions, {len(DILATIONS)} at most")):
        group.add_argument(f"--{name.replace('_', '-')}", type=int, metavar="N",
                           help=f"{what} (default: {getattr(config, name)})")
    for name, what in (("policy_context", "the policy head also takes the context module, which sees the whole board"),
                       ("chain_pooling", "the context module also pools over chains and empty regions"),
                       ("batch_norm", "batch normalisation"), ("residual", "residual connections"),
                       ("global_pooling", "a global pooling bias in the middle layer"),
                       ("point_bias", "a trained bias for each point of the board"),
                       ("value_head", "a value head: who wins, by how many points, and who owns each point"),
                       ("komi_input", "the value head takes komi; without, it says who wins, and nothing else"),
                       ("auxiliary_heads", "heads for the opponent's reply and the next own move, while training")):
        default = "on with --value-head" if name == "komi_input" else "on" if getattr(config, name) else "off"
        group.add_argument(f"--{name.replace('_', '-')}", action=argparse.BooleanOptionalAction, default=None,
                           help=f"{what} (default: {default})")
    group.add_argument("--equivariant", action=argparse.BooleanOptionalAction, default=None,
                       help="tied weights, so that outputs turn with the board; it makes much better use of every "
                       "position (default: on)")


def add_learning_arguments(group: argparse._ArgumentGroup) -> None:
    """Options whose default is None: those not given come from TrainingOptions, or from the run."""
    options = TrainingOptions(1)
    for name, kind, what in (
            ("batch_size", int, "positions in a batch"), ("learning_rate", float, "peak learning rate"),
            ("warmup_steps", int, "steps of the linear warm-up"),
            ("final_lr_fraction", float, "final learning rate, as a fraction of the peak"),
            ("value_weight", float, "weight of the value's loss"),
            ("ownership_weight", float, "weight of the ownership's loss"),
            ("score_weight", float, "weight of the score's loss"),
            ("auxiliary_weight", float, "weight of the loss of each auxiliary head"),
            ("endgame_fraction", float, "fraction of each batch that is drawn from the last moves of counted games"),
            ("label_smoothing", float, "fraction of each target spread over all moves"),
            ("weight_decay", float, "decoupled weight decay of the kernels"),
            ("checkpoint_every", float, "minutes between checkpoints, shorter at first"),
            ("validation_positions", int, "positions evaluated at each checkpoint"), ("seed", int, "random seed")):
        group.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar="N",
                           help=f"{what} (default: {getattr(options, name)})")
    group.add_argument("--checkpoint-positions", type=number_of_positions, metavar="N",
                       help="positions between checkpoints, instead of minutes")
    group.add_argument("--max-batch-size", type=int, metavar="N", help="let the batch size grow to N")
    group.add_argument("--double-batch-every", type=number_of_positions, metavar="N",
                       help="positions after which it doubles, up to --max-batch-size")
    group.add_argument("--decay-start", type=float, metavar="FRACTION", help="fraction of the positions after which "
                       f"the learning rate decays; 1: never (default: {options.decay_start})")
    group.add_argument("--optimizer", choices=tuple(OPTIMIZERS), help=f"(default: {options.optimizer})")
    group.add_argument("--symmetry", action=argparse.BooleanOptionalAction,
                       help="data augmentation: a random symmetry of the board for each position (default: on)")
    group.add_argument("--freeze-policy", action=argparse.BooleanOptionalAction,
                       help="train the value head alone: the policy of --init-from stays as it is (default: off)")
    group.add_argument("--where", metavar="QUERY", help="train on these games, a query (default: all)")
    group.add_argument("--moves", metavar="FROM-TO",
                       help="train on these moves of each game: 1-60, or 21- for all from the 21st on "
                       "(default: all)")
    group.add_argument("--precision", choices=("auto", *PRECISIONS), default="auto",
                       help="auto is bfloat16 where this machine multiplies it faster (default: "
                       "%(default)s)")
