#!/usr/bin/env bash
# Gives `heed serve` MINUTES (default 30) of mixed load: requests of every kind by clients that keep their
# connection, pipeline, read slowly or leave before they have their answer, the attacks of
# serve_hostile.sh, and a model that is replaced every minute. Every answer is the one that heed translate
# gives, and the resident memory of the last third is at most MEMORY_PERCENT (default 2) above that of
# the first, after a tenth of the time to warm up.
#
# MODEL is the directory of a model; without it one of PRESET (default base) with random weights is made
# and converted to int8. LANGUAGES (zh-en), SOURCE and TARGET (text of these languages, line by line)
# belong to it; BOOK_LINES (default 24) of these lines are asked, at most REQUEST_LINES (4) at a time.
# Needs HEED_PROGRAM and python3. Works in the current directory. ./dev soak runs it.
set -euo pipefail
tools=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)/serve
export MODELS=${MODELS:-$PWD/models} SEED=${SEED:-1} MINUTES=${MINUTES:-30}
export MEMORY_PERCENT=${MEMORY_PERCENT:-2} BOOK_LINES=${BOOK_LINES:-24} REQUEST_LINES=${REQUEST_LINES:-4}
bash "$tools/make_models.sh" "$MODELS"
preset=${PRESET:-base}
[[ -n ${MODEL-} ]] || bash "$tools/make_random_model.sh" "$MODELS" "$preset"
export MODEL=${MODEL:-$MODELS/$preset} LANGUAGES=${LANGUAGES:-zh-en}
export SOURCE=${SOURCE:-$MODELS/text/test.zh} TARGET=${TARGET:-$MODELS/text/test.en}
rm -rf log served
exec python3 "$tools/mixed.py"
