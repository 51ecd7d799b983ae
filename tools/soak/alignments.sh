#!/usr/bin/env bash
# Word alignments against the true ones of the phrasebook: trains a model of each depth in DEPTHS
# (default "2 3 6" decoder layers) and prints how many nouns of the test text are aligned with the
# right characters; fails below LEAST percent (default 95). Each target word of a noun counts, in
# lines that the model translates as the reference, which is forced on it as a prefix.
# Trains in pieces of STEPS steps (default 300): a run that was stopped continues where it was.
# WHICH=short trains one smaller model, in seconds. Needs HEED_PROGRAM. ./dev soak runs it.
set -euo pipefail
heed=${HEED_PROGRAM:?the heed program}
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
lexicon=$here/../../src/heed/phrasebook/lexicon.cpp
depths=${DEPTHS:-2 3 6} steps=1200 piece=${STEPS:-300} least=${LEAST:-95}
recipe=(--preset tiny --vocabulary-size 2000 --batch-tokens 1024 --warmup-steps 400 --dropout 0)
pairs=20000
if [[ ${WHICH:-all} == short ]]; then
  depths=2 steps=500 piece=500 least=${LEAST:-90} pairs=8000
  recipe+=(--d-model 64 --d-ff 256 --warmup-steps 150 --learning-rate 0.006)
fi

"$heed" phrasebook --output text --pairs "$pairs" --alignments --overwrite --quiet
for depth in $depths; do
  model=model$depth
  for ((step = piece; step < steps + piece; step += piece)); do
    resume=()
    [[ ! -e $model/training/state.safetensors ]] || resume=(--resume)
    "$heed" train --source text/train.zh --target text/train.en --model "$model" "${recipe[@]}" \
      --decoder-layers "$depth" --steps "$((step < steps ? step : steps))" --quiet "${resume[@]}"
  done
  "$heed" translate --model "$model" --input text/test.zh --target-prefix text/test.en --beam 1 \
    --format jsonl --alignments words --output "aligned$depth" --quiet
  python3 "$here/align/nouns.py" "$lexicon" text/test "aligned$depth" "$model" "$least"
done
