"""The interface of both games that search, players and user interfaces rely on."""
import tracemalloc

import numpy as np
import pytest

from mugo.games import game, go, gomoku, scoring
from mugo.games.board import BLACK, EMPTY, POINTS, WHITE, new_boards
from mugo.games.coords import MAX_MOVES, PASS, board_points, symmetries
from mugo.games.go import GoPosition
from mugo.games.light_board import LIGHT_BOARD
from mugo.games.position import BasePosition, IllegalMove
from mugo.players import passing
from mugo.mcts.search import Search
from mugo.mcts.settings import Settings

STARTS = {
    "go 2x2": lambda: go.GoPosition(2, 0.5), "go 5x5": lambda: go.GoPosition(5, 3.5),
    "go 9x9": lambda: go.GoPosition(9),
    "gomoku 3x3": lambda: gomoku.GomokuPosition(3), "gomoku 6x6": lambda: gomoku.GomokuPosition(6, 4),
    "gomoku 8x8, exactly 5": lambda: gomoku.GomokuPosition(8, 5, exactly=True),
    "gomoku 19x19": lambda: gomoku.GomokuPosition(19),
}
both_games = pytest.mark.parametrize("start", STARTS.values(), ids=STARTS.keys())


def random_positions(start: BasePosition, seed: int) -> list[BasePosition]:
    """The positions of a random game of at most 400 moves."""
    rng = np.random.default_rng(seed)
    positions = [start]
    while not positions[-1].is_over and len(positions) < 400:
        points = positions[-1].sensible_points()
        positions.append(positions[-1].play(int(rng.choice(points)) if len(points) else PASS))
    return positions


@both_games
@pytest.mark.parametrize("seed", range(3))
def test_every_position_of_a_random_game_satisfies_the_interface(start, seed):
    positions = random_positions(start(), seed)
    end = positions[-1]
    assert end.is_over
    for plies, position in enumerate(positions):
        assert position.plies == plies
        assert position.to_play == (BLACK, WHITE)[plies % 2]
        assert position.is_over == (position is end)
        assert position.has_same_rules(end) and position.size == end.size and position.game == end.game
        assert position.stones.shape == (end.size, end.size) and position.stones.dtype == np.int8
        legal = set(position.legal_points().tolist())
        assert set(position.sensible_points().tolist()) <= legal
        for point in board_points(position.size).tolist():
            assert (position.why_illegal(point) is None) == (point in legal)
        assert (position.why_illegal(PASS) is None) == position.may_pass
    assert end.moves == tuple((before.to_play, after.last) for before, after in
                              zip(positions[:-1], positions[1:], strict=True))
    assert [position.plies for position in end.positions()] == list(range(len(positions)))
    assert np.array_equal(end.history, [position.board[0]["hash"] for position in positions])
    assert end.result()[0] == {1: "B", -1: "W", 0: "0"}[int(np.sign(end.score()))]


@both_games
def test_a_position_is_a_value(start):
    position = start()
    before = position.board.copy()
    point = int(position.sensible_points()[0])
    after = position.play(point)
    assert np.array_equal(position.board, before)
    assert after.last == point and after.mover == BLACK
    assert np.array_equal(after.undo().board, position.board)
    assert after.stones.sum() == BLACK and position.stones.sum() == EMPTY
    with pytest.raises(IllegalMove, match="no move to undo"):
        position.undo()


@both_games
def test_a_move_on_a_stone_is_illegal_and_the_error_names_it(start):
    position = start().play(int(start().sensible_points()[0]))
    with pytest.raises(IllegalMove, match=r"illegal move: [A-T]\d+ is occupied"):
        position.play(position.last)


@both_games
def test_a_position_set_up_has_the_board_of_the_position_played(start):
    played = random_positions(start(), 1)[:4][-1]
    points, stones = board_points(played.size), played.stones.ravel()
    placed = start().with_stones(points[stones == BLACK].tolist(), points[stones == WHITE].tolist(), played.to_play)
    assert np.array_equal(placed.stones, played.stones) and placed.to_play == played.to_play
    assert placed.plies == 0 and placed.moves == ()
    assert placed.board[0]["hash"] == played.board[0]["hash"]
    with pytest.raises(IllegalMove, match="stone cannot be placed on"):
        placed.with_stones(black=[played.last])


@both_games
def test_the_compiled_rules_agree_with_the_position(start):
    boards = new_boards(1)
    for position in random_positions(start(), 2):
        boards[:] = position.board
        b = boards[0]
        assert game.is_over(b) == position.is_over
        assert game.is_gomoku(b) != position.may_pass
        if not position.is_over:
            candidates = [int(p) for p in b["empties"][:b["n_empty"]]
                          if game.is_candidate(b, int(p)) and game.is_allowed(b, position.history, int(p))]
            assert sorted(candidates) == position.sensible_points().tolist()
        else:
            assert game.outcome(b, position.komi) == np.sign(position.score())


@both_games
def test_a_rollout_ends_the_game_and_returns_the_outcome(start):
    for seed in range(1, 20):
        boards = start().board.copy()
        boards["random"] = seed
        address = game.address(start().game, "roll_out")
        light_boards, first_plays = np.zeros(1, LIGHT_BOARD), np.zeros(POINTS, np.int8)
        outcome = game.roll_out(address, boards[0], light_boards, 0, start().komi, first_plays)
        assert game.is_over(boards[0])
        assert outcome == game.outcome(boards[0], start().komi)


