from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from oddlearn import DecisionDiagram, Skeleton, plot_certificate
from oddlearn.errors import InvalidInputError
from oddlearn.problem.certificate import Certificate

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

CERTIFICATE = Certificate(
    digest="",
    objective=0.2,
    violation=0.0,
    n_nodes=2,
    objective_bounds=(0.25, 0.2, 0.15, np.inf),
    margin=0.0,
    split="univariate",
    skeleton=Skeleton.parse("1-2-1"),
    node_price=0.01,
)
CONSTANT = DecisionDiagram.constant(0, 2, 1)


def model_with(certificate):
    return SimpleNamespace(diagram_=CONSTANT, certificate_=certificate, encode=None)


def test_bars_reach_the_line_where_nothing_better_exists():
    axes = plot_certificate(model_with(CERTIFICATE))
    line = axes.lines[0].get_ydata()
    bars = [bar.get_height() for bar in axes.patches[:4]]
    assert line.tolist() == pytest.approx([20.0, 19.0, 18.0, 17.0])
    reaches = [height >= limit - 1e-9 for height, limit in zip(bars, line, strict=True)]
    assert reaches == CERTIFICATE.by_node_count["is_resolved"].tolist() == [True, True, False, True]
    assert max(bars) <= axes.get_ylim()[1]
    assert axes.get_title() == "No diagram with up to 2 nodes is better, nor one that needs more than 3 nodes"


@pytest.mark.parametrize(
    ("change", "title"),
    [
        ({"objective_bounds": (0.2, 0.3)}, "No other diagram is better"),
        ({"objective_bounds": (0.0, 0.0)}, "Not proved for any number of nodes"),
        ({"violation": 0.5}, "A constraint is violated"),
    ],
)
def test_the_title_says_what_is_proved(change, title):
    axes = plot_certificate(model_with(replace(CERTIFICATE, **change, measure="cost")))
    assert axes.get_title() == title
    assert axes.get_ylabel() == "mean training cost"


def test_a_bare_diagram_has_no_certificate():
    with pytest.raises(InvalidInputError, match="has no certificate"):
        plot_certificate(CONSTANT)
