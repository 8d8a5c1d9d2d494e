"""The review of a recorded game: for every move its rank, its win rate, its loss and the best move.

    Record -- Reviewer.review --> Review, one MoveReview a move -- report, annotated_sgf --> files

    12 Black E5: 3rd choice, prior 8.1 %, win rate 54.0 % -> 31.2 %, lead 1.5 -> -4.0, a blunder; pv D3 C4 C3

The network evaluates all positions of the game in batches.  Win rates come from a search, whose tree is reused from
move to move, or from the network's value head; so do leads in points, with a network that has scores.

A move's loss compares two positions after it: the one after the best move and the one after the move played, both
evaluated with the same effort.  Where they say that it is a mistake, both are searched DEEPER times as deep, and those
searches decide.  Win rates before and after a move are not comparable, because a search overestimates
the side that moves first.

Where nothing is left to play for, positions are scored: a network or a search names the winner less often.
"""
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from mugo.core.files import BadInput
from mugo.games import scoring
from mugo.games.coords import MAX_MOVES, PASS, move_index
from mugo.games.go import GoPosition
from mugo.games.position import IllegalMove
from mugo.games.rules import KOMI
from mugo.mcts.result import PV_LENGTH, MoveInfo, distinct
from mugo.nn.output import NetworkOutput, concatenated_outputs
from mugo.players import passing
from mugo.players.evaluation import Evaluation, SearchEvaluator, moves_by_prior, sensible_moves
from mugo.reviews.annotated_sgf import WRITTEN_MOVES
from mugo.reviews.move_review import MoveReview, Review, difference, verdict
from mugo.sgf.record import Record
from mugo.sgf.record_positions import positions_of

BATCH = 32                # positions that the network evaluates at once
DEEPER = 4                # times the effort, for the two positions that say that a move is a mistake
Values = tuple[float | None, float | None]               # (win rate, lead in points) of one side


