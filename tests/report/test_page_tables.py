"""The badge of the certificate: what is said at first sight must be true."""

from types import SimpleNamespace

import pytest

from oddlearn.report.page_tables import _badge

PROVED = {
    "is_feasible": True,
    "is_optimal": True,
    "only_class": None,
    "unpredicted_classes": (),
    "unpredicted_text": "",
    "missed_text": "",
}


@pytest.mark.parametrize(
    ("known", "style", "text"),
    [
        ({}, "good", "Proved optimal"),
        ({"is_feasible": False}, "bad", "A constraint is violated"),
        ({"is_optimal": False, "only_class": "a"}, "open", "Not proved optimal"),
        ({"only_class": "a"}, "open", "Proved optimal, but it predicts one class only"),
        (
            {"unpredicted_classes": ("<b>",), "unpredicted_text": "<b>", "missed_text": "misses c"},
            "open",
            "Proved optimal, but never predicts &lt;b&gt;",
        ),
        ({"missed_text": "misses <c>"}, "open", "Proved optimal, but it misses &lt;c&gt;"),
    ],
)
def test_the_badge_says_the_worst_that_is_known(known, style, text):
    badge = _badge(SimpleNamespace(**PROVED | known))
    assert badge == f'<p class="badge {style}">{text}</p>'
