#!/usr/bin/env bash
# Fails if docs/paper.md or docs/questions.md, or their Chinese pages, no longer match the source: a
# link to a file or heading that does not exist, a name that the linked file does not contain, a
# quoted line that has changed, or different code in the English and the Chinese page.
#
# A link [`Name`](../path) requires the text Name in that file. A block ```cpp quotes the file of the
# last such link: its lines, without indentation, must be consecutive lines of the file; a line `...`
# stands for any number of omitted lines.
# Usage: check_paper_links.sh [PROJECT_FOLDER]
set -euo pipefail
cd -- "${1-$(dirname -- "${BASH_SOURCE[0]}")/..}/docs"

check_page() {
  LC_ALL=C awk '
    function complain(text) {
      print FILENAME ":" FNR ": " text
      bad = 1
    }
    function trimmed(text) {
      gsub(/^[ \t]+|[ \t]+$/, "", text)
      return text
    }
    # Reads a file once into lines[path, 1..count[path]]; 0 where there is none.
    function load(path,    line, n) {
      if (path in count) return count[path]
      n = 0
      while ((getline line < path) > 0) lines[path, ++n] = trimmed(line)
      close(path)
      return count[path] = n
    }
    function holds(path, text,    i) {
      for (i = 1; i <= load(path); i++) if (index(lines[path, i], text)) return 1
      return 0
    }
    # Whether a heading of the page has that anchor, as GitHub makes it: small letters, no
    # punctuation, - for each space.
    function has_heading(path, anchor,    i, slug) {
      for (i = 1; i <= load(path); i++) {
        if (lines[path, i] !~ /^#+ /) continue
        slug = tolower(lines[path, i])
        sub(/^#+ /, "", slug)
        gsub(/[^a-z0-9 _\200-\377-]/, "", slug)
        gsub(/ /, "-", slug)
        if (slug == anchor) return 1
      }
      return 0
    }
    # Whether the file contains the quoted lines.
    function contains(path, n,    start) {
      for (start = 1; start <= load(path); start++) if (matches(path, start, n)) return 1
      return 0
    }
    function matches(path, at, n,    i, skipping) {
      for (i = 1; i <= n; i++) {
        if (quoted[i] == "...") {
          skipping = 1
          continue
        }
        while (skipping && at <= count[path] && lines[path, at] != quoted[i]) at++
        skipping = 0
        if (lines[path, at] != quoted[i]) return 0
        at++
      }
      return 1
    }

    FNR == 1 { source = ""; inside = 0 }
    /^```/ {
      if (inside == 1 && n > 0 && !contains(source, n))
        complain(source " does not contain the quoted lines; the first is: " quoted[1])
      inside = inside ? 0 : ($0 == "```cpp" ? 1 : 2)
      n = 0
      if (inside == 1) {
        blocks++
        if (source == "") complain("a code block needs a link to its file above it")
      }
      next
    }
    inside == 1 { if (trimmed($0) != "") quoted[++n] = trimmed($0) }
    inside { next }
    {
      rest = $0
      while (match(rest, /\[[^]]*\]\([^)]*\)/)) {
        link = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        split(link, part, /\]\(/)
        name = substr(part[1], 2)
        path = substr(part[2], 1, length(part[2]) - 1)
        if (path ~ /^https?:/) continue
        anchor = path ~ /#/ ? substr(path, index(path, "#") + 1) : ""
        sub(/#.*/, "", path)
        if (anchor != "" && !has_heading(path == "" ? FILENAME : path, anchor))
          complain((path == "" ? "this page" : path) " has no heading with the anchor #" anchor)
        if (path == "") continue
        if (system("test -e \"" path "\"") != 0) {
          complain(path " does not exist")
          continue
        }
        links++
        if (name !~ /^`.*`$/) continue
        name = substr(name, 2, length(name) - 2)
        source = path
        if (index(path, name) == 0 && !holds(path, name)) complain(path " does not contain " name)
      }
    }
    END {
      if (!links || !blocks) complain("expected links and code blocks, found " links + 0 " and " blocks + 0)
      exit bad
    }
  ' "$1"
}

# What both pages must have in common: code and figures.
common() {
  awk '/^```/ { inside = !inside; print; next } inside' "$1"
}

for page in paper questions; do
  check_page $page.md
  check_page $page.zh.md
  diff <(common $page.md) <(common $page.zh.md) ||
    { echo "docs/$page.md and docs/$page.zh.md differ in code or figures" && exit 1; }
done
