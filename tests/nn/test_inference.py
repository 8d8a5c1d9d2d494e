"""Inference: priors and values of positions, on boards of any size; what a network does not play is refused."""

import numpy as np
import pytest
from networks import alphazero_network, build, keras, policy_file, policy_network
from random_records import random_record

from mugo.core.files import BadInput
from mugo.games import go, gomoku, planes
from mugo.games.coords import symmetries
from mugo.games.game import encode
from mugo.games.go import GoPosition
from mugo.nn.architectures import PolicyNetConfig
from mugo.nn.inference import Network
from mugo.nn.inputs import fit_bias
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings
from mugo.sgf.record_positions import position_of


@pytest.mark.parametrize("trained", [9, 5, 6, 14])
def test_outputs_with_test_time_augmentation_turn_with_the_board(tmp_path, trained):
    path = policy_file(tmp_path, size=trained)
    net = Network(path)
    position = position_of(random_record(4))
    priors = net.evaluate([position], symmetries=True).priors[0]
    for symmetry in range(8):
        turn = symmetries(9)[symmetry]
        record = random_record(4)
        moves = (turn[record.moves & 511] | (record.moves & 512)).astype(np.int16)
        turned = position_of(type(record)(shape=(9, 9), setup=record.setup, moves=moves))
        assert np.allclose(net.evaluate([turned], symmetries=True).priors[0][turn], priors, atol=1e-6)


@pytest.mark.parametrize("trained, fitted", [
    ("""
        1 2 3 4 5
        0 0 0 0 0
        6 0 8 0 7
        0 0 0 0 0
        9 0 0 0 5
    """, """
        1 2 3 3 3 4 5
        0 0 0 0 0 0 0
        6 0 8 8 8 0 7
        6 0 8 8 8 0 7
        6 0 8 8 8 0 7
        0 0 0 0 0 0 0
        9 0 0 0 0 0 5
    """), ("""
        1 2 8 4 5
        3 0 8 6 0
        8 8 8 8 8
        3 0 8 0 0
        9 0 8 0 5
    """, """
        1 2 4 5
        3 0 6 0
        3 0 0 0
        9 0 0 5
    """), ("""
        1 2 8 4 5
        0 4 8 8 0
        8 8 8 8 8
        6 0 8 0 4
        9 0 8 2 5
    """, """
        1 3 5
        3 3 2
        9 1 5
    """), ("""
        1 2 3 4
        0 4 6 0
        0 2 8 0
        5 6 7 8
    """, """
        1 2 2.5 3 4
        0 4 5   6 0
        0 3 5   7 0
        0 2 5   8 0
        5 6 6.5 7 8
    """),
], ids=["larger", "smaller", "a middle line of two", "an even one larger"])
def test_on_another_board_a_point_has_the_bias_of_the_point_at_its_distance_from_the_edges(trained, fitted):
    trained, fitted = (np.array(drawn.split(), np.float32) for drawn in (trained, fitted))
    assert fit_bias(trained, round(len(fitted) ** 0.5)).tolist() == fitted.tolist()


@pytest.mark.parametrize("size", [2, 5, 8, 13, 19])
def test_on_another_board_it_computes_what_keras_would_with_the_fitted_bias(tmp_path, size):
    model, path = policy_network(tmp_path, value_head=True)
    other = build(PolicyNetConfig(size, 4, value_head=True).spec())
    other.set_weights([fit_bias(w, size) if w.shape == (81,) else w for w in model.get_weights()])
    packed = np.random.default_rng(3).integers(0, 256, (2, size ** 2, planes.PACKED), np.uint8)
    outputs = other(packed)
    net = Network(path)
    net.evaluate([GoPosition(9)])                   # boards of several sizes may follow each other
    output = net.evaluate_packed(packed)
    priors, values = output.priors, output.values
    assert np.allclose(priors, keras.ops.softmax(outputs["policy"]), atol=1e-5)
    assert np.allclose(values, np.tanh(outputs["value"])[:, 0], atol=1e-5)


def test_boards_of_two_sizes_are_not_evaluated_together(tmp_path):
    path = policy_file(tmp_path)
    with pytest.raises(ValueError, match="one size at a time"):
        Network(path).evaluate([GoPosition(9), GoPosition(5)])


@pytest.mark.parametrize("shape", [9, (5, 13)], ids=str)
def test_chains_are_pooled_over_on_each_board_by_itself(tmp_path, shape):
    """Outputs in a batch are those of each position alone, also of rectangles."""
    config = {"value_head": True, "komi_input": True, "context_layers": 1, "chain_pooling": True}
    net = Network(policy_file(tmp_path, **config), threads=1)
    assert net.needs_components
    positions, rng = [GoPosition(shape)], np.random.default_rng(0)
    for _ in range(30):
        positions.append(positions[-1].play(int(rng.choice(positions[-1].legal_points()))))
    output = net.evaluate(positions)
    for i, position in enumerate(positions):
        alone = net.evaluate([position])
        for of_batch, of_one in zip(output, alone, strict=True):
            assert np.allclose(of_batch[i], of_one[0], atol=1e-4)


@pytest.mark.parametrize("position, text", [
    (lambda: gomoku.GomokuPosition(8, 4), "is a policy-value network, which plays 6x6 only, not 8x8"),
    (lambda: gomoku.GomokuPosition(6, 5), "plays Gomoku, 4 in a row, not Gomoku, 5 in a row"),
    (lambda: gomoku.GomokuPosition(6, 4, True), "plays Gomoku, 4 in a row, not Gomoku, exactly 4 in a row"),
    (lambda: go.GoPosition(6), "plays Gomoku, 4 in a row, not Go$"),
], ids=["size", "k", "exactly", "Go"])
def test_a_position_of_another_game_is_refused(tmp_path, position, text):
    net = Network(alphazero_network(tmp_path), threads=1)
    with pytest.raises(BadInput, match=f"net.safetensors {text}"):
        net.evaluate([position()])


def test_planes_of_another_game_are_refused(tmp_path):
    on_gomoku = Network(alphazero_network(tmp_path), threads=1)
    on_go = Network(alphazero_network(tmp_path, game="go", k=0, name="other"), threads=1)
    assert (on_go.game, on_go.k) == ("go", 0)
    on_go.evaluate([go.GoPosition(6)])
    for net, packed, text in ((on_gomoku, encode([go.GoPosition(6)]), "plays Gomoku, 4 in a row; these planes"),
                              (on_go, encode([gomoku.GomokuPosition(6)]), "plays Go; these planes")):
        with pytest.raises(BadInput, match=text):
            net.evaluate_packed(packed)
    with pytest.raises(BadInput, match="other.safetensors plays Go, not Gomoku, 4 in a row"):
        on_go.evaluate([gomoku.GomokuPosition(6, 4)])


def test_a_search_evaluates_with_the_network_of_the_game_and_refuses_another(tmp_path):
    search = Search(Settings(rollout="none", batch=4, max_edges=20_000),
                    Network(alphazero_network(tmp_path), threads=1))
    assert search.search(gomoku.GomokuPosition(6, 4), simulations=20).visits >= 20
    with pytest.raises(BadInput, match="plays Gomoku, 4 in a row, not Gomoku, 5 in a row"):
        search.search(gomoku.GomokuPosition(6, 5), simulations=20)
    assert search.search(gomoku.GomokuPosition(6, 4), simulations=20).visits >= 20
