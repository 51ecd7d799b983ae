# The table of the rows in Markdown, from the lines of run.sh: group, row, options, status, perplexity,
# BLEU, parameters, tokens/s, machine and note, separated by |.
function mean(values, count,   i, sum) {
  for (i = 1; i <= count; ++i) sum += values[i]
  return count ? sum / count : 0
}
function deviation(values, count,   i, sum, middle) {
  middle = mean(values, count)
  for (i = 1; i <= count; ++i) sum += (values[i] - middle) ^ 2
  return count > 1 ? sqrt(sum / (count - 1)) : 0
}
# verdict(SDS, ROW): the rule of README.md, for a difference whose positive values are better.
function verdict(sds, row,   size) {
  size = sds < 0 ? -sds : sds
  if (size <= 2) return "equal"
  if (size > 3 && !(row in far)) { far[row] = 1; far_names = far_names (far_names ? "; " : "") row }
  return (sds > 0 ? "better" : "worse") (size > 3 ? ", far (check)" : "")
}
function difference(value, middle, sd, sign, row) {
  if (!judged || sd == 0) return "-"
  return sprintf("%+.1f SD: %s", (value - middle) / sd, verdict(sign * (value - middle) / sd, row))
}
function number(value) { return value == "" ? "-" : value }

BEGIN { FS = "|" }
{ line[NR] = $0 }
$1 == "baseline" {
  ++baselines
  if ($4 == "finished") { ++known; perplexities[known] = $5; bleus[known] = $6 }
}
$9 != "" && !($9 in machines) { machines[$9] = 1; machine_names = machine_names (machine_names ? "; " : "") $9 }
$4 == "missing" { ++missing }

END {
  judged = known > 1
  p = mean(perplexities, known); p_sd = deviation(perplexities, known)
  b = mean(bleus, known); b_sd = deviation(bleus, known)
  print "| group | row | options | parameters | tokens/s | perplexity | against the baselines | BLEU | against the baselines |"
  print "|---|---|---|---|---|---|---|---|---|"
  for (i = 1; i <= NR; ++i) {
    split(line[i], field, "|")
    if (field[1] != "baseline") sub(/ --seed 1$/, "", field[3])
    printf "| %s | %s | `%s` | %s | %s | ", field[1], field[2], field[3], number(field[7]), number(field[8])
    name = field[1] ", " field[2]
    if (field[4] == "finished" && field[1] == "baseline")
      printf "%.2f | | %.2f | |\n", field[5], field[6]
    else if (field[4] == "finished")
      printf "%.2f | %s | %.2f | %s |\n", field[5], difference(field[5], p, p_sd, -1, name), field[6], \
        difference(field[6], b, b_sd, 1, name)
    else if (field[4] == "missing")
      print "not run yet | | | |"
    else {
      printf "%s: %s | | | |\n", field[4], field[10]
      if (field[4] == "diverged") far_names = far_names (far_names ? "; " : "") name
    }
  }
  print ""
  if (judged) {
    printf "Baselines, %d of %d seeds: perplexity %.2f (SD %.3f), BLEU %.2f (SD %.2f). ", known, baselines, p, p_sd, b, b_sd
    print "Within two standard deviations (SD) is equal; a row beyond three, or that diverged, is compared with a PyTorch twin first."
  } else
    printf "Baselines: %d of %d seeds are finished, so that nothing can be judged yet.\n", known, baselines
  if (known && known < baselines) print "The verdicts are provisional: not all baselines are finished."
  if (machine_names) print "Instruction set and compute type: " machine_names "."
  if (far_names) print "To check: " far_names "."
  if (missing) print "Not run yet: " missing " of " NR " rows."
}
