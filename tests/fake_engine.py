"""A GTP engine that plays the moves of its command line, for tests of GTP clients.  Standard library only.

    python fake_engine.py [OPTION=VALUE ...] MOVE ...

It answers genmove with one MOVE after the other, then with passes; a new game starts with the first again.  These
words are no moves but faults: CRASH, HANG, GARBAGE, REFUSE, FLOOD, ENDLESS, LINES; SLEEP0.3 delays the next move by
0.3 seconds.

    explain=TEXT   it has mugo-explain
    banner=TEXT    written at the start           eol=crlf     lines end with CR LF
    child=FILE     it starts a child process that sleeps, and writes its number to FILE
    log=FILE       it appends START and the commands that it gets to FILE
    refuse=NAME    it answers this command with ?
    know=A,B       it has these commands too
    errors=N       it writes N lines to stderr
"""
import subprocess
import sys
import time

options = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
script = [word for word in sys.argv[1:] if "=" not in word]
end = "\r\n" if options.get("eol") == "crlf" else "\n"
known = {"boardsize", "clear_board", "komi", "play", "genmove", "name", "version", "known_command", "quit",
         "time_settings", "time_left", "kgs-rules", "set_free_handicap"}
known |= set(options.get("know", "").split(","))
known |= {"mugo-explain"} if "explain" in options else set()
responses = {"name": "Fake", "version": "1", "mugo-explain": options.get("explain")}


def write(text: str) -> None:
    sys.stdout.write(text.replace("\n", end))
    sys.stdout.flush()


def move(moves) -> str | None:
    """The next move; None if there is no response."""
    word = next(moves, "pass")
    if word.startswith("SLEEP"):
        time.sleep(float(word[5:]))
        return move(moves)
    if word == "CRASH":
        sys.exit("out of memory")
    if word == "HANG":
        time.sleep(60)
    if word == "GARBAGE":
        write("thinking about it\n")
        return None
    if word == "REFUSE":
        write("? no idea\n\n")
        return None
    while word == "FLOOD":
        write("endless output\n" * 1000)
    if word in ("ENDLESS", "LINES"):
        write("= ")
    while word in ("ENDLESS", "LINES"):
        write("x" * 10_000 + "\n" * (word == "LINES"))
    return word


if "banner" in options:
    write(options["banner"] + "\n\n")
if "child" in options:
    child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"], stdout=subprocess.DEVNULL)
    with open(options["child"], "w") as file:
        file.write(str(child.pid))
if "log" in options:
    with open(options["log"], "a") as file:
        file.write("START\n")
sys.stderr.write("an error\n" * int(options.get("errors", 0)))
sys.stderr.flush()
moves = iter(script)
for line in sys.stdin:
    words = line.split()
    if "log" in options:
        with open(options["log"], "a") as file:
            file.write(line)
    if words[0] not in known or words[0] == options.get("refuse"):
        write("? unknown command\n\n")
        continue
    if words[0] == "clear_board":
        moves = iter(script)
    response = responses.get(words[0], "")
    if words[0] == "known_command":
        response = str(words[1] in known).lower()
    if words[0] == "genmove":
        response = move(moves)
    if response is not None:
        write(f"= {response}\n\n")
    if words[0] == "quit":
        break
