#!/usr/bin/env bash
# Kills `heed serve` by SIGKILL KILLS times (default 200) at random moments, while eight clients ask; half
# of them read answers of about a megabyte slowly, whole and as event streams, with and without gzip. A
# client that knows HTTP must either have the whole answer, equal to what heed translate gives, or see
# that it has not: the connection ended before Content-Length bytes, before the last chunk, or before
# the first byte. An answer that it would take for whole, and that is not, fails the script.
# Needs HEED_PROGRAM and python3. Works in the current directory. MODELS names the folder of models
# that tools/soak/serve/make_models.sh makes. ./dev soak runs it.
set -euo pipefail
tools=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)/serve
export MODELS=${MODELS:-$PWD/models} KILLS=${KILLS:-200} SEED=${SEED:-1}
bash "$tools/make_models.sh" "$MODELS"
rm -f log
exec python3 "$tools/kills.py"
