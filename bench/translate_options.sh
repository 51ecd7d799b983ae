#!/usr/bin/env bash
# Prints the user seconds of heed translate on one thread under its options.
# Usage: bench/translate_options.sh HEED MODEL TEXT
set -euo pipefail
heed=${1:?the heed program} model=${2:?a model directory} text=${3:?a text to translate}
TIMEFORMAT=%U
while read -r options; do
  # shellcheck disable=SC2086
  seconds=$({ time "$heed" translate --model "$model" --input "$text" --threads 1 --quiet \
    $options >/dev/null 2>&1; } 2>&1)
  echo "$seconds $options"
done <<'END'
--beam 1
--beam 1 --alignments words --format jsonl
--sample
--sample --top-k 20
--sample --top-p 0.9
--beam 4
--beam 4 --no-repeat-ngram-size 2
--beam 4 --beam-groups 4
--beam 4 --alignments words --format jsonl
END
