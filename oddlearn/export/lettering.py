"""How wide text is, and how it is cut into lines, before a font draws it."""

from __future__ import annotations

import unicodedata

# widths in shares of the font size, those of DejaVu Sans or a little more: matplotlib draws with it, and
# browsers have narrower fonts
NARROW, USUAL, BROAD, WIDE, FULL = 0.41, 0.64, 0.79, 1.0, 1.1
NARROW_LETTERS = frozenset("ijlftrIJ '!,.:;/\\|-()[]·")
USUAL_LETTERS = frozenset("abcdeghknopqsuvxyzEFKLPSTY0123456789\"*_`?${}")
BROAD_LETTERS = frozenset("ABCDGHNOQRUVXZ&")

# share of a text that is cut which its beginning gets
BEGINNING = 0.6


def text_width(text: str, size: float) -> float:
    """Return how wide a line of text is in a font of this size, rather more than less."""
    return size * sum(_share(letter) for letter in text)


def _share(letter: str) -> float:
    for letters, share in ((NARROW_LETTERS, NARROW), (USUAL_LETTERS, USUAL), (BROAD_LETTERS, BROAD)):
        if letter in letters:
            return share
    return WIDE if unicodedata.east_asian_width(letter) not in "WF" else FULL


def wrapped(text: str, size: float, width: float, most_lines: int) -> list[str]:
    """Return the text in lines no wider than this; when it needs more of them, the last has a "…" in it."""
    lines: list[str] = []
    rest = " ".join(text.split())
    while rest and len(lines) < most_lines:
        line = _first_line(rest, size, width)
        lines.append(line.rstrip())
        rest = rest[len(line) :].lstrip()
    if rest:
        lines[-1] = cut(f"{lines[-1]} {rest}", size, width)
    return lines or [""]


def cut(text: str, size: float, width: float) -> str:
    """Return the text, or its beginning and its end if it is wider: names often differ in one of them."""
    if text_width(text, size) <= width:
        return text
    room = width - text_width("…", size)
    first = text[: max(1, _fitting(text, size, BEGINNING * room))].rstrip()
    last = text[::-1][: _fitting(text[::-1], size, room - text_width(first, size))][::-1].lstrip()
    return f"{first}…{last}"


def _first_line(text: str, size: float, width: float) -> str:
    """Return as many whole words as fit, or the part of a long word that does."""
    fitting = _fitting(text, size, width)
    if fitting == len(text):
        return text
    space = text.rfind(" ", 0, fitting + 1)
    return text[:space] if space > 0 else text[: max(1, fitting)]


def _fitting(text: str, size: float, width: float) -> int:
    """Return how many letters from the beginning fit."""
    total = 0.0
    for place, letter in enumerate(text):
        total += size * _share(letter)
        if total > width:
            return place
    return len(text)
