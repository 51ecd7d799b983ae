#!/usr/bin/env bash
# Translates LINES lines (default 1000) with batches of 7, 300 and 20,000 tokens, in reversed order,
# and with 1 and 2 threads, in each compute type; and in fp32 so too with samples, prefixes, diverse
# groups and alignments: every way must give the same bytes. WAYS=6: in order by 1 thread and reversed
# by 2 alone. Needs HEED_PROGRAM; MODEL names a model to use, else a small one is trained on the
# phrasebook. ./dev soak runs it.
set -euo pipefail
lines=${LINES_TO_TRANSLATE:-1000}
heed=${HEED_PROGRAM:?the heed program}
model=${MODEL:-model}
ways=${WAYS:-12}

"$heed" phrasebook --pairs 6000 --seed 3 --output text --overwrite --quiet
if [[ ! -e $model/model.safetensors ]]; then
  "$heed" train --source text/train.zh --target text/train.en --model "$model" --preset tiny \
    --vocabulary-size 1500 --batch-tokens 1024 --warmup-steps 100 --steps 200 --quiet
fi
head -n "$lines" < <(cat text/test.zh text/train.zh) >source
[[ $(wc -l <source) -eq $lines ]] || { echo "translate_alike: too few lines" >&2; exit 1; }
tac source >reversed

# Every second line has a prefix: the beginning of some target, cut anywhere.
head -n "$lines" < <(cat text/test.en text/train.en) |
  awk '{ print NR % 2 ? "" : substr($0, 1, NR % 13) }' >prefixes
tac prefixes >reversed_prefixes

# alike [prefixes] OPTION...: batches, orders and threads give the same bytes.
alike() {
  local forward=(--input source) backward=(--input reversed)
  if [[ $1 == prefixes ]]; then
    forward+=(--target-prefix prefixes) backward+=(--target-prefix reversed_prefixes)
    shift
  fi
  local translate=("$heed" translate --model "$model" --format jsonl --quiet "$@")
  "${translate[@]}" "${forward[@]}" --output expected
  for batch in 7 300 20000; do
    for threads in 1 2; do
      if ((threads == 1 || ways == 12)); then
        "${translate[@]}" "${forward[@]}" --output got --batch-tokens "$batch" --threads "$threads"
        cmp expected got
      fi
      if ((threads == 2 || ways == 12)); then
        "${translate[@]}" "${backward[@]}" --output got --batch-tokens "$batch" --threads "$threads"
        tac got | cmp expected -
      fi
    done
  done
}

for compute in fp32 bf16 int8; do
  alike --compute "$compute"
done
alike prefixes --sample --nbest 3 --alignments weights
alike prefixes --beam-groups 2 --nbest 3 --no-repeat-ngram-size 2 --compute int8
echo "translate_alike: $lines lines, $ways ways in each of 3 compute types and with samples and prefixes, the same bytes"