class Reviewer:
    """Reviews games.

    network: as nn.inference.Network, or None.
    evaluators: for the positions of the game, and for those after best moves, each with its own tree; None: win rates
    are the network's, if it has a value head.
    komi: of games that name none.
    Raises ValueError without network and evaluators.
    """

    def __init__(self, network=None, evaluators: tuple[SearchEvaluator, SearchEvaluator] | None = None, *,
                 komi: float = KOMI):
        if network is None and evaluators is None:
            raise ValueError("a reviewer needs a network or evaluators")
        self._network = network
        self._evaluators = evaluators
        self._komi = komi

    def review(self, record: Record, on_move: Callable[[], object] = lambda: None) -> Review:
        """Review a game; on_move() is called after each move.

        Raises BadInput for a game without a legal move, and for a board that the network does not play.
        """
        positions, stop_reason = [], ""
        try:
            for position in positions_of(record, komi=self._komi):
                positions.append(position)
        except IllegalMove as error:
            stop_reason = str(error)
        if len(positions) < 2:
            raise BadInput(stop_reason or "there are no moves in this game")
        # In a record one side may move twice, so the side to move is taken from the next move.
        to_evaluate = [position.with_turn(after.mover)
                       for position, after in zip(positions[:-1], positions[1:], strict=True)]
        to_evaluate.append(positions[-1])
        if self._evaluators is not None:
            priors = None if self._network is None else self._evaluate_network(to_evaluate).priors
            moves, evaluations = self._review_by_search(self._evaluators, to_evaluate, priors, on_move)
        else:
            moves, evaluations = self._review_by_network(to_evaluate, on_move)
        scores = final_scores(record, positions, not stop_reason)
        moves = [replace(scored(move, score), is_placed=move.number <= record.placed_stones)
                 for move, score in zip(moves, scores[1:], strict=True)]
        turns = [record.first_player, *(position.to_play for position in positions[1:])]
        known = tuple(found if turn == position.to_play and score is None and found.win_rate is not None else None
                      for found, score, turn, position in zip(evaluations, scores, turns, to_evaluate, strict=True))
        return Review(record, tuple(moves), tuple(positions), stop_reason, known)

    def _evaluate_network(self, positions: Sequence[GoPosition], symmetries: bool = True) -> NetworkOutput:
        """The network's output for positions, evaluated in batches."""
        assert self._network is not None
        return concatenated_outputs([self._network.evaluate(list(positions[i:i + BATCH]), symmetries=symmetries)
                                     for i in range(0, len(positions), BATCH)])

    def _review_by_search(self, evaluators: tuple[SearchEvaluator, SearchEvaluator], positions: list[GoPosition],
                          priors: np.ndarray | None, on_move: Callable[[], object]
                          ) -> tuple[list[MoveReview], list[Evaluation]]:
        game_evaluator, best_move_evaluator = evaluators
        first = game_evaluator.evaluate(positions[0])
        infos, moves, found = first.moves, [], [_best_moves_of(first)]
        last_passes = _last_passes(positions)
        for i, (position, after) in enumerate(zip(positions[:-1], positions[1:], strict=True)):
            point = _last_move(after)
            best = next((info for info in infos if info.point == point and info.symmetry_of is infos[0]), infos[0])
            # The tree is not reused after a pass, where it may count dead stones, nor if a side moves twice.
            is_child = after.to_play == -position.to_play and PASS not in (point, position.last)
            visits = {info.point: info.visits for info in infos}
            in_tree = {info.point: info.visits for info in distinct(infos)}
            evaluated = game_evaluator.evaluate(after, reused_visits=in_tree.get(point, 0) if is_child else 0)
            played = before = _values_for(position, after, evaluated.win_rate, evaluated.score_lead)
            if best.point != point and not _is_harmless_pass(position, point, best.point, i >= last_passes):
                other = position.play(best.point)
                of_best = best_move_evaluator.evaluate(other)
                before = _values_for(position, other, of_best.win_rate, of_best.score_lead)
                if _is_mistake(before, played):
                    evaluated = game_evaluator.evaluate(after, reused_visits=evaluated.visits, times=DEEPER)
                    of_best = best_move_evaluator.evaluate(other, reused_visits=of_best.visits, times=DEEPER)
                    played = _values_for(position, after, evaluated.win_rate, evaluated.score_lead)
                    before = _values_for(position, other, of_best.win_rate, of_best.score_lead)
            infos = evaluated.moves
            found.append(_best_moves_of(evaluated))
            if priors is None:
                total = sum(visits.values()) or 1
                rank = 1 + sum(n > visits.get(point, 0) for n in in_tree.values())
                prior, best_prior = visits.get(point, 0) / total, visits[best.point] / total
            else:
                rank, prior = _rank_and_prior(position, priors[i], point)
                best_prior = float(priors[i][move_index(best.point, position.shape)])
            moves.append(MoveReview(i + 1, position.to_play, point, rank, prior, best_prior, best.pv,
                                    before[0], played[0], before[1], played[1]))
            on_move()
        return moves, found

    def _review_by_network(self, positions: list[GoPosition], on_move: Callable[[], object]
                           ) -> tuple[list[MoveReview], list[Evaluation]]:
        assert self._network is not None
        self._network.forget()                           # a game's review is the same whatever was reviewed before it
        output = self._evaluate_network(positions)
        variations = self._variations(positions[:-1], output.priors)
        after_best = [position.play(pv[0]) for position, pv in zip(positions, variations, strict=False)]
        best_output = output if output.values is None else self._evaluate_network(after_best)
        moves, found, last_passes = [], [], _last_passes(positions)
        for i, (position, after) in enumerate(zip(positions[:-1], positions[1:], strict=True)):
            point, best = _last_move(after), variations[i][0]
            played = before = _values_for(position, after, *_values_of(output, i + 1))
            if best != point and not _is_harmless_pass(position, point, best, i >= last_passes):
                before = _higher(played, _values_for(position, after_best[i], *_values_of(best_output, i)))
            best_prior = float(output.priors[i][move_index(best, position.shape)])
            moves.append(MoveReview(i + 1, position.to_play, point, *_rank_and_prior(position, output.priors[i], point),
                                    best_prior, variations[i], before[0], played[0], before[1], played[1]))
            rate, lead = _values_for(position, after_best[i], *_values_of(best_output, i))
            info = MoveInfo(best, best_prior, 1, math.nan if rate is None else rate, variations[i], score_lead=lead)
            own_rate, own_lead = _values_of(output, i)
            found.append(Evaluation((info,), own_rate, score_lead=own_lead))
            on_move()
        rate, lead = _values_of(output, len(positions) - 1)
        return moves, [*found, Evaluation((), rate, score_lead=lead)]

    def _variations(self, positions: Sequence[GoPosition], priors: np.ndarray) -> list[tuple[int, ...]]:
        """For each position the move with the highest prior, and so on: PV_LENGTH moves, or up to a pass or the end of
        the longest game."""
        variations: list[tuple[int, ...]] = [() for _ in positions]
        for step in range(PV_LENGTH):
            points = [_most_likely_move(position, prior) for position, prior in zip(positions, priors, strict=False)]
            is_over = [PASS in pv[-1:] or position.plies >= MAX_MOVES
                       for pv, position in zip(variations, positions, strict=True)]
            variations = [pv if over else (*pv, point)
                          for pv, point, over in zip(variations, points, is_over, strict=True)]
            if step < PV_LENGTH - 1:
                positions = [position if over else position.play(point)
                             for position, point, over in zip(positions, points, is_over, strict=True)]
                priors = self._evaluate_network(positions, symmetries=False).priors
        return variations


def _best_moves_of(evaluation: Evaluation) -> Evaluation:
    """An evaluation with what is written of it: the best moves, no ownership."""
    return replace(evaluation, moves=tuple(distinct(evaluation.moves)[:WRITTEN_MOVES]), ownership=None)


