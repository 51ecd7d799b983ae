"""Results as HTML, for notebooks: without scripts, and with the notebook's own colours."""

from __future__ import annotations

import html
import math
import re

from heed._heed import Hypothesis, Translation

# Characters without a shape, or that turn the text around them.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
# What a notebook shows of a long text.
_MOST_CHARACTERS = 20_000
_DOUBT = "201, 122, 16"
_MUTED = "opacity:.7;font-size:.85em"


def escape(text: str) -> str:
    """A text as HTML, with the unseen characters made visible."""
    if len(text) > _MOST_CHARACTERS:
        text = text[:_MOST_CHARACTERS] + "…"
    return html.escape(_UNSEEN.sub(lambda match: f"U+{ord(match[0]):04X}", text))


def _piece(piece: str, log_probability: float | None) -> str:
    """A piece, shaded by how improbable it is; the space that it begins with is before it."""
    shown = piece.lstrip("\u2581")
    space = " " if shown != piece else ""
    if log_probability is None or not shown:
        return space + escape(shown)
    probability = math.exp(log_probability)
    return (
        f'{space}<span title="{probability:.4f}" style="border-radius:3px;'
        f'background:rgba({_DOUBT},{0.6 * (1 - probability):.2f})">{escape(shown)}</span>'
    )


def _hypothesis(hypothesis: Hypothesis) -> str:
    logs: list[float | None] = list(hypothesis.log_probabilities)
    logs += [None] * len(hypothesis.pieces)
    pieces = "".join(map(_piece, hypothesis.pieces, logs)).strip()
    return (
        f'<bdi dir="auto" style="overflow-wrap:anywhere">{pieces}</bdi> '
        f'<span style="{_MUTED}">{hypothesis.score:.4f}</span>'
    )


def html_of(result: Hypothesis | Translation) -> str:
    if isinstance(result, Hypothesis):
        return f"<div>{_hypothesis(result)}</div>"
    rows = [_hypothesis(hypothesis) for hypothesis in result.hypotheses]
    status = "" if result.status == "ok" else f'<div style="{_MUTED}">{escape(result.status)}</div>'
    if len(rows) == 1:
        return f"<div>{rows[0]}</div>{status}"
    return f"<ol>{''.join(f'<li>{row}</li>' for row in rows)}</ol>{status}"


def frame(document: str, title: str, height: int) -> str:
    """A whole HTML document in a frame of its own, without access to the notebook."""
    return (
        f'<iframe title="{html.escape(title)}" srcdoc="{html.escape(document)}" '
        f'sandbox="allow-scripts" loading="lazy" '
        f'style="width:100%;height:{height}px;border:1px solid rgba(128,128,128,.4);'
        f'border-radius:9px"></iframe>'
    )
