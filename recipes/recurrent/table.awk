# Tables in Markdown, from the lines of run.sh: corpus|model|seed|parameters|steps|perplexity|BLEU|chrF
# and |sentences|BLEU for each group of lengths. Means and standard deviations are those of the seeds.
function mean(row, field,   i, sum) {
  for (i = 1; i <= seeds[row]; ++i) sum += value[row, i, field]
  return sum / seeds[row]
}
function deviation(row, field,   i, sum, middle) {
  if (seeds[row] < 2) return 0
  middle = mean(row, field)
  for (i = 1; i <= seeds[row]; ++i) sum += (value[row, i, field] - middle) ^ 2
  return sqrt(sum / (seeds[row] - 1))
}
BEGIN { FS = "|" }
{
  row = $1 "|" $2
  if (!(row in seeds)) order[++rows] = row
  ++seeds[row]
  for (i = 4; i <= NF; ++i) value[row, seeds[row], i] = $i
}
END {
  print "| corpus | model | parameters | steps | seeds | perplexity | BLEU | chrF |"
  print "|---|---|---|---|---|---|---|---|"
  for (i = 1; i <= rows; ++i) {
    row = order[i]
    split(row, name, "|")
    printf "| %s | %s | %d | %d | %d | %.2f ± %.2f | %.2f ± %.2f | %.2f ± %.2f |\n", name[1], name[2],
      value[row, 1, 4], value[row, 1, 5], seeds[row], mean(row, 6), deviation(row, 6), mean(row, 7),
      deviation(row, 7), mean(row, 8), deviation(row, 8)
  }
  groups = split(lengths, most, " ")
  printf "\nBLEU by the number of English words, mean of the seeds (in brackets: sentences).\n\n| corpus | model |"
  for (i = 1; i <= groups; ++i) {
    least = i == 1 ? 1 : most[i - 1] + 1
    printf " %s |", i == groups ? least " or more" : least " to " most[i]
  }
  printf "\n|---|---|"
  for (i = 1; i <= groups; ++i) printf "---|"
  for (i = 1; i <= rows; ++i) {
    row = order[i]
    split(row, name, "|")
    printf "\n| %s | %s |", name[1], name[2]
    for (j = 1; j <= groups; ++j) {
      sentences = value[row, 1, 7 + 2 * j]
      if (sentences) printf " %.2f (%d) |", mean(row, 8 + 2 * j), sentences
      else printf " - |"
    }
  }
  print ""
}
