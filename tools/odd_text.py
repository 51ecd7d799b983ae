"""Small corpora of odd text for the goldens of metrics: seeded, and the same on every machine."""

import random

WORDS = {
    "english": "the a Two men in on street Dog is Running with its ball don't well-known U.S. e.g. I'm "
    "woman's red-and-white NASA o'clock THE half--time",
    "german": "Ein Mann Straße GROẞE größer Überall läuft ÄRGER im Weiß, daß Fußgänger-Zone schön",
    "turkish": "İstanbul ISPARTA ışık İYİ günler ĞÜŞÖÇ DİYARBAKIR ılık çocuk I İ",
    "greek": "ΟΔΥΣΣΕΥΣ ΣΑΣ Σ ΑΣ. ΑΣ' ΌΣΟΣ Ο.Σ. ΣΊΣΥΦΟΣ ΜΆΪΟΣ σοφός ΑΣ\u0301 Α\u0301Σ ΤΗΣ-ΤΗΣ 1Σ ΣA",
    "chinese": "你好，世界。 一个人 在街上跑步 《书》 “引号” 3000元 １２３ ！？ 、 中文abc混合 ——",
    "other": "Привет МИР ﬁn ǅ Ǆ Ⅷ Ⓐ Ａｂｃ 𐐀𐐨 𞤀 ẞ Å K ͅ Ⴀ ᏸ Ꭰ שלום مرحبا สวัสดี ԱՐԵՎ եւ",
    "emoji": "😀 👩‍👩‍👧 🇩🇪 👍🏽 ☕️ e\u0301 n\u0303o A\u030a 각 \u200b \u200d \ufeff \u00ad \ufffd 1️⃣",
    "number": "1,000.5 3.14 1. .5 ,5 5, 1,2,3 1-2 10-year-old -5 5- 2024-01-02 12:30 3.000,00 a.5 5.a "
    "1.,2 ..5 5.. 1,.,2 ٣٫١٤ ٣.٤ 1.٣ ２-３",
    "currency": "$5.99 €1.000,50 £3 ¥100 5% #1 @home a&b C++ x=y 2^8 ~5 `code` {a} [b] (c) <d> a/b a\\b a|b "
    "snake_case *star* \"quoted\" semi;colon",
    "entity": "&quot;hi&quot; &amp; &lt;b&gt; &amp;lt; &amp;quot; &amp;amp; &apos; &#39; &nbsp; AT&T & "
    "&QUOT; &lt;skipped&gt; <skipped> a<skipped>b <skip<skipped>ped> &am&amp;p;",
    "punctuation": ". , ... .. ., ,. !? - -- ' '' \" \u2026 \u2013 \u2014 \u00ab\u00bb \u2019 \u201c\u201d "
    "\u00b7 \u00bf \u3002 \u060c ,,, a,b a.b a..b .a, x-\ny -\n a\nb",
}
WORDS = {kind: text.split(" ") for kind, text in WORDS.items()}
SPACES = [" "] * 24 + ["  ", "\t", "\u00a0", "\u3000", "\u2028", "\u2029", "\u2003", "\u202f", "\u205f",
                       "\u1680", "\x85", "\x1c", "\x1f", "\x0b", "\x0c", "\r", "\u200b", "\u180e", ""]
ENDS = [""] * 12 + [".", " .", "!", " ", "  \t", "\u00a0", "\u3000", "\r", ",", "-\n", "\n", "\u2028 "]
SHAPES = ["near", "near", "near", "near", "same", "longer", "shorter", "tiny", "unrelated", "empty"]


def sentence(rng, kinds, length):
    text = rng.choice(["", "", "", "", " ", "\u00a0", ". ", "-"])
    for i in range(length):
        text += (rng.choice(SPACES) if i else "") + rng.choice(WORDS[rng.choice(kinds)])
    return text + rng.choice(ENDS)


def noisy(rng, text, kinds, rate):
    """The text with words dropped, swapped, doubled, replaced or of another case."""
    words = text.split(" ")
    for i in range(len(words)):
        if rng.random() >= rate:
            continue
        change = rng.randrange(6)
        if change == 0:
            words[i] = ""
        elif change == 1:
            j = rng.randrange(len(words))
            words[i], words[j] = words[j], words[i]
        elif change == 2:
            words[i] = words[i] + " " + words[i]
        elif change == 3:
            words[i] = rng.choice(WORDS[rng.choice(kinds)])
        elif change == 4:
            words[i] = words[i].upper()
        else:
            words[i] = words[i].swapcase()
    return " ".join(words)


def hypothesis(rng, reference, kinds, shape):
    if shape == "same":
        return reference
    if shape == "longer":
        return noisy(rng, reference, kinds, 0.1) + " " + sentence(rng, kinds, rng.randint(1, 12))
    if shape == "shorter":
        return reference[: rng.randint(0, len(reference))]
    if shape == "tiny":
        return " ".join(reference.split()[: rng.randint(0, 3)])
    if shape == "unrelated":
        return sentence(rng, ["punctuation", "emoji"], rng.randint(1, 4))
    if shape == "empty":
        return rng.choice(["", " ", "\u3000\t", "\u2028"])
    return noisy(rng, reference, kinds, 0.2)


def odd_corpora(count, seed):
    """Yields (hypotheses, references): 1 to 8 lines, 1 to 3 references, each a list of lines."""
    rng = random.Random(seed)
    for _ in range(count):
        kinds = rng.sample(sorted(WORDS), rng.randint(1, 4))
        shapes = rng.sample(SHAPES, rng.randint(1, 3))
        hypotheses, references = [], [[] for _ in range(rng.choice([1, 1, 1, 2, 2, 3]))]
        for _ in range(rng.randint(1, 8)):
            first = sentence(rng, kinds, rng.choice([0, 1, 2, 3, 5, 8, 12, 20]))
            references[0].append(first)
            for other in references[1:]:
                other.append(noisy(rng, first, kinds, rng.choice([0.1, 0.4, 0.9])))
            hypotheses.append(hypothesis(rng, first, kinds, rng.choice(shapes)))
        yield hypotheses, references
