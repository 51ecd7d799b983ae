#!/usr/bin/env bash
# make_random_model.sh FOLDER PRESET: FOLDER/PRESET, a model of that preset in int8 whose weights are
# random. It costs what a trained one costs, but its translations say nothing and are as long as is
# allowed. Needs HEED_PROGRAM, and the text that make_models.sh leaves in FOLDER.
set -euo pipefail
heed=${HEED_PROGRAM:?the heed program}
folder=${1:?the folder of the models} preset=${2:?the preset}
[[ ! -e $folder/$preset/config.json ]] || exit 0
"$heed" train --source "$folder/text/train.zh" --target "$folder/text/train.en" --model "$folder/random" \
  --overwrite --preset "$preset" --vocabulary-size 1800 --batch-tokens 64 --steps 1 --quiet 2>/dev/null
"$heed" quantize --model "$folder/random" --output "$folder/$preset" --overwrite --quiet >/dev/null
rm -rf "$folder/random"
