#!/usr/bin/env bash
# Kills a short training with SIGKILL at random moments and resumes it, KILLS times (default 20), each
# with another number of threads: the model must come out byte for byte the same each time. Every other
# run is of a modern recipe, whose state holds more: AdamW, a cosine, a moving average.
# STEPS is its length (default 90), COMPUTE the compute type (default auto). Needs HEED_PROGRAM; works in
# the current directory. ./dev soak runs it.
set -euo pipefail
kills=${KILLS:-20}
compute=${COMPUTE:-auto}
heed=${HEED_PROGRAM:?the heed program}
RANDOM=${SEED:-1}

"$heed" phrasebook --pairs 4000 --seed 1 --output text --overwrite --quiet
# Not a function: a kill must hit the program itself, not a shell around it.
options=(train --source text/train.zh --target text/train.en --valid-source text/test.zh
  --valid-target text/test.en --preset tiny --vocabulary-size 1500 --batch-tokens 512 --warmup-steps 20
  --steps "${STEPS:-90}" --validate-every 15 --save-minutes 0 --average last:3 --compute "$compute" --quiet)

paper=()
modern=(--optimizer adamw --weight-decay 0.1 --ema 0.95 --schedule cosine --learning-rate 1e-3)

rm -rf paper modern killed-*
start=$(date +%s%N)
"$heed" "${options[@]}" --model paper --threads 2
milliseconds=$((($(date +%s%N) - start) / 1000000))
"$heed" "${options[@]}" "${modern[@]}" --model modern --threads 2

survived=0
for ((i = 1; i <= kills; i++)); do
  model=killed-$i
  recipe=$( ((i % 2)) && echo modern || echo paper)
  declare -n more=$recipe
  moments=()
  for attempt in 1 2; do # two kills in each run: the second may hit what the first left behind
    delay=$((RANDOM * milliseconds / 32768))
    "$heed" "${options[@]}" "${more[@]}" --model "$model" --resume --threads $((attempt % 2 + 1)) 2>/dev/null &
    child=$!
    sleep "$(printf '%d.%03d' $((delay / 1000)) $((delay % 1000)))"
    kill -KILL "$child" 2>/dev/null && moments+=("${delay}ms") || true
    wait "$child" 2>/dev/null || true
  done
  "$heed" "${options[@]}" "${more[@]}" --model "$model" --resume --threads $((i % 2 + 1))
  cmp "$recipe/model.safetensors" "$model/model.safetensors" || {
    echo "kill_and_resume: $model differs after kills at ${moments[*]}" >&2
    exit 1
  }
  survived=$((survived + ${#moments[@]}))
  rm -rf "$model"
done
echo "kill_and_resume: $kills runs killed $survived times, all models byte-identical"
