#!/usr/bin/env bash
# tools/soak/recorded_bytes.sh refuses a folder that is not empty, and leaves its files alone.
set -euo pipefail
script=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../tools/soak" && pwd -P)/recorded_bytes.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/models"
echo mine >"$scratch/models/file"

status=0
printed=$(cd "$scratch" && HEED_PROGRAM=true bash "$script" 2>&1) || status=$?
[[ $status -eq 2 && $printed == "recorded_bytes: "*"not empty"* && $(wc -l <<<"$printed") -eq 1 ]] ||
  { echo "expected one line and status 2, got status $status: $printed" >&2 && exit 1; }
[[ $(<"$scratch/models/file") == mine ]] || { echo "the folder's files have changed" >&2 && exit 1; }
