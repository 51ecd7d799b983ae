#!/usr/bin/env bash
# Asks `heed serve` for STREAMS streams (default 10,000) of /v1/translate with eight clients at once: texts of
# several sentences and lines, lines so long that they are translated in parts, odd characters, forced
# prefixes, samples, n-best lists, beams, temperatures; by a model of whole characters and one of bytes.
# A client that appends the `delta` and the `piece` of each `token` event must have the translation and
# the pieces of every sentence when it comes, and the text of the whole answer at the end; each event
# comes in its place, and every fourth answer is the one that the same request gets without a stream.
# Needs HEED_PROGRAM and python3. Works in the current directory. MODELS names the folder of models
# that tools/soak/serve/make_models.sh makes. ./dev soak runs it.
set -euo pipefail
tools=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)/serve
export MODELS=${MODELS:-$PWD/models} STREAMS=${STREAMS:-10000} SEED=${SEED:-1}
bash "$tools/make_models.sh" "$MODELS"
rm -rf log bytes
# Most Chinese characters are bytes, and it has learned little: samples have characters that do not end.
"$HEED_PROGRAM" train --source "$MODELS/text/test.en" --target "$MODELS/text/test.zh" --model bytes --preset tiny \
  --d-model 16 --d-ff 32 --heads 2 --max-sentence-tokens 40 --vocabulary-size 900 --byte-fallback \
  --character-coverage 0.98 --batch-tokens 256 --warmup-steps 40 --steps 120 --no-inspect --quiet
exec python3 "$tools/streams.py"
