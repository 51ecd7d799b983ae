#!/usr/bin/env bash
# Attacks `heed serve` on CONNECTIONS connections (default 100,000): headers and bodies that arrive
# slowly or never end, half-open and half-closed connections, huge headers and bodies, damaged chunks
# and requests, invalid UTF-8, deep JSON, absurd options, small requests with huge answers, clients that
# leave within an answer or read none of it; slow ones hold a connection for up to HOLD seconds (default
# 35; the server waits 10 s for headers and 30 s for a body). Then more connections than the server
# takes. Meanwhile two polite clients must get every answer, equal to what heed translate gives. No
# damaged request may be answered as if it were good, and no answer may break HTTP. Afterwards the
# server must hold nothing of its clients, and its resident memory may at no time be more than MORE_MIB
# (default 256) above that of the start, nor more than the bound that it says at its start.
# Needs HEED_PROGRAM and python3. Works in the current directory. MODELS names the folder of models
# that tools/soak/serve/make_models.sh makes. ./dev soak runs it.
set -euo pipefail
tools=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)/serve
export MODELS=${MODELS:-$PWD/models} CONNECTIONS=${CONNECTIONS:-100000} HOLD=${HOLD:-35}
export MORE_MIB=${MORE_MIB:-256} SEED=${SEED:-1}
bash "$tools/make_models.sh" "$MODELS"
rm -f log
# A file descriptor for each connection of the crowds.
ulimit -n "$(ulimit -H -n)"
exec python3 "$tools/hostile.py"
