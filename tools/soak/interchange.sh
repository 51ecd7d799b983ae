#!/usr/bin/env bash
# Opens a model directory of heed's by the commands of docs/interchange.md, in transformers, CTranslate2
# and ONNX Runtime, and compares greedy translations of LINES_TO_TRANSLATE lines (default 100) with
# heed's: status 1 if one differs. What is not installed is left out, and named. Needs HEED_PROGRAM, and
# an empty current directory; a model of STEPS steps (default 1500) is trained there, or MODEL is one of
# the phrasebook's. HEED_PYTHON (default python3) is the Python of transformers and CTranslate2,
# ONNX_PYTHON (default HEED_PYTHON) that of optimum-onnx, which needs an older transformers.
# ./dev soak runs it.
set -euo pipefail
heed=${HEED_PROGRAM:?the heed program}
python=${HEED_PYTHON:-python3}
onnx_python=${ONNX_PYTHON:-$python}
compare=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)/interchange.py
if [[ -n $(ls -A) ]]; then
  echo "interchange: $PWD is not empty: run it in an empty directory, since it writes text/, zh-en/ and conversions there" >&2
  exit 2
fi

# has PYTHON MODULE...: says which is missing.
has() {
  local python=$1 module
  for module in "${@:2}"; do
    "$python" -c "import $module" 2>/dev/null || {
      echo "interchange: left out, since $python has no module $module (docs/interchange.md)"
      return 1
    }
  done
}

# beside PYTHON COMMAND: a command that pip installed with this Python's packages.
beside() { "$1" -c 'import sys, sysconfig; print(sysconfig.get_path("scripts") + "/" + sys.argv[1])' "$2"; }

# The converter writes one vocabulary where the model has two: the source's.
name_target_pieces() {
  mv zh-en-ct2/shared_vocabulary.json zh-en-ct2/source_vocabulary.json
  "$python" -c 'import json; ids = json.load(open("zh-en/target_vocab.json")); print(json.dumps(sorted(ids, key=ids.get)))' \
    >zh-en-ct2/target_vocabulary.json
}

"$heed" phrasebook --output text --quiet
if [[ -n ${MODEL-} ]]; then
  cp -r "$MODEL" zh-en
else
  "$heed" train --source text/train.zh --target text/train.en --model zh-en --preset tiny \
    --vocabulary-size 2000 --batch-tokens 1024 --warmup-steps 400 --dropout 0 \
    --steps "${STEPS:-1500}" --quiet
fi
head -n "${LINES_TO_TRANSLATE:-100}" text/test.zh >lines.zh
"$heed" translate --model zh-en --beam 1 --compute fp32 --quiet <lines.zh >lines.heed

failed=()
# compared TOOL PYTHON: translates by interchange.py.
compared() { "$2" "$compare" "$1" lines.zh lines.heed || failed+=("$1"); }

echo "interchange: transformers"
if has "$python" torch transformers sentencepiece; then compared transformers "$python"; fi

echo "interchange: CTranslate2"
if has "$python" torch transformers sentencepiece ctranslate2; then
  if "$(beside "$python" ct2-transformers-converter)" --model zh-en --output_dir zh-en-ct2 \
    --copy_files source.spm target.spm >ct2.log 2>&1; then
    if [[ -e zh-en/target_vocab.json ]]; then name_target_pieces; fi
    compared ctranslate2 "$python"
  else
    tail -n 5 ct2.log >&2
    failed+=(ctranslate2)
  fi
fi

echo "interchange: ONNX"
if has "$onnx_python" torch transformers sentencepiece optimum.onnxruntime; then
  if "$(beside "$onnx_python" optimum-cli)" export onnx --model zh-en \
    --task text2text-generation-with-past zh-en-onnx >onnx.log 2>&1; then
    compared onnx "$onnx_python"
  else
    tail -n 5 onnx.log >&2
    failed+=(onnx)
  fi
fi

if ((${#failed[@]} > 0)); then
  echo "interchange: failed: ${failed[*]}" >&2
  exit 1
fi