def _values_of(output: NetworkOutput, k: int) -> tuple[float | None, float | None]:
    """(win rate, lead) of the side to move in position k; None for what the network does not have."""
    return output.win_rate(k), output.score(k)[0]


def _is_mistake(before: Values, played: Values) -> bool:
    """Whether a move after which a side's values are `played` is not good, if they could be `before`."""
    return verdict(difference(before[1], played[1]), difference(before[0], played[0])) not in ("", "good")


def _higher(one: Values, other: Values) -> Values:
    """The higher win rate and the higher lead; None where one is."""
    (rate, lead), (other_rate, other_lead) = one, other
    return (None if rate is None or other_rate is None else max(rate, other_rate),
            None if lead is None or other_lead is None else max(lead, other_lead))


def _last_move(position: GoPosition) -> int:
    """The point of the last move of a position that is not the start."""
    assert position.last is not None
    return position.last


def _values_for(position: GoPosition, after: GoPosition, win_rate: float | None, lead: float | None) -> Values:
    """The values of the side to move in `after`, as those of the side to move in `position`."""
    if after.to_play == position.to_play:
        return win_rate, lead
    return None if win_rate is None else 1 - win_rate, None if lead is None else -lead


def _last_passes(positions: Sequence[GoPosition]) -> int:
    """The index of the position from which on only passes are played, if they are two or more and end the game; else
    the index of the last position.  positions: (n + 1,)."""
    last = len(positions) - 1
    first = last
    while first and positions[first].last == PASS:
        first -= 1
    return first if last - first >= 2 else last


def _is_harmless_pass(position: GoPosition, point: int, best: int, ends_game: bool) -> bool:
    """Whether a pass has the same winner as the best move would have, in a game that ends here or is nearly over.

    Win rates do not tell: rollouts from a finished position give the side that has lost up to a half.  Without dead
    stones the pass wins; or all chains are clearly alive, dead or in seki, and neutral points do not change the winner;
    or the best move does not change it.
    """
    if point != PASS or not (ends_game or passing.is_nearly_over(position)):
        return False
    after = position.play(PASS)
    score = scoring.final_score(after) * position.to_play
    neutral = 0 if after.counts_territory else neutral_points(after)
    if score > 0 or score + neutral <= 0 and scoring.judge(position.stones, deep=False).is_clear:
        return True
    return bool(np.sign(scoring.final_score(position.play(best)) * position.to_play) <= np.sign(score))


def _most_likely_move(position: GoPosition, priors: np.ndarray) -> int:
    return moves_by_prior(position, priors, sensible_moves(position))[0][0]


def _rank_and_prior(position: GoPosition, priors: np.ndarray, point: int) -> tuple[int, float]:
    """The rank of a move among the legal ones by their priors, from 1, and its prior."""
    prior = float(priors[move_index(point, position.shape)])
    return 1 + sum(other > prior for _, other in moves_by_prior(position, priors)), prior


def neutral_points(position: GoPosition) -> int:
    """How many points nobody owns, without the dead stones."""
    return len(scoring.neutral_points(scoring.without_dead(position)))


def score_at_end(position: GoPosition) -> float | None:
    """Black's final score where nothing is left to play for; None elsewhere, and where neutral points decide."""
    if not (position.is_over or position.removes_dead_stones and passing.is_finished(position)):
        return None
    score = scoring.final_score(position)
    decided = position.is_over or position.counts_territory or abs(score) > neutral_points(position)
    return score if decided else None


def last_score(record: Record, position: GoPosition) -> float | None:
    """As `score_at_end`, of the last position of a record; its own result, if that is a score with the same winner."""
    found = score_at_end(position)
    if record.score is None:
        return found
    score = scoring.final_score(position) if found is None else found
    return record.score if np.sign(score) == np.sign(record.score) else found


def final_scores(record: Record, positions: Sequence[GoPosition], is_whole: bool) -> list[float | None]:
    """(n,) Black's final score for the last positions of a game, as far as they can be scored; None before.

    is_whole: whether the last of the positions is the record's.
    """
    found: list[float | None] = [None] * len(positions)
    for i in range(len(positions) - 1, 0, -1):
        is_last = is_whole and i == len(positions) - 1
        found[i] = last_score(record, positions[i]) if is_last else score_at_end(positions[i])
        if found[i] is None:
            break
    return found


def scored(move: MoveReview, score: float | None) -> MoveReview:
    """A move after which the game can be scored, with win rate and lead by the score.

    What the move loses stays as it was evaluated, because the best move has not been scored.  score: Black's; None:
    leave the move as it is.
    """
    if score is None:
        return move
    own = score * move.colour
    if move.loss is not None:
        after = float(1 + np.sign(own)) / 2
        move = replace(move, win_rate_before=min(max(after + move.loss, 0.0), 1.0), win_rate_after=after)
    if move.points_lost is not None:
        move = replace(move, lead_before=own + move.points_lost, lead_after=own)
    return move
