#!/usr/bin/env bash
# Replaces the model that `heed serve` serves SWAPS times (default 500) while six clients ask: files are
# renamed into place with config.json last, and the server is told by SIGHUP or finds out. Some
# replacements come one right after another, or are announced too early; every tenth time the new
# model is damaged, and the old one must serve on. Every answer must be whole, and equal to what heed
# translate gives with one of the two models for all of its lines.
# Needs HEED_PROGRAM and python3. Works in the current directory. MODELS names the folder of models
# that tools/soak/serve/make_models.sh makes. ./dev soak runs it.
set -euo pipefail
tools=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)/serve
export MODELS=${MODELS:-$PWD/models} SWAPS=${SWAPS:-500} SEED=${SEED:-1}
bash "$tools/make_models.sh" "$MODELS"
rm -rf log served
exec python3 "$tools/swaps.py"
