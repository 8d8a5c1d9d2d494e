"""A program that answers queries of KataGo's analysis protocol, for tests of its clients.  Standard library only.

    python fake_analysis.py [OPTION=VALUE ...]

What it says of a position follows from the number of moves before it, n: a win rate of n / 1000, a lead of n / 10,
three quarters of the policy on move n % points, a quarter on a pass, and the side to move owns point n % points.

    fault=NAME     one of FAULTS, once, in place of an answer
    once=FILE      where is noted that it has happened; without it, it happens in every process
    after=N        after so many answers
    moves=N        instead, at every position with so many moves before it
"""
import json
import os
import sys
import time

FAULTS = {
    "crash", "hang", "close", "garbage", "list", "bytes", "empty", "endless", "stranger", "twice", "error", "no-root",
    "high-rate", "nan-rate", "text-rate", "no-lead", "far-lead", "short-policy", "null-policy", "loud-policy",
    "no-ownership", "wild-ownership", "refuse", "game-over", "warn", "during-search", "crash-at-start", "no-version"}
options = dict(word.split("=", 1) for word in sys.argv[1:])
fault, once = options.get("fault", ""), options.get("once", "")
assert not fault or fault in FAULTS


def write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def happens(query: dict) -> bool:
    if "moves" in options:
        return len(query["moves"]) == int(options["moves"])
    if not fault or answered != int(options.get("after", 0)) or once and os.path.exists(once):
        return False
    if once:
        open(once, "w").close()
    return True


def answer(query: dict) -> dict:
    n, points = len(query["moves"]), query["boardXSize"] * query["boardYSize"]
    assert query["overrideSettings"]["reportAnalysisWinratesAs"] == "SIDETOMOVE" and query["includePolicy"]
    policy, ownership = [0.0] * (points + 1), [0.0] * points
    policy[n % points], policy[-1], policy[(n + 1) % points], ownership[n % points] = 0.75, 0.25, -1, 1
    return {"id": query["id"], "isDuringSearch": False, "turnNumber": n,
            "rootInfo": {"winrate": n / 1000, "scoreLead": n / 10, "scoreStdev": 9.5, "visits": 1}, "policy": policy,
            **({"ownership": ownership} if query["includeOwnership"] else {})}


def write_fault(query: dict) -> None:
    good = answer(query)
    root, changes = good["rootInfo"], {
        "list": [], "stranger": {"id": "stranger"}, "error": {"error": "out of GPU memory"}, "no-root": {"rootInfo": 1},
        "refuse": {"error": "illegal move", "id": query["id"]}, "game-over": {"id": query["id"], "noResults": True}}
    if fault == "crash":
        sys.exit("out of memory")
    elif fault == "hang":
        time.sleep(600)
    elif fault == "close":
        os.close(1)
        time.sleep(600)
    elif fault == "bytes":
        os.write(1, b"\xff\xfe{}\n")
    elif fault in ("garbage", "empty"):
        write("cuda error" if fault == "garbage" else "")
    elif fault == "twice":
        write(json.dumps(good))
        write(json.dumps(good))
    elif fault in ("warn", "during-search"):
        write(json.dumps({"id": query["id"], "field": "rules", "warning": "odd"} if fault == "warn" else
                         good | {"isDuringSearch": True, "rootInfo": {}}))
        write(json.dumps(good))
    while fault == "endless":
        sys.stdout.write("x" * 100_000)
    if fault in changes:
        write(json.dumps(changes[fault] if fault in ("list", "stranger", "error", "refuse", "game-over") else
                         good | changes[fault]))
    elif "rate" in fault or "lead" in fault:
        root |= {"high-rate": {"winrate": 1.5}, "nan-rate": {"winrate": float("nan")}, "text-rate": {"winrate": "0.5"},
                 "no-lead": {"scoreLead": None}, "far-lead": {"scoreLead": 1e30}}[fault]
        write(json.dumps(good))
    elif "policy" in fault or "ownership" in fault:
        write(json.dumps(good | {
            "short-policy": {"policy": good["policy"][:-1]}, "null-policy": {"policy": [None] * len(good["policy"])},
            "loud-policy": {"policy": [1.0] * len(good["policy"])}, "no-ownership": {"ownership": None},
            "wild-ownership": {"ownership": [7.0] * (len(good["policy"]) - 1)}}[fault]))


answered = 0
if fault == "crash-at-start":
    sys.exit("no model file")
for line in sys.stdin:
    query = json.loads(line)
    if query.get("action") == "query_version" and fault != "no-version":
        write(json.dumps(query | {"version": "1.0-fake"}))
    elif query.get("action"):
        write(json.dumps(query | {"models": [{"name": "fake.bin.gz", "internalName": "fake-b1c1"}]}))
    elif happens(query):
        write_fault(query)
        answered += fault in ("twice", "warn", "during-search")
    else:
        write(json.dumps(answer(query)))
        answered += 1
