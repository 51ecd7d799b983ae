#!/usr/bin/env bash
# Translates LINES lines (default 1,000,000) by Model.translate_iter of the Python package, and says
# what memory the process had after each tenth. Fails if the last three tenths had more than 2 % and
# 2 MiB above the first three, or if a line is lost. The model is a tiny one, trained here.
# Needs HEED_PROGRAM and a python3 that finds the package (./dev python makes build/python/venv; PYTHON
# names another). Works in the current directory. ./dev soak runs it.
set -euo pipefail
tools=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
python=${PYTHON:-$tools/../../build/python/venv/bin/python}
if ! "$python" -c 'import heed' 2>/dev/null; then
  echo "python_memory: $python does not find the package: ./dev python builds it" >&2
  exit 2
fi
[[ -d corpus ]] || "${HEED_PROGRAM:-heed}" phrasebook --output corpus >/dev/null
exec "$python" "$tools/python/memory.py" "${LINES:-1000000}"
