"""nouns.py LEXICON TEXT ALIGNED MODEL LEAST: how many nouns of TEXT.zh, TEXT.en and TEXT.align are
aligned rightly in ALIGNED, the output of heed translate --format jsonl --alignments words. Ends
with 1 if fewer than LEAST percent are. The nouns are those of the phrasebook's LEXICON."""

import json
import sys


def nouns_of(lexicon):
    """The Chinese nouns: first words of the entries of "@NAME noun" (lexicon.cpp)."""
    nouns, is_noun = set(), False
    for line in lexicon:
        if line.startswith("@"):
            is_noun = line.split()[1:2] == ["noun"]
        elif is_noun:
            nouns.update(entry.split()[0] for entry in line.split(";") if len(entry.split()) > 2)
    return nouns


def pairs_of(text):
    return [tuple(map(int, pair.split("-"))) for pair in text.split()]


def runs(places):
    """Sorted places as runs of neighbours."""
    found = []
    for place in sorted(places):
        if found and found[-1][-1] == place - 1:
            found[-1].append(place)
        else:
            found.append([place])
    return found


def nouns_in(chinese, alignment, nouns):
    """(English word, Chinese places) of every noun."""
    linked = {}
    for source, target in pairs_of(alignment):
        linked.setdefault(target, set()).add(source)
    for target, places in linked.items():
        places = {place for place in places if chinese[place] not in "。？！，"}
        for run in runs(places):
            if "".join(chinese[place] for place in run) in nouns:
                yield target, set(run)


def main(lexicon, text, aligned, model, least):
    with open(lexicon, encoding="utf-8") as file:
        nouns = nouns_of(file)
    lines = right = count = 0
    with open(text + ".zh", encoding="utf-8") as zh, open(text + ".en", encoding="utf-8") as en, \
            open(text + ".align", encoding="utf-8") as align, open(aligned, encoding="utf-8") as got:
        for chinese, english, alignment, line in zip(zh, en, align, got, strict=True):
            line = json.loads(line)
            if line["translation"] != english.rstrip("\n"):
                continue
            lines += 1
            found = {}
            for source, target in pairs_of(line["alignment"]):
                found.setdefault(target, set()).add(source)
            for target, places in nouns_in(chinese, alignment, nouns):
                count += 1
                right += bool(places & found.get(target, set()))
    with open(model + "/generation_config.json", encoding="utf-8") as file:
        chosen = json.load(file).get("heed", {}).get("alignment")
    share = 100 * right / max(1, count)
    print(f"{model}: {right} of {count} nouns in {lines} lines, {share:.1f}%; attention of {chosen}")
    return 0 if count >= 300 and share >= float(least) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
