#!/bin/sh
# From archives to a network that plays, on a GPU: install, preprocess, train a preset, evaluate, quantise, play a match,
# and write down what came of it: FOLDER/card.md.
#
#     sh benchmarks/gpu_road.sh FOLDER ARCHIVE...        with an NVIDIA GPU: about an hour
#     sh benchmarks/gpu_road.sh /tmp/road data           without one: the same with small numbers, a rehearsal of minutes
#
# MODEL, POSITIONS and GAMES in the environment change what is trained, on how many positions, and the games of the
# match.  What is done is not done again, so the script goes on where it was interrupted.
set -eu
[ $# -ge 2 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
folder=$1
shift
if nvidia-smi >/dev/null 2>&1; then
    extra=jax-cuda small= sample=20000 games=${GAMES:-100} model=${MODEL:-b10c128} positions=${POSITIONS:-40e6}
    split='--validation 0.02 --test 0.02'
else
    extra=jax sample=200 games=${GAMES:-2} model=${MODEL:-b6c96} positions=${POSITIONS:-512}
    small='--filters 16 --size 19 --batch-size 32 --validation-positions 64 --checkpoint-every 1'
    split='--validation 0.1 --test 0.1'
fi
export KERAS_BACKEND=jax
mkdir -p "$folder"
step() { printf '\n== %s (%s)\n' "$1" "$(date +%T)"; }
save() { file=$1; shift; "$@" >"$file"; cat "$file"; }       # not `tee`: a failure would not end the script

if ! command -v mugo >/dev/null; then
    step "install mugo-go[$extra]"
    [ -d "$folder/venv" ] || python3 -m venv "$folder/venv"
    . "$folder/venv/bin/activate"
    pip install --quiet -e "$(dirname "$0")/..[$extra]"
fi
step "machine"
save "$folder/machine.txt" mugo doctor --no-speed
step "preprocess"
# shellcheck disable=SC2086
[ -e "$folder/games/meta.json" ] || mugo preprocess "$@" -o "$folder/games" $split
step "train $model on $positions positions"
if [ -e "$folder/run/checkpoint.safetensors" ]; then
    mugo train "$folder/games" -o "$folder/run" --resume
else
    # shellcheck disable=SC2086
    mugo train "$folder/games" -o "$folder/run" --model "$model" --positions "$positions" --clip-norm 5 $small
fi
step "evaluate in float32 and int8"
save "$folder/accuracy.txt" mugo evaluate "$folder/run" "$folder/games" --sample "$sample" --precision float32,int8 \
    -o "$folder/accuracy"
step "match against policy-19-small"
save "$folder/match.txt" mugo match "policy --network $folder/run" "policy --network policy-19-small" --size 19 \
    --openings 2 --games "$games" -o "$folder/match"
{
    printf '# %s, %s positions\n\n' "$model" "$positions"
    printf '```text\n%s\n```\n\n' "$(head -n 5 "$folder/accuracy.txt")"
    for part in match machine; do printf '```text\n%s\n```\n\n' "$(cat "$folder/$part.txt")"; done
    [ ! -e "$folder/run/metrics.jsonl" ] || printf 'Training ended with `%s`\n' "$(tail -n 1 "$folder/run/metrics.jsonl")"
} >"$folder/card.md"
step "done: $folder/card.md"
