"""Class colours that hold on white and on dark paper, with an ink that can be read on each."""

from __future__ import annotations

from collections.abc import Mapping

# of middling luminance (0.124 to 0.30), so that each stands out 3 to 1 from white and from the dark page;
# neighbours differ for colour-blind readers, and every use of a colour also has its class in words
COLOURS = (
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

# the page by day and by night; prints are always by day
LIGHT = {
    "paper": "#ffffff",
    "card": "#f6f7f9",
    "ink": "#16191d",
    "soft": "#555c66",
    "line": "#d3d8de",
    "edge": "#7b8490",
    "accent": "#0b57d0",
    "good": "#0b6b43",
    "bad": "#b3261e",
    "open": "#7a5200",
    "strand": "0.62",
}
DARK = {
    "paper": "#14171c",
    "card": "#1e2229",
    "ink": "#eceff3",
    "soft": "#aab2bd",
    "line": "#3a414b",
    "edge": "#7f8995",
    "accent": "#8ab4ff",
    "good": "#6fd6a2",
    "bad": "#ff9a92",
    "open": "#f0c36a",
    "strand": "0.85",
}

WHITE, BLACK = "#ffffff", "#000000"


def luminance(colour: str) -> float:
    """Return the relative luminance of ``#rrggbb``, 0 for black to 1 for white, as WCAG 2 defines it."""
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def ink(colour: str) -> str:
    """Return white or black, whichever can be read better on a colour."""
    return max((WHITE, BLACK), key=lambda candidate: contrast(colour, candidate))


def colour_class(class_code: int) -> str:
    """Return the name of the style of a class; colours repeat when there are more classes than colours."""
    return f"c{class_code % len(COLOURS)}"


def style_rules() -> str:
    """Return the style rules of both themes and of all class colours, for pictures and for text."""
    day, night = _variables("light", LIGHT), _variables("dark", DARK)
    themes = [
        f":root{{{day}}}",
        f'@media screen and (prefers-color-scheme:dark){{:root:not([data-theme="light"]){{{night}}}}}',
        f'@media screen{{:root[data-theme="dark"]{{{night}}}}}',
    ]
    classes = [
        f".c{place}{{fill:{colour};background:{colour}}} #diagram .on-c{place}{{fill:{ink(colour)}}}"
        for place, colour in enumerate(COLOURS)
    ]
    return "\n".join([*themes, *classes])


def _variables(scheme: str, theme: Mapping[str, str]) -> str:
    """Return what the style uses; the scheme is for what the browser draws itself, such as scroll bars."""
    return ";".join([f"color-scheme:{scheme}", *(f"--{name}:{value}" for name, value in theme.items())])
