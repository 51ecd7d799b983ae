#!/usr/bin/env bash
# Trains a language model with GPT-2's variants, and compares it with what transformers computes of its
# directory (tools/check_language_model.py); then the small published GPT-2 of the tests. Needs
# HEED_PROGRAM and an empty current directory. HEED_PYTHON (default python3) is a Python with transformers,
# torch and tokenizers; without them nothing is compared, which is said. ./dev soak runs it.
set -euo pipefail
heed=${HEED_PROGRAM:?the heed program}
python=${HEED_PYTHON:-python3}
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)

for module in torch transformers tokenizers; do
  "$python" -c "import $module" 2>/dev/null || {
    echo "language_model_interchange: left out, since $python has no module $module (docs/gpt2_layout.md)"
    exit 0
  }
done

"$heed" phrasebook --output text --quiet
"$heed" train --task language-model --text text/train.en --hold-out 300 --model english --preset tiny \
  --vocabulary-size 600 --schedule cosine --learning-rate 0.003 --warmup-steps 50 --steps "${STEPS:-300}" \
  --norm pre --positions learned --activation gelu-tanh --quiet
check=$root/tools/check_language_model.py
"$python" "$check" english --text english/held_out.text --heed "$heed"
"$python" "$check" "$root/tests/decode/data/gpt2" --text english/held_out.text --lines 20 --new-tokens 8 \
  --heed "$heed"
