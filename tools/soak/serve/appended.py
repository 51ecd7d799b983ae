"""What a client of a stream of /v1/translate has that appends what it gets."""
import json


class Appended:
    """The text and the pieces of each hypothesis of each sentence, as the `token` events give them. Complains
    where an event does not fit those before it."""

    def __init__(self):
        self.texts, self.pieces, self.complete = {}, {}, set()

    def event(self, name, data):
        """Takes the next event; None, or what is wrong with it."""
        fields = json.loads(data)
        if name == "token":
            return self.token(**fields)
        return self.sentence(**fields) if name == "sentence" else None

    def token(self, text, sentence, hypothesis, delta, piece=None, translation=None):
        at = text, sentence, hypothesis
        if (text, sentence) in self.complete:
            return f"a token of sentence {at[:2]}, which is complete"
        self.texts[at] = self.texts.get(at, "") + delta
        if piece is not None:
            self.pieces.setdefault(at, []).append(piece)
        elif not delta:
            return f"a token of {at} without a piece and without text"
        if translation is not None and translation != self.texts[at]:
            return f"{at}: the text so far is {translation!r}, appended {self.texts[at]!r}"
        return None

    def sentence(self, text, sentence, hypotheses=(0,), **answer):
        if (text, sentence) in self.complete:
            return f"sentence {text, sentence} comes twice"
        self.complete.add((text, sentence))
        # Beam search streams its best hypothesis.
        wanted = answer.get("nbest", [answer])[:len(hypotheses)]
        if sorted(hypotheses) != list(range(len(wanted))):
            return f"sentence {text, sentence} has the hypotheses {hypotheses}"
        for number, one in zip(hypotheses, wanted):
            at = text, sentence, number
            if self.texts.get(at, "") != one["translation"]:
                return f"{at}: appended {self.texts.get(at)!r}, translated {one['translation']!r}"
            if self.pieces.get(at, []) != one["pieces"]:
                return f"{at}: appended {self.pieces.get(at)}, translated {one['pieces']}"
        best = answer["translation"]
        if wanted[0]["translation"] != best:
            return f"sentence {text, sentence}: the best is {wanted[0]['translation']!r}, translated {best!r}"
        self.texts[text, sentence] = best
        return None

    def whole(self, answer):
        """None if the whole answer's texts are those of the sentences, with white space between them."""
        for text, translation in enumerate(answer["translations"]):
            rest = translation["text"]
            for sentence in range(len(translation["sentences"])):
                part = self.texts.get((text, sentence))
                if part is None:
                    return f"sentence {text, sentence} did not come"
                at = rest.find(part)
                if at < 0 or rest[:at].strip():
                    return f"text {text}: {part!r} does not follow in {rest!r}"
                rest = rest[at + len(part):]
            if rest.strip():
                return f"text {text}: nothing gives {rest!r}"
        return None
