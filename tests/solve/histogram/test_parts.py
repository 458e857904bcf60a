"""Any division of the rows into parts: the same sums, thresholds, objective, hash and diagram, to the bit."""

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.diagram.routing import route_reference, weights_on_arcs
from oddlearn.problem.amount_scale import AmountScale
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.scaling import centre_thresholds
from oddlearn.solve.histogram.threshold_snap import snap_thresholds
from oddlearn.streaming import row_source
from tests.solve.histogram.raw_tables import (
    FOREVER,
    bin_all,
    bin_problem,
    random_diagram,
    raw_problem,
    start_polish,
)
from tests.solve.histogram.test_histogram_search import ITERATIONS, noisy_table, small_is_large  # noqa: F401


def polish_and_snap(seed):
    problem = raw_problem(seed, n_rows=1500, values=400)
    random = np.random.default_rng(seed)
    edges = tuple(np.sort(random.choice(400, 8, replace=False)) + 0.5 for _ in range(3))
    polish = start_polish(problem, bin_problem(problem, edges), seed)
    polish.run(FOREVER)
    n_moved = snap_thresholds(polish.table, polish.diagram, problem.data.n_classes, FOREVER)
    diagram = polish.diagram.to_diagram(problem, polish.table)
    centred = centre_thresholds(diagram, problem.data)
    return n_moved, polish.objective(), evaluate(problem, centred), problem.digest, centred.splits


@pytest.mark.parametrize("seed", range(6))
def test_parts_of_any_size_give_the_same_bits(seed, monkeypatch):
    whole = polish_and_snap(seed)
    for n_rows in (1, 7, 400):
        monkeypatch.setattr(row_source, "PART_ROWS", n_rows)
        assert polish_and_snap(seed) == whole


@pytest.mark.parametrize("seed", range(6))
def test_weights_on_arcs_are_those_of_plain_sums(seed):
    problem = raw_problem(seed, n_rows=500)
    data, table = problem.data, bin_all(problem)
    diagram = random_diagram(problem, table, seed).to_diagram(problem, table)
    np.testing.assert_allclose(
        data.arc_weights(diagram), weights_on_arcs(diagram, data.X, data.class_weight), rtol=1e-12
    )
    ends = data.arc_weights(diagram)[list(diagram.final_arcs)]
    assert ends.sum() == pytest.approx(data.class_weight.sum())
    np.testing.assert_allclose(data.class_totals, data.class_weight.sum(axis=0), rtol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_gaps_are_those_of_the_rows_that_reach_a_node(seed):
    problem = raw_problem(seed, n_rows=500)
    data, table = problem.data, bin_all(problem)
    diagram = random_diagram(problem, table, seed).to_diagram(problem, table)
    trace = route_reference(diagram, data.X)
    for node, (split, gap) in enumerate(zip(diagram.splits, data.pass_rows(diagram).gaps, strict=True)):
        at, side = trace.reached[:, node], trace.sides[:, node]
        key = split.key(data.X)
        present = ~np.isnan(key)
        assert gap.below == key[at & ~side & present].max(initial=-np.inf)
        assert gap.above == key[at & side & present].min(initial=np.inf)
        assert gap.has_missing == bool((at & ~present).any())


@pytest.mark.parametrize("total", [1e-300, 0.3, 2.0**31, 1e18, 1e40])
def test_sums_of_integers_have_room(total):
    scale = AmountScale.choose(total, is_integer=False)
    assert scale.amount_type is np.int64 and total * scale.factor < 2.0**62
    assert AmountScale.choose(2.0**31 - 1, is_integer=True) == AmountScale(np.int32, 1.0)
    assert AmountScale.choose(2.0**31, is_integer=True).amount_type is np.int64


@pytest.mark.parametrize("is_weighted", [False, True])
def test_a_fit_hangs_on_no_division(is_weighted, small_is_large, monkeypatch):  # noqa: F811
    X, y = noisy_table()
    weight = np.random.default_rng(1).random(len(y)) if is_weighted else None
    texts = []
    for n_rows in (65_536, 11):
        monkeypatch.setattr(row_source, "PART_ROWS", n_rows)
        model = OptimalDecisionDiagramClassifier(
            "1-2-2", max_iter=ITERATIONS, class_weight="balanced", random_state=0
        )
        model.fit(X, y, weight)
        texts.append((model.diagram_.splits, model.objective_, model.certificate_.digest))
    assert texts[0] == texts[1]
