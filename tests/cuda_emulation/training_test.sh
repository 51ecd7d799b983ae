#!/usr/bin/env bash
# The whole program on the emulated GPU: a training gives the same bytes again, resumed too, about the
# CPU's losses, and a model that translates as on the CPU.
# Usage: training_test.sh HEED_ON_EMULATION FOLDER
set -euo pipefail
heed=$1
rm -rf "$2"
mkdir -p "$2"
cd "$2"

"$heed" phrasebook --pairs 400 --valid-pairs 4 --test-pairs 4 --output text --quiet
head -n 60 text/train.zh >train.zh
head -n 60 text/train.en >train.en
train() { # model, device, options
  local model=$1 device=$2
  shift 2
  "$heed" train --source train.zh --target train.en --valid-source text/test.zh --valid-target text/test.en \
    --preset tiny --d-model 16 --d-ff 24 --heads 2 --encoder-layers 1 --decoder-layers 1 --vocabulary-size 360 \
    --batch-tokens 100 --warmup-steps 4 --report-every 1 --save-minutes 0 --compute bf16 --threads 1 --shards 1 \
    --device "$device" --model "$model" --quiet "$@" 2>>log || { tail -n 3 log; exit 1; }
}
train whole cuda --steps 6
train resumed cuda --steps 3
train resumed cuda --steps 6 --resume
train cpu cpu --steps 6

for name in model.safetensors config.json; do
  cmp "whole/$name" "resumed/$name"
done

# Relative differences of the losses of each step.
losses() { grep '"kind":"train"' "$1/metrics.jsonl" | grep -o '"loss":[0-9.]*' | cut -d: -f2; }
[[ $(losses whole | wc -l) -eq 6 ]]
paste <(losses whole) <(losses cpu) | awk '
  { difference = ($1 - $2) / $2; if (difference > 0.002 || difference < -0.002) { print "losses differ:", $0; bad = 1 } }
  END { exit bad }'

for beam in 1 3; do
  for device in cpu cuda; do
    "$heed" translate --model whole --device $device --compute bf16 --beam $beam --max-length 8 --quiet \
      <text/test.zh >$device.$beam 2>/dev/null
  done
  cmp cpu.$beam cuda.$beam
done
[[ $(wc -l <cuda.3) -eq 4 ]]
