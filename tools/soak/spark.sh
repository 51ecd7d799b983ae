#!/usr/bin/env bash
# Translates ROWS rows (default 200000) with beam BEAM (4) by heed.spark, on EXECUTORS (2) processes of
# one thread, of which one is killed with SIGKILL after a third of the tasks and a Python process
# of Spark after two thirds: row for row and byte for byte, the result must be that of one process. First it
# compares the speed, without start-up and kills, with that of one process of as many threads: ROUNDS (3)
# times ROUND_ROWS (200000) rows by each in turn; Spark may take at most SLOWER_PERCENT (15) longer.
#
# HEED_MODEL is the directory of a model and SOURCE text for it, line by line, repeated as needed; without
# them a small model is trained on the phrasebook. PYTHON is a Python with heed, pyspark, pandas and
# pyarrow. Needs HEED_PROGRAM and Java 17; works in the current directory. ./dev soak runs it.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
heed=${HEED_PROGRAM:?the heed program}
python=${PYTHON:-$here/../../build/python/venv/bin/python}

stop() {
  echo "spark: $*" >&2
  exit 1
}

[[ -x $(command -v "$python") ]] || stop "there is no $python: ./dev python makes it, PYTHON names another"
[[ -n ${JAVA_HOME-} ]] || command -v java >/dev/null || stop "Java is missing: apt-get install openjdk-17-jre-headless"
for package in heed pyspark pandas pyarrow; do
  "$python" -c "import $package" 2>error || {
    tail -n 1 error >&2
    stop "$python cannot import $package: $python -m pip install pyspark pandas pyarrow; ./dev python installs heed"
  }
done

export SOURCE=${SOURCE:-text/train.zh} HEED_MODEL=${HEED_MODEL:-model}
if [[ $SOURCE == text/train.zh ]]; then
  "$heed" phrasebook --pairs "${ROWS:-200000}" --seed 3 --output text --overwrite --quiet
fi
if [[ $HEED_MODEL == model && ! -e model/model.safetensors ]]; then
  "$heed" train --source text/train.zh --target text/train.en --model model --preset small \
    --vocabulary-size 1500 --batch-tokens 1024 --warmup-steps 100 --steps "${STEPS:-300}" --no-inspect --quiet
fi
rm -rf cluster result one.txt spark.txt error
# pyspark warns of each pandas that is newer than itself.
export PYTHONWARNINGS=ignore::FutureWarning
exec "$python" "$here/spark/compare.py"
