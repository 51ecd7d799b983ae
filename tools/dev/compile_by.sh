#!/bin/sh
# compile_by.sh COMPILER OTHER COMMAND...: runs the command with OTHER in the place of COMPILER. CMake knows
# one C++ compiler; this is a launcher (CXX_COMPILER_LAUNCHER) for the targets that another one compiles.
compiler=$1 other=$2
shift 2
for word; do
  shift
  if [ "$word" = "$compiler" ]; then word=$other; fi
  set -- "$@" "$word"
done
exec "$@"
