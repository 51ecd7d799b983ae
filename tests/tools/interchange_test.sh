#!/usr/bin/env bash
# tools/soak/interchange.sh names what is missing, and fails if a tool translates differently. The
# tools are stand-ins: a Python that says which modules it has and prints a comparison's result.
set -euo pipefail
script=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../tools/soak" && pwd -P)/interchange.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir bin

stop() {
  echo "interchange_test: $*" >&2
  exit 1
}

cat >bin/heed <<'HEED'
#!/usr/bin/env bash
# What interchange.sh needs of the program: the text, and one line for each line.
case $1 in
  phrasebook) mkdir text && seq 1000 >text/test.zh ;;
  translate) cat ;;
esac
HEED
cat >bin/python <<'PYTHON'
#!/usr/bin/env bash
if [[ $1 == -c ]]; then
  [[ $2 != "import "* || " $MODULES " == *" ${2#import } "* ]] && exit 0
  exit 1
fi
exit "$COMPARISON" # interchange.py
PYTHON
chmod +x bin/heed bin/python
mkdir model

# run MODULES COMPARISON: in a new directory; sets status and printed.
run() {
  rm -rf work && mkdir work
  status=0
  printed=$(cd work && MODULES=$1 COMPARISON=$2 MODEL=../model HEED_PROGRAM=$scratch/bin/heed \
    HEED_PYTHON=$scratch/bin/python bash "$script" 2>&1) || status=$?
}

run "" 0
[[ $status == 0 && $(grep -c "left out" <<<"$printed") == 3 ]] || stop "nothing installed: status $status: $printed"
grep -q "no module torch" <<<"$printed" || stop "expected the missing module's name: $printed"

run "torch transformers sentencepiece" 0
[[ $status == 0 && $(grep -c "left out" <<<"$printed") == 2 ]] || stop "transformers alone: status $status: $printed"
grep -q "no module ctranslate2" <<<"$printed" || stop "expected ctranslate2 to be named: $printed"

run "torch transformers sentencepiece" 1
[[ $status == 1 ]] || stop "expected status 1 for a difference, got $status: $printed"
grep -q "failed: transformers$" <<<"$printed" || stop "expected what failed to be named: $printed"
