"""Style sheets of the page: a light and a dark theme, and the colours of the classes."""

from __future__ import annotations

from collections.abc import Mapping

from oddlearn.view.palette import palette_of, text_colour

# prints are always light
LIGHT = {
    "paper": "#ffffff",
    "card": "#f6f7f9",
    "text": "#16191d",
    "muted": "#555c66",
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
    "text": "#eceff3",
    "muted": "#aab2bd",
    "line": "#3a414b",
    "edge": "#7f8995",
    "accent": "#8ab4ff",
    "good": "#6fd6a2",
    "bad": "#ff9a92",
    "open": "#f0c36a",
    "strand": "0.85",
}


def style_rules(favourable: int | None = None) -> str:
    """Return the style rules of both themes and of all class colours, for pictures and for text."""
    light, dark = _variables("light", LIGHT), _variables("dark", DARK)
    themes = [
        f":root{{{light}}}",
        f'@media screen and (prefers-color-scheme:dark){{:root:not([data-theme="light"]){{{dark}}}}}',
        f'@media screen{{:root[data-theme="dark"]{{{dark}}}}}',
    ]
    classes = [
        f".c{place}{{fill:{colour};background:{colour}}} #diagram .on-c{place}{{fill:{text_colour(colour)}}}"
        for place, colour in enumerate(palette_of(favourable))
    ]
    return "\n".join([*themes, *classes])


def _variables(scheme: str, theme: Mapping[str, str]) -> str:
    """Return the variables of a theme; the scheme is for the parts that the browser draws itself."""
    return ";".join([f"color-scheme:{scheme}", *(f"--{name}:{value}" for name, value in theme.items())])
