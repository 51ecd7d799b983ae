#!/usr/bin/env bash
# make_models.sh FOLDER: the phrasebook's text and two small models, FOLDER/one and FOLDER/two, of
# different seeds: they translate the sentences, badly, and hardly any sentence alike. A few seconds.
# Needs HEED_PROGRAM. A folder that has them is left as it is.
set -euo pipefail
heed=${HEED_PROGRAM:?the heed program}
folder=${1:?the folder of the models}
[[ ! -e $folder/complete ]] || exit 0

mkdir -p "$folder"
"$heed" phrasebook --pairs 4000 --seed 1 --output "$folder/text" --overwrite --quiet
for seed in 1 2; do
  "$heed" train --source "$folder/text/train.zh" --target "$folder/text/train.en" \
    --model "$folder/$([[ $seed == 1 ]] && echo one || echo two)" --overwrite --preset tiny \
    --d-model 32 --d-ff 64 --heads 4 --vocabulary-size 1500 --batch-tokens 256 --warmup-steps 200 \
    --steps 600 --dropout 0 --label-smoothing 0 --seed "$seed" --quiet
done
: >"$folder/complete"
