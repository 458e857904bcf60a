"""Widths of lines, and text that is shortened in the middle."""

import pytest

from oddlearn.view.text_metrics import shorten_text, text_width


def test_a_shortened_text_has_three_fifths_of_its_width_before_the_gap():
    assert shorten_text("a" * 100, 10.0, text_width("a" * 20 + "…", 10.0)) == "a" * 12 + "…" + "a" * 8


@pytest.mark.parametrize("n_letters", [3, 7, 15, 40])
def test_a_shortened_text_fits(n_letters):
    text = "the quick brown fox jumps over the lazy dog"
    width = text_width("m" * n_letters, 12.0)
    shown = shorten_text(text, 12.0, width)
    assert text_width(shown, 12.0) <= width
    first, _, last = shown.partition("…")
    assert text.startswith(first) and text.endswith(last)
