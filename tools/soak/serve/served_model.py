"""The model that serve_overload.sh and serve_mixed.sh serve, and what it says."""
import os

from questions import WAYS, Book, documents_of, read_lines


def languages():
    return tuple(os.environ["LANGUAGES"].split("-"))


def book_of(count, ways=WAYS):
    """About `count` lines of SOURCE, whose translations TARGET has."""
    lines, targets = (read_lines(os.environ[name])[:count] for name in ("SOURCE", "TARGET"))
    return Book(os.environ["HEED_PROGRAM"], os.environ["MODEL"], lines, targets, documents_of(lines), ways, languages())
