"""A GTP engine that plays what it was told, for tests of whatever drives engines.  Only the standard library.

    python fake_engine.py [OPTION=VALUE ...] MOVE ...

It answers genmove with one MOVE after the other, then with passes; every game begins with the first.  Some
moves are none: CRASH, HANG, GARBAGE, REFUSE, FLOOD, and SLEEP0.3, which takes so long for the next one.

    explain=TEXT   it knows mugo-explain          score=B+3    it knows final_score
    banner=TEXT    written before anything else   eol=crlf     ends lines as Windows does
    child=FILE     starts a process that does nothing, and writes its number to FILE
    heard=FILE     keeps the commands it gets there, after a line START
    refuse=NAME    answers this command with ?
"""
import subprocess
import sys
import time

options = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
script = [word for word in sys.argv[1:] if "=" not in word]
end = "\r\n" if options.get("eol") == "crlf" else "\n"
known = {"boardsize", "clear_board", "komi", "play", "genmove", "name", "version", "known_command", "quit",
         "time_settings", "time_left", "kgs-rules", "set_free_handicap"}
known |= {"mugo-explain"} if "explain" in options else set()
known |= {"final_score"} if "score" in options else set()
replies = {"name": "Fake", "version": "1", "mugo-explain": options.get("explain"), "final_score": options.get("score")}


def say(text: str) -> None:
    sys.stdout.write(text.replace("\n", end))
    sys.stdout.flush()


def move(moves) -> str | None:
    """The next move; None if there is to be no reply."""
    word = next(moves, "pass")
    if word.startswith("SLEEP"):
        time.sleep(float(word[5:]))
        return move(moves)
    if word == "CRASH":
        sys.exit("out of memory")
    if word == "HANG":
        time.sleep(60)
    if word == "GARBAGE":
        say("thinking about it\n")
        return None
    if word == "REFUSE":
        say("? no idea\n\n")
        return None
    while word == "FLOOD":
        say("no reply, for ever and ever\n" * 1000)
    return word


if "banner" in options:
    say(options["banner"] + "\n\n")
if "child" in options:
    child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"], stdout=subprocess.DEVNULL)
    with open(options["child"], "w") as file:
        file.write(str(child.pid))
if "heard" in options:
    with open(options["heard"], "a") as file:
        file.write("START\n")
moves = iter(script)
for line in sys.stdin:
    words = line.split()
    if "heard" in options:
        with open(options["heard"], "a") as file:
            file.write(line)
    if words[0] not in known or words[0] == options.get("refuse"):
        say("? unknown command\n\n")
        continue
    if words[0] == "clear_board":
        moves = iter(script)
    reply = replies.get(words[0], "")
    if words[0] == "known_command":
        reply = str(words[1] in known).lower()
    if words[0] == "genmove":
        reply = move(moves)
    if reply is not None:
        say(f"= {reply}\n\n")
    if words[0] == "quit":
        break
