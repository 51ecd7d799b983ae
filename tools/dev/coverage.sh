# Sourced by ./dev. Which lines the tests run, counted by clang's instrumentation.

# Lines of src/ that must be covered, in a hundred. apps/ is left out.
coverage_least=90

coverage() {
  need build test coverage
  configure coverage
  compile coverage
  local build=$root/build/coverage
  rm -rf "$build/profiles"
  say "tests, with what they run counted"
  # %m: one file for each program, merged as its processes end. What builds or kills is left out.
  (cd "$root" && LLVM_PROFILE_FILE="$build/profiles/%m.profraw" \
    ctest --preset coverage --parallel "${CTEST_PARALLEL_LEVEL:-$(nproc)}" >>"$log" 2>&1) ||
    stop "the tests failed (the whole log: $log)"
  llvm-profdata merge -sparse "$build"/profiles/*.profraw -o "$build/tests.profdata"
  local program objects=("$build/heed")
  for program in "$build"/tests/*_tests; do objects+=(-object "$program"); done
  llvm-cov report "${objects[@]}" -instr-profile "$build/tests.profdata" "$root/src/heed" \
    2>>"$log" >"$build/coverage.txt"
  coverage_table "$coverage_least" <"$build/coverage.txt" ||
    stop "the tests cover less than $coverage_least % of the lines outside apps/ (by file: build/coverage/coverage.txt)"
}

# coverage_table LEAST: a report of llvm-cov, whose files have their lines in column 8 and those that
# never ran in column 9, summed by folder. Fails where all together are below LEAST in a hundred.
coverage_table() {
  awk -v least="$1" '
    NF == 13 && $1 ~ /\.(h|cpp)$/ {
      folder = $1
      if (!sub(/\/.*/, "", folder)) folder = "."
      if (!(folder in lines)) order[++folders] = folder
      lines[folder] += $8; missed[folder] += $9
      all += $8; all_missed += $9
    }
    function row(name, lines, missed) {
      printf "%-12s %7d lines %7d never run %6.1f %%\n", name, lines, missed, 100 * (1 - missed / lines)
    }
    END {
      for (i = 1; i <= folders; i++) row(order[i], lines[order[i]], missed[order[i]])
      if (all == 0) { print "no file was measured"; exit 1 }
      row("all", all, all_missed)
      exit 100 * (1 - all_missed / all) < least
    }'
}
