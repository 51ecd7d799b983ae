#!/usr/bin/env bash
# Asks `heed serve` ten times as much as it can answer for OVERLOAD_SECONDS (default 120; SECONDS is bash's
# own). First its capacity is measured for half that time: CLIENTS clients (default 256) that ask again
# when they have their answer. Then requests come at fixed times, ten times as many. The server must go
# on answering as many as it can (its capacity less GOODPUT_PERCENT, default 5) and refuse the others
# with 429 and Retry-After; nothing else may happen, each answer is the one that heed translate gives,
# and the resident memory of the last third is at most MEMORY_PERCENT (default 2) above that of the
# first. The server has one thread on one processor, the clients have the others.
# All requests are of beam 4, with an extra_length of 5.
#
# MODEL is the directory of a model; without it one of PRESET (default base) with random weights is made
# and converted to int8. LANGUAGES (zh-en), SOURCE and TARGET (text of these languages, line by line) belong
# to it. A request has REQUEST_LINES lines (default 1): more for a small model, which answers more
# requests a second than a client in Python can ask ten times. BOOK_LINES are the different lines (64).
# Needs HEED_PROGRAM, python3 and taskset. Works in the current directory. ./dev soak runs it.
set -euo pipefail
tools=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)/serve
export MODELS=${MODELS:-$PWD/models} SEED=${SEED:-1}
export OVERLOAD_SECONDS=${OVERLOAD_SECONDS:-120} CLIENTS=${CLIENTS:-256} REQUEST_LINES=${REQUEST_LINES:-1}
export GOODPUT_PERCENT=${GOODPUT_PERCENT:-5} MEMORY_PERCENT=${MEMORY_PERCENT:-2} BOOK_LINES=${BOOK_LINES:-64}
bash "$tools/make_models.sh" "$MODELS"
preset=${PRESET:-base}
[[ -n ${MODEL-} ]] || bash "$tools/make_random_model.sh" "$MODELS" "$preset"
export MODEL=${MODEL:-$MODELS/$preset} LANGUAGES=${LANGUAGES:-zh-en}
export SOURCE=${SOURCE:-$MODELS/text/test.zh} TARGET=${TARGET:-$MODELS/text/test.en}
rm -f log
ulimit -n "$(ulimit -H -n)"
exec python3 "$tools/overload.py"
