"""Text before a font draws it: its width, wrapping and shortening."""

from __future__ import annotations

import unicodedata

# widths in shares of the font size, those of DejaVu Sans or a little more: matplotlib draws with it, and
# browsers have narrower fonts
NARROW, REGULAR, BROAD, WIDE, FULL_WIDTH = 0.41, 0.64, 0.79, 1.0, 1.1
NARROW_CHARACTERS = frozenset("ijlftrIJ '!,.:;/\\|-()[]·")
REGULAR_CHARACTERS = frozenset('abcdeghknopqsuvxyzEFKLPSTY0123456789"*_`?${}')
BROAD_CHARACTERS = frozenset("ABCDGHNOQRUVXZ&")
WIDTHS = ((NARROW_CHARACTERS, NARROW), (REGULAR_CHARACTERS, REGULAR), (BROAD_CHARACTERS, BROAD))

BEGINNING_SHARE = 0.6  # share of the width of a shortened text that its beginning gets


def text_width(text: str, size: float) -> float:
    """Return an upper estimate of the width of a line in a font of this size."""
    return size * sum(_character_width(character) for character in text)


def _character_width(character: str) -> float:
    for characters, width in WIDTHS:
        if character in characters:
            return width
    return WIDE if unicodedata.east_asian_width(character) not in "WF" else FULL_WIDTH


def wrap_text(text: str, size: float, width: float, max_lines: int) -> list[str]:
    """Return the text in lines of at most this width; if there are too many, the last one is shortened."""
    lines: list[str] = []
    rest = " ".join(text.split())
    while rest and len(lines) < max_lines:
        line = _first_line(rest, size, width)
        lines.append(line.rstrip())
        rest = rest[len(line) :].lstrip()
    if rest:
        lines[-1] = shorten_text(f"{lines[-1]} {rest}", size, width)
    return lines or [""]


def shorten_text(text: str, size: float, width: float) -> str:
    """Return the text, or its beginning and its end if it is too wide: names often differ in one of them."""
    if text_width(text, size) <= width:
        return text
    space = width - text_width("…", size)
    first = text[: max(1, _fitting_length(text, size, BEGINNING_SHARE * space))].rstrip()
    last_length = _fitting_length(text[::-1], size, space - text_width(first, size))
    last = text[::-1][:last_length][::-1].lstrip()
    return f"{first}…{last}"


def _first_line(text: str, size: float, width: float) -> str:
    """Return as many whole words as fit, or the part of a long word that does."""
    fitting = _fitting_length(text, size, width)
    if fitting == len(text):
        return text
    space = text.rfind(" ", 0, fitting + 1)
    return text[:space] if space > 0 else text[: max(1, fitting)]


def _fitting_length(text: str, size: float, width: float) -> int:
    """Return the number of characters from the beginning that fit."""
    total = 0.0
    for place, character in enumerate(text):
        total += size * _character_width(character)
        if total > width:
            return place
    return len(text)
