#!/bin/sh
# The next policy-19, and with a teacher the next search-19, from archives to networks that play, in one go:
#
#     sh models/runs/policy-19.sh FOLDER ARCHIVE...
#
# Preprocess; learn moves, winners, leads and owners from the games; learn who plays; evaluate; play a match; write
# FOLDER/card.md.
# MODEL in the environment is the size, and sets the number of positions:
#
#     b6c96      20 million positions
#     b10c128    40 million positions
#     tiny       512, a rehearsal of minutes:    MODEL=tiny sh models/runs/policy-19.sh /tmp/run data
#
# With TEACHER, a command that speaks KataGo's analysis protocol, search-19 learns from what it says of LABELS positions:
#     TEACHER="katago analysis -config one.cfg -model net.bin.gz" sh models/runs/policy-19.sh ...
# What is done is not done again, so the script goes on where it was interrupted.
set -eu
[ $# -ge 2 ] || { sed -n '2,16s/^# \{0,1\}//p' "$0" >&2; exit 2; }
folder=$1
shift
batch=512 validating=8192 held_out=0.02 sample=40000 games=100 labels=${LABELS:-175000}
case ${MODEL:=b6c96} in
    b6c96) filters=96 positions=20000000 ;;
    b10c128) filters=128 positions=40000000 ;;
    tiny) MODEL=b6c96 filters=16 positions=512 batch=32 validating=64 held_out=0.1 sample=200 games=2
          labels=${LABELS:-64} ;;
    *) echo "MODEL=$MODEL: take b6c96, b10c128 or tiny" >&2; exit 2 ;;
esac
taught=$((2 * labels)) people=$((positions / 200 + 512))
mkdir -p "$folder"
step() { printf '\n== %s (%s)\n' "$1" "$(date +%T)"; }
save() { file=$1; shift; "$@" >"$file"; cat "$file"; }       # not `tee`: a failure would not end the script
# train RUN OPTION...: begin a run, or go on with it.
train() {
    run=$folder/$1
    shift
    step "train $run"
    if [ -e "$run/checkpoint.safetensors" ]; then
        mugo train "$folder/games" -o "$run" --resume
    else
        mugo train "$folder/games" -o "$run" --size 19 --batch-size "$batch" --validation-positions "$validating" "$@"
    fi
}

step preprocess
[ -e "$folder/games/meta.json" ] || mugo preprocess "$@" -o "$folder/games" --validation "$held_out" --test "$held_out"
train moves --model "$MODEL" --filters "$filters" --positions "$positions" --clip-norm 5 --endgame-fraction 0.12 \
    --value-weight 1 --ownership-weight 1
train policy-19 --init-from "$folder/moves" --metadata-encoder --freeze-network --people-dropout 0.1 \
    --positions "$people" --learning-rate 0.064 --decay-start 0.5
if [ -n "${TEACHER:-}" ]; then
    step "label $labels positions"
    mugo label "$folder/games" --engine "$TEACHER" -o teacher --ownership --positions "$labels" --resume
    mugo label "$folder/games" --network "$folder/moves" -o own --positions "$labels" --resume
    train search-19 --init-from "$folder/moves" --teacher teacher,own --teacher-weight 1 --positions "$taught" \
        --batch-size 128 --learning-rate 0.005 --decay-start 0.3 --value-weight 1 --ownership-weight 1
fi
step evaluate
save "$folder/accuracy.txt" mugo evaluate "$folder/policy-19" "$folder/games" --sample "$sample" --precision auto \
    -o "$folder/accuracy"
step "match against policy-19-small"
save "$folder/match.txt" mugo match "policy --network $folder/policy-19" "policy --network policy-19-small" --size 19 \
    --openings 2 --games "$games" -o "$folder/match"
{
    printf '# policy-19: %s, %s positions\n\n' "$MODEL" "$positions"
    for part in accuracy match; do printf '```text\n%s\n```\n\n' "$(head -n 5 "$folder/$part.txt")"; done
    printf 'Training of the moves ended with `%s`\n' "$(tail -n 1 "$folder/moves/metrics.jsonl")"
} >"$folder/card.md"
step "done: $folder/card.md"
