#!/usr/bin/env bash
# COPIES damaged copies (default 2000) of each file of a model directory and of its checkpoint, read
# under ASan and UBSan: a clear error or a model that works; no crash, no hang, no memory beyond
# 64 MiB over what the intact file takes (tests/tools/damaged_files.cpp). Works in the current directory.
# HEED_DAMAGED_FILES names the program, ./dev soak takes that of build/asan.
set -euo pipefail
copies=${COPIES:-2000}
program=${HEED_DAMAGED_FILES:?the damaged_files program of a build with sanitizers}
# Freed memory that a sanitizer holds back is none that the reader takes.
export ASAN_OPTIONS=quarantine_size_mb=1:malloc_context_size=4:detect_leaks=0:abort_on_error=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

"$program" damaged "$copies" "${SEED:-1}"
echo "damaged_files: $copies copies of each file, an error or a model that works each time"
