#!/usr/bin/env bash
# Asks `heed serve` for ANSWERS answers (default 10,000) with eight clients at once: some keep their
# connection, some pipeline, some connect for each request, some send and read slowly; with and without
# gzip, whole and as event streams; beams, samples, prefixes, alternatives, alignments, scores. Every
# answer must have the bytes that heed translate gives for its lines (of a score: the number of heed score).
# Needs HEED_PROGRAM and python3. Works in the current directory. MODELS names the folder of models
# that tools/soak/serve/make_models.sh makes. ./dev soak runs it.
set -euo pipefail
tools=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)/serve
export MODELS=${MODELS:-$PWD/models} ANSWERS=${ANSWERS:-10000} SEED=${SEED:-1}
bash "$tools/make_models.sh" "$MODELS"
rm -f log
exec python3 "$tools/answers.py"
