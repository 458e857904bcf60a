"""Colours of the classes, told apart by colour-blind readers too, with an ink to write on each."""

from __future__ import annotations

# Okabe and Ito's palette, then Tol's muted one, which has more colours
FEW = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#666666")
MANY = (
    "#332288",
    "#DDCC77",
    "#117733",
    "#CC6677",
    "#88CCEE",
    "#882255",
    "#44AA99",
    "#999933",
    "#AA4499",
    "#BBBBBB",
)

WHITE, BLACK = "#ffffff", "#1a1a1a"

# white is read better on darker colours, black on lighter ones: WCAG's two contrast ratios are equal here
TURNING_LUMINANCE = 0.18


def class_colours(n_classes: int) -> tuple[str, ...]:
    """Return a colour per class; they repeat beyond ten, where the words of a picture must do."""
    palette = FEW if n_classes <= len(FEW) else MANY
    return tuple(palette[code % len(palette)] for code in range(n_classes))


def ink(colour: str) -> str:
    """Return white or black, whichever is read better on the colour ``#rrggbb``."""
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return WHITE if luminance < TURNING_LUMINANCE else BLACK
