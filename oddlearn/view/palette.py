"""Colours of the classes, the same in every picture and on the page, and the colour of text on them."""

from __future__ import annotations

# of medium luminance (0.124 to 0.30), so that each has a contrast of 3 or more with white and with the dark
# page; neighbours differ for colour-blind readers, and the class is always written in words as well
CLASS_COLOURS = (
    "#0072b2",
    "#d27a00",
    "#00936b",
    "#c2528b",
    "#7d63d6",
    "#8a8300",
    "#1f8fa8",
    "#b4532a",
    "#808080",
    "#5f8f2f",
)

WHITE, BLACK = "#ffffff", "#000000"

# a picture that is a file of its own: nodes, lines and text on white paper
NODE_FILL, ARC_GREY, TEXT, SOFT_TEXT = "#f7f7f5", "#9a9a9a", "#1a1a1a", "#4d4d4d"

# plots of numbers over time
OBJECTIVE_COLOUR, BOUND_COLOUR, GAP_COLOUR = CLASS_COLOURS[0], "#d55e00", "#dddddd"


def class_colours(n_classes: int, favourable: int | None = None) -> tuple[str, ...]:
    """Return a colour per class; they repeat beyond ten classes, where only the words differ.

    The favourable class, if there is one, is blue, and the other of two is orange.
    """
    colours = palette_of(favourable)
    return tuple(colours[code % len(colours)] for code in range(n_classes))


def palette_of(favourable: int | None) -> tuple[str, ...]:
    """Return the ten colours with the first at the place of the favourable class, and the other way round."""
    colours = list(CLASS_COLOURS)
    place = (favourable or 0) % len(colours)
    colours[0], colours[place] = colours[place], colours[0]
    return tuple(colours)


def colour_class(class_code: int) -> str:
    """Return the name of the style-sheet class that has the colour of a class."""
    return f"c{class_code % len(CLASS_COLOURS)}"


def text_colour(colour: str) -> str:
    """Return white or black, whichever has the larger contrast with ``#rrggbb``."""
    return max((WHITE, BLACK), key=lambda candidate: contrast(colour, candidate))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours as WCAG 2 defines it, from 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    """Return the relative luminance of ``#rrggbb`` as WCAG 2 defines it, 0 for black to 1 for white."""
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
