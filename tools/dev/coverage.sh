# Sourced by ./dev. Which lines the tests run, counted by GCC. (Clang 14 fails to count some generic
# code: "File exit not handled before popRegions".)

# Lines of src/ that must be covered, in a hundred. apps/ is left out.
coverage_least=90

coverage() {
  need build test coverage
  configure coverage
  compile coverage
  local build=$root/build/coverage
  find "$build" -name '*.gcda' -delete
  say "tests, with what they run counted"
  # What builds, kills, or may not write its counts is left out.
  (cd "$root" && ctest --preset coverage --parallel "${CTEST_PARALLEL_LEVEL:-$(nproc)}" \
    >>"$log" 2>&1) || stop "the tests failed (the whole log: $log)"
  gcovr --root "$root/src/heed" --object-directory "$build" -j "$(jobs_allowed)" \
    --csv "$build/coverage.csv" "$build/src" "$build/tests" >>"$log" 2>&1 ||
    stop "gcovr failed (the whole log: $log)"
  coverage_table "$coverage_least" <"$build/coverage.csv" ||
    stop "the tests cover less than $coverage_least % of the lines outside apps/ (by file: build/coverage/coverage.csv)"
}

# coverage_table LEAST: a table of gcovr, whose files have their lines in column 2 and those that ran
# in column 3, summed by directory. Fails where all together are below LEAST in a hundred.
coverage_table() {
  awk -F, -v least="$1" '
    $1 ~ /\.(h|cpp)$/ {
      folder = $1
      if (!sub(/\/.*/, "", folder)) folder = "."
      if (!(folder in lines)) order[++directories] = folder
      lines[folder] += $2; missed[folder] += $2 - $3
      all += $2; all_missed += $2 - $3
    }
    function row(name, lines, missed) {
      printf "%-12s %7d lines %7d never run %6.1f %%\n", name, lines, missed, 100 * (1 - missed / lines)
    }
    END {
      for (i = 1; i <= directories; i++) if (lines[order[i]] > 0) row(order[i], lines[order[i]], missed[order[i]])
      if (all == 0) { print "no file was measured"; exit 1 }
      row("all", all, all_missed)
      exit 100 * (1 - all_missed / all) < least
    }'
}
