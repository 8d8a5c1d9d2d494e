"""Every fact that the coach states is on the board: those of random games are played by the library's rules."""
from collections import Counter

import numpy as np

from page_modules import call, needs_node

from mugo.games.coords import PASS, format_gtp, interpret_gtp
from mugo.games.game import new_game, plane_names
from mugo.games.position import COLOUR_LETTERS
from mugo.web.positions import describe_position, planes

SIZE = 7


def chain_at(position, vertex):
    """(The points, the liberties) of the chain on a point, as vertices."""
    chains = call("chainsOf", describe_position(position)["stones"], {"rows": SIZE, "cols": SIZE})
    return next((each["points"], each["liberties"]) for each in chains if vertex in each["points"])


def play(position, vertex):
    """The position after a move; None if it is illegal."""
    point = interpret_gtp(vertex, SIZE)
    return position.play(point) if point in position.legal_points() else None


def captures(position):
    """How many stones each legal move captures."""
    other = -position.to_play
    found = {format_gtp(point, SIZE): stones_of(position, other) - stones_of(position.play(point), other)
             for point in position.legal_points().tolist() if point != PASS}
    return {vertex: count for vertex, count in found.items() if count}


def stones_of(position, colour):
    return int((position.stones == colour).sum())


def is_taken(position, vertex):
    """Whether the side that is not to move takes the chain on a point, which is in atari, with atari after atari."""
    points, liberties = chain_at(position, vertex)
    around = {other for point in points for other in neighbours(point)} - set(points) - set(liberties)
    captures = {chain_at(position, each)[1][0] for each in around if len(chain_at(position, each)[1]) == 1}
    for escape in {*liberties, *captures}:
        after = play(position, escape)
        if after is None or not after.stones.ravel()[index(vertex)]:
            continue
        liberties = chain_at(after, vertex)[1]
        if len(liberties) > 2 or (len(liberties) == 2 and not any(
                (chased := play(after, each)) is not None and len(chain_at(chased, vertex)[1]) == 1
                and is_taken(chased, vertex) for each in liberties)):
            return False
    return True


def can_run(chased, vertex):
    """Whether the chain on a point, which is in atari, has two liberties after a move on the last one."""
    after = play(chased, chain_at(chased, vertex)[1][0])
    return after is not None and len(chain_at(after, vertex)[1]) > 1


def index(vertex):
    return (SIZE - int(vertex[1:])) * SIZE + "ABCDEFG".index(vertex[0])


def neighbours(vertex):
    col, row = "ABCDEFG".index(vertex[0]), int(vertex[1:])
    return {f"{'ABCDEFG'[c]}{r}" for c, r in ((col - 1, row), (col + 1, row), (col, row - 1), (col, row + 1))
            if 0 <= c < SIZE and 1 <= r <= SIZE}


def random_positions(rng, games):
    """Positions of random games, without those in which a player would fill most of the board."""
    for _ in range(games):
        position = new_game("go", SIZE, komi=0)
        for _ in range(40):
            legal = [point for point in position.legal_points().tolist() if point != PASS]
            if not legal:
                break
            yield position, legal
            position = position.play(int(rng.choice(legal)))


def facts_of(kind, position, move, **fields):
    return call(kind, {"stones": describe_position(position)["stones"], "names": plane_names("go"),
                       "size": {"rows": SIZE, "cols": SIZE},
                       "move": f"{COLOUR_LETTERS[position.to_play]} {move}", **fields})


@needs_node
def test_what_a_move_leaves_to_the_other_side_is_what_that_side_can_do():
    rng, seen = np.random.default_rng(1), Counter()
    for position, legal in random_positions(rng, 15):
        own = position.to_play
        move = format_gtp(int(rng.choice(legal)), SIZE)
        after = play(position, move)
        replies = list(captures(after)) or [format_gtp(point, SIZE) for point in after.legal_points().tolist()[:1]]
        reply = str(rng.choice(replies)) if rng.random() < 0.5 else None
        named = None if reply in (None, "pass") else f"{COLOUR_LETTERS[after.to_play]} {reply}"
        better = format_gtp(int(rng.choice(legal)), SIZE)
        fact = facts_of("danger", position, move, better=better, reply=named, planes=planes(after))
        before = [captures(each) for each in (position.play(PASS), play(position, better))]
        taken = {vertex: count for vertex, count in captures(after).items()
                 if count > min(each.get(vertex, 0) for each in before)}
        seen[fact and fact["key"]] += 1
        if fact is None:
            assert not any(taken.values())
            continue
        values = fact["values"]
        assert values["colour"] == COLOUR_LETTERS[after.to_play]
        if fact["key"] == "coachCaptured":
            assert values["vertex"] == reply and values["count"] == taken[reply]
        elif fact["key"] == "coachCanCapture":
            assert values["count"] == taken[values["vertex"]] == max(taken.values()) and reply not in taken
        else:
            chased = play(after, values["vertex"])
            chain = [each for each in neighbours(values["vertex"]) if after.stones.ravel()[index(each)] == own
                     and len(chain_at(after, each)[1]) == 2]
            assert len({tuple(chain_at(after, each)[0]) for each in chain}) == 1
            assert len(chain_at(after, chain[0])[0]) == values["count"] and is_taken(chased, chain[0])
            assert fact["key"] == ("coachLadder" if can_run(chased, chain[0]) else "coachNoEscape")
    assert min(seen[key] for key in
               (None, "coachCaptured", "coachCanCapture", "coachLadder", "coachNoEscape")) >= 5, seen


@needs_node
def test_what_a_better_move_does_is_what_it_does_on_the_board():
    rng, seen = np.random.default_rng(2), Counter()
    for position, legal in random_positions(rng, 20):
        own = position.to_play
        move = format_gtp(int(rng.choice(legal)), SIZE)
        after = play(position, move)
        fact = facts_of("chance", position, move, planes=planes(position))
        seen[fact and fact["key"]] += 1
        taken = stones_of(position, -own) - stones_of(after, -own)
        assert (fact is not None and fact["key"] == "coachCaptures") == bool(taken)
        if fact is None:
            continue
        values = fact["values"]
        assert values["vertex"] == move
        near = [each for each in neighbours(move) if position.stones.ravel()[index(each)]]
        if fact["key"] == "coachCaptures":
            assert values["count"] == taken
        elif fact["key"] == "coachExtends":
            atari = {point for each in near if position.stones.ravel()[index(each)] == own
                     and len(chain_at(position, each)[1]) == 1 for point in chain_at(position, each)[0]}
            assert values["count"] == len(atari) and values["liberties"] == len(chain_at(after, move)[1]) >= 2
        else:
            chased = [each for each in near if position.stones.ravel()[index(each)] == -own
                      and len(chain_at(position, each)[1]) == 2]
            assert values["count"] == len(chain_at(position, chased[0])[0]) and is_taken(after, chased[0])
            assert fact["key"] == ("coachTakesInLadder" if can_run(after, chased[0]) else "coachNoEscape")
    assert min(seen[key] for key in
               (None, "coachCaptures", "coachExtends", "coachTakesInLadder", "coachNoEscape")) >= 3, seen
