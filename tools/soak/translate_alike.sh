#!/usr/bin/env bash
# Translates LINES lines (default 1000) with batches of 7, 300 and 20,000 tokens, in reversed order,
# and with 1 and 2 threads: every way must give the same bytes. Needs HEED_PROGRAM; MODEL names a
# model to use, else a small one is trained on the phrasebook. ./dev soak runs it.
set -euo pipefail
lines=${LINES_TO_TRANSLATE:-1000}
heed=${HEED_PROGRAM:?the heed program}
model=${MODEL:-model}

"$heed" phrasebook --pairs 6000 --seed 3 --output text --overwrite --quiet
if [[ ! -e $model/model.safetensors ]]; then
  "$heed" train --source text/train.zh --target text/train.en --model "$model" --preset tiny \
    --vocabulary 1500 --batch-tokens 1024 --warmup 100 --steps 200 --quiet
fi
head -n "$lines" < <(cat text/test.zh text/train.zh) >source
[[ $(wc -l <source) -eq $lines ]] || { echo "translate_alike: too few lines" >&2; exit 1; }
tac source >reversed

"$heed" translate --model "$model" --input source --output expected --format jsonl --quiet
for batch in 7 300 20000; do
  for threads in 1 2; do
    "$heed" translate --model "$model" --input source --output got --format jsonl --quiet \
      --batch-tokens "$batch" --threads "$threads"
    cmp expected got
    "$heed" translate --model "$model" --input reversed --output got --format jsonl --quiet \
      --batch-tokens "$batch" --threads "$threads"
    tac got | cmp expected -
  done
done
echo "translate_alike: $lines lines, 12 ways, the same bytes"
