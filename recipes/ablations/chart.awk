# The chart of the rows in SVG, from the same lines as table.awk: BLEU minus the mean of the baselines.
function text(x, y, anchor, words, more) {
  gsub(/&/, "\\&amp;", words); gsub(/</, "\\&lt;", words); gsub(/>/, "\\&gt;", words)
  return sprintf("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>\n", x, y, anchor, more, words)
}
function band(sds, fill,   from, to) {
  from = place(-sds * sd); to = place(sds * sd)
  return sprintf("<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", from, top, to - from, bottom - top, fill)
}
function place(value) {
  if (value < low) value = low
  if (value > high) value = high
  return left + (right - left) * (value - low) / (high - low)
}

BEGIN { FS = "|"; left = 250; right = 700; width = 780; row_height = 18; top = 48 }
$4 == "missing" { next }
{ line[++rows] = $0 }
$1 == "baseline" && $4 == "finished" { ++known; sum += $6; squares[known] = $6 }

END {
  mean = known ? sum / known : 0
  for (i = 1; i <= known; ++i) sd += (squares[i] - mean) ^ 2
  sd = known > 1 ? sqrt(sd / (known - 1)) : 0
  # An axis of whole numbers. A row far below the others would press them together: its bar is cut off.
  low = -3 * sd; high = 3 * sd
  for (i = 1; i <= rows; ++i) {
    split(line[i], field, "|")
    if (field[4] != "finished") continue
    value = field[6] - mean
    if (value < low) low = value
    if (value > high) high = value
  }
  low = low < -8 ? -8 : -int(-low + 1)
  high = high > 8 ? 8 : int(high + 1)

  for (i = 1; i <= rows; ++i) {
    split(line[i], field, "|")
    if (field[1] != group) bottom_rows += 1.4
    group = field[1]
    ++bottom_rows
  }
  bottom = top + row_height * bottom_rows + 6
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n", width, bottom + 40
  print "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
  if (!known) {
    printf "%s</svg>\n", text(width / 2, 22, "middle", "No baseline is finished yet", "")
    exit
  }
  printf "%s", text(width / 2, 20, "middle", sprintf("BLEU on test_2016_flickr, difference to the mean of the baselines (%.2f)", mean), " font-size=\"14\"")
  if (sd > 0) {
    printf "%s", text(width / 2, 38, "middle", "grey: within two (dark) and three (light) standard deviations of the baselines", " fill=\"#666\"")
    printf "%s%s", band(3, "#f0f0f0"), band(2, "#dcdcdc")
  }
  for (tick = low; tick <= high; ++tick) {
    printf "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", place(tick), top, place(tick), bottom, tick ? "#e4e4e4" : "#222"
    printf "%s", text(place(tick), bottom + 16, "middle", tick > 0 ? "+" tick : tick, "")
  }
  y = top
  group = ""
  for (i = 1; i <= rows; ++i) {
    split(line[i], field, "|")
    if (field[1] != group) {
      y += 1.4 * row_height
      printf "%s", text(8, y, "start", field[1], " font-weight=\"bold\"")
    }
    group = field[1]
    y += row_height
    printf "%s", text(left - 8, y, "end", field[2], "")
    if (field[4] != "finished") {
      printf "%s", text(place(0) + 6, y, "start", field[4] == "diverged" ? field[10] : field[4], " font-style=\"italic\"")
      continue
    }
    value = field[6] - mean
    from = place(value < 0 ? value : 0); to = place(value < 0 ? 0 : value)
    size = value < 0 ? -value : value
    printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"11\" fill=\"%s\"/>\n", from, y - 10, to - from, field[1] == "baseline" || size <= 2 * sd ? "#999" : "#2a6f97"
    cut = value < low || value > high ? " (cut off)" : ""
    # A bar to the left has its number on the other side of zero, where there is room.
    shown = sprintf("%+.1f", value)
    sub(/^[-+]0\.0$/, "0.0", shown)
    printf "%s", text(value < 0 ? place(0) + 5 : to + 5, y, "start", shown cut, "")
  }
  printf "%s</svg>\n", text((left + right) / 2, bottom + 33, "middle", "BLEU", "")
}