@both_games
def test_planes_in_a_symmetry_are_the_planes_permuted(start):
    position = random_positions(start(), 3)[:6][-1]
    plain = game.encode([position])[0]
    assert plain.shape == (position.size ** 2, game.packed_bytes(position.game)) and plain.dtype == np.uint8
    for s, turn in enumerate(symmetries(position.size)):
        assert np.array_equal(game.encode([position], s)[0][turn[:-1]], plain)


@both_games
def test_a_search_returns_legal_moves_and_does_not_change_the_position(start):
    position = start()
    before = position.board.copy()
    result = Search(Settings(seed=1, early_stop=False)).search(position, simulations=200)
    assert result.simulations == 200
    assert {info.point for info in result.moves} - {PASS} <= set(position.legal_points().tolist())
    assert (PASS in {info.point for info in result.moves}) == position.may_pass
    assert np.array_equal(position.board, before)


def test_new_game_makes_both_games_and_names_invalid_arguments():
    assert game.new_game("go", 9, komi=5.5).komi == 5.5
    made = game.new_game("gomoku", 6)
    assert (made.game, made.size, made.k, made.exactly) == ("gomoku", 6, 4, False)
    with pytest.raises(Exception, match="a board is 2x2 to 19x19, not 20x20"):
        game.new_game("go", 20)
    with pytest.raises(Exception, match="3 to 6 in a row can win on 6x6, not 7"):
        game.new_game("gomoku", 6, k=7)


@both_games
@pytest.mark.parametrize("seed", range(3))
def test_undo_and_positions_give_every_position_as_it_was(start, seed):
    """Also where a side moves twice, and where the turn was changed before a move (a ko is then forgotten)."""
    rng = np.random.default_rng(seed)
    positions = [start()]
    while not positions[-1].is_over and len(positions) < 60:
        position = positions[-1]
        if rng.random() < 0.2:
            position = positions[-1] = position.with_turn(-position.to_play)
        points = position.sensible_points()
        if not len(points):
            break
        colour = position.to_play if rng.random() < 0.8 else -position.to_play
        point = int(rng.choice(points))
        if not position.why_illegal(point, colour):
            positions.append(position.play(point, colour))
    for replayed in list(positions[-1].positions()), backwards(positions[-1]):
        assert len(replayed) == len(positions)
        for one, other in zip(replayed, positions, strict=True):
            assert one.board.tobytes() == other.board.tobytes()
            assert (one.last, one.mover, one.moves, one.plies) == (other.last, other.mover, other.moves, other.plies)
            assert np.array_equal(one.history, other.history)


def backwards(position):
    """The positions of a game, found by undo alone."""
    found = [position]
    while found[-1].plies:
        found.append(found[-1].undo())
    return found[::-1]


@both_games
def test_branches_from_one_position_do_not_disturb_each_other(start):
    position = start()
    for _ in range(3):
        points = [*position.sensible_points(), PASS]
        position = position.play(int(points[0]))
    before = position.moves, position.history.tolist()
    points = [int(point) for point in position.sensible_points()]
    branches = [position.play(point) for point in points]
    longer = [branch.play_unchecked(PASS, branch.to_play) for branch in branches]
    assert (position.moves, position.history.tolist()) == before
    for point, branch, after in zip(points, branches, longer, strict=True):
        assert branch.moves == (*position.moves, (position.to_play, point)) == after.moves[:-1]
        assert branch.history.tolist() == [*position.history, branch.board[0]["hash"]] == after.history.tolist()[:-1]
        assert after.undo().board.tobytes() == branch.board.tobytes()


QUERIES = (BasePosition.score, BasePosition.result, BasePosition.legal_points, BasePosition.sensible_points, str,
           lambda position: [position.why_illegal(point) for point in board_points(position.shape).tolist()],
           lambda position: game.encode([position]), lambda position: list(position.positions()),
           lambda position: game.FUNCTIONS[position.game]["forced_move"](position.board[0], True),
           lambda position: game.winning_sequence(position.board[0]),
           lambda position: scoring.final_score(position) if position.game == "go" else None,
           lambda position: passing.is_finished(position) if position.game == "go" else None)


@both_games
def test_no_query_changes_a_byte_of_the_board(start):
    for position in random_positions(start(), seed=3)[::7]:
        before = position.board.tobytes()
        for query in QUERIES:
            query(position)
            assert position.board.tobytes() == before


def test_a_long_game_takes_little_memory_and_has_a_limit():
    tracemalloc.start()
    position = GoPosition(19)
    for _ in range(MAX_MOVES):
        position = position.play_unchecked(PASS, position.to_play)
    assert tracemalloc.get_traced_memory()[0] < 500_000          # with a board and a history for each it was 160 MB
    tracemalloc.stop()
    assert position.plies == len(position.moves) == MAX_MOVES
    assert sum(1 for _ in position.positions()) == MAX_MOVES + 1
    with pytest.raises(IllegalMove, match="a game has at most 4095 moves"):
        position.play(PASS)
