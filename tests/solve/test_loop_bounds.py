"""Steps of training between the search and the provers: priced constraints and single hyperplanes."""

from dataclasses import replace

import numpy as np
import pytest

from oddlearn.constraints import DemographicParity, MaxNodes
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.events import Bounded, Improved
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes.branch_and_cut import SingleHyperplaneSearch
from oddlearn.solve.schedule import AutoSchedule, limits_lower_bound
from oddlearn.solve.state import SolveState
from oddlearn.table.groups import SampleGroups, SensitiveColumn
from tests.fakes import FixedExact, FixedSearch, train
from tests.oracles.constrained import feasible_optimum
from tests.oracles.tiny_constrained import constrained_problem

SECONDS = 5.0


def stripes(*constraints, split="univariate", skeleton="1-1", alpha=0.1):
    """Return classes 0 1 0 1 0 along one feature, in two groups: the free bounds leave a gap."""
    codes = np.array([0, 1, 0, 1, 0])
    sample_groups = SampleGroups(
        codes, np.ones(5), (0, 1), (SensitiveColumn("group", ("a", "b"), 1 - codes),)
    )
    data = TrainingData.collect(np.linspace(0, 1, 5)[:, None], codes, 2, None, sample_groups)
    return build_problem(data, Skeleton.parse(skeleton), alpha, split, 1e-4, constraints=constraints)


def engines_of(trained):
    return [proof.solver for proof in trained.evidence]


@pytest.mark.parametrize(
    ("problem", "exact", "max_iter", "is_priced"),
    [
        (stripes(DemographicParity(0.5)), AutoSchedule(), None, True),
        (stripes(DemographicParity(0.5), MaxNodes(1)), AutoSchedule(), None, True),
        (stripes(DemographicParity(0.5)), AutoSchedule(), 3, False),
        (stripes(DemographicParity(0.5)), FixedExact(), None, False),
        (stripes(DemographicParity(0.5)), None, None, False),
        (stripes(DemographicParity(0.5), split="multivariate"), AutoSchedule(), None, False),
        (stripes(MaxNodes(2)), AutoSchedule(), None, False),
        (stripes(), AutoSchedule(), None, False),
    ],
)
def test_only_constraints_on_univariate_splits_are_priced(monkeypatch, problem, exact, max_iter, is_priced):
    monkeypatch.setattr("oddlearn.solve.schedule.RULES", ())
    trained = train(problem, FixedSearch(), Budget.of(SECONDS, max_iter), exact=exact)
    assert ("lagrangian" in engines_of(trained)) == is_priced


# on the first ones pricing proves more than the free bounds, on the others it finds a better diagram
@pytest.mark.parametrize("seed", [11, 15, 25, 29, 1, 18, 20, 45])
def test_priced_constraints_find_and_prove_the_optimum_alone(monkeypatch, seed):
    monkeypatch.setattr("oddlearn.solve.schedule.RULES", ())
    heard, problem = [], constrained_problem(seed, kinds=("fair",))
    trained = train(problem, FixedSearch(), Budget.of(SECONDS), heard.append, AutoSchedule())
    value = evaluate(problem, trained.diagram)
    assert value.violation == 0
    assert trained.lower_bound == pytest.approx(feasible_optimum(problem)) == pytest.approx(value.objective)
    assert engines_of(trained)[-1] == "lagrangian"
    assert trained.evidence[-1].bound == pytest.approx(trained.lower_bound)
    assert [event.objective for event in heard if isinstance(event, Improved)][-1] == value.objective
    assert [event.lower_bound for event in heard if isinstance(event, Bounded)][-1] == trained.lower_bound


@pytest.mark.parametrize("interrupted", [False, True])
def test_pricing_has_a_share_of_the_time_and_tells_its_bound_at_once(monkeypatch, interrupted):
    prover, limits, heard = FixedExact(), [], []

    class FixedMethod:
        bounds, diagram = NodeCountBounds(np.array([1.0, 1.0])), None
        evidence = Evidence("lagrangian", 0.3, "by decree", 0.0)

        def __init__(self, problem, objective, budget):
            limits.append((objective, budget.remaining()))
            self.interrupted = interrupted

        def run(self):
            pass

    def hear(event):
        heard.append((getattr(event, "lower_bound", None), len(prover.incumbents)))

    monkeypatch.setattr("oddlearn.solve.lagrangian.solver.SubgradientMethod", FixedMethod)
    monkeypatch.setattr("oddlearn.solve.schedule.build_solver", lambda *options: prover)
    engine = FixedSearch(DecisionDiagram.constant(1, 2, 1))
    trained = train(stripes(DemographicParity(0.5)), engine, Budget.of(100.0), hear, AutoSchedule())
    ((objective, seconds),) = limits
    assert objective == pytest.approx(2 / 5)
    assert 35 < seconds <= 40
    assert (pytest.approx(0.3), 0) in heard  # one error and a second node, before any prover is asked
    assert trained.interrupted == interrupted
    assert bool(prover.incumbents) == (not interrupted)


@pytest.mark.parametrize(
    ("split", "exact", "max_iter", "spare_cells", "is_asked"),
    [
        ("multivariate", AutoSchedule(), None, 0, True),
        ("multivariate", AutoSchedule(), None, -1, False),
        ("multivariate", AutoSchedule(), 3, 0, False),
        ("multivariate", FixedExact(), None, 0, False),
        ("multivariate", None, None, 0, False),
        ("univariate", AutoSchedule(), None, 0, False),
    ],
)
def test_a_single_hyperplane_is_searched_where_splits_are_multivariate_and_rows_are_few(
    monkeypatch, split, exact, max_iter, spare_cells, is_asked
):
    monkeypatch.setattr("oddlearn.solve.schedule.RULES", ())
    problem = stripes(split=split)
    monkeypatch.setattr("oddlearn.solve.schedule.MAX_HYPERPLANE_CELLS", problem.data.X.size + spare_cells)
    trained = train(problem, FixedSearch(), Budget.of(SECONDS, max_iter), exact=exact)
    assert ("single_hyperplane" in engines_of(trained)) == is_asked


@pytest.mark.parametrize(
    ("skeleton", "alpha", "costs", "is_worth"),
    [
        ("1-1", 0.1, (0, 0), True),
        ("1-1", 0.2, (1, 0), False),  # as dear as two nodes
        ("1-1", 0.2, (1, 1), True),
        ("1-1", 1.0, (1, 0), True),
        ("1-1", 1.0, (2, 0), False),  # the constant diagram costs 2
        ("1", 0.2, (1,), True),
        ("1", 0.2, (2,), False),
    ],
)
def test_a_single_hyperplane_is_worth_a_search_while_its_bound_is_the_least(skeleton, alpha, costs, is_worth):
    problem = stripes(split="multivariate", skeleton=skeleton, alpha=alpha)
    known = SolveState.initial(problem).tighten(NodeCountBounds(np.array(costs, float)))
    assert limits_lower_bound(known, 1) == is_worth
    assert not limits_lower_bound(replace(known, interrupted=True), 1)


def clouds():
    """Two clouds that overlap: one hyperplane makes 3 errors of 24, the free bounds say 1, a node is dear."""
    random = np.random.default_rng(1)
    codes = np.arange(24) % 2
    X = random.random((24, 2)) * 0.7 + 0.3 * codes[:, None]
    codes[:2] = 1 - codes[:2]
    return build_problem(TrainingData.collect(X, codes, 2), Skeleton.parse("1-2"), 1.0, "multivariate")


@pytest.mark.parametrize("has_provers", [False, True])
def test_the_single_hyperplane_is_resumed_round_by_round_and_told_once(monkeypatch, has_provers):
    searches, run = [], SingleHyperplaneSearch.run
    monkeypatch.setattr("oddlearn.solve.rounds.FIRST_WORK", 1e-3)
    monkeypatch.setattr(
        SingleHyperplaneSearch,
        "run",
        lambda planes, cutoff, budget: (searches.append(planes), run(planes, cutoff, budget)),
    )
    if has_provers:
        monkeypatch.setattr("oddlearn.solve.schedule.build_solver", lambda *options: FixedExact())
    else:
        monkeypatch.setattr("oddlearn.solve.schedule.RULES", ())
    trained = train(clouds(), FixedSearch(), Budget.of(100.0), exact=AutoSchedule())
    assert trained.lower_bound == pytest.approx(3 / 24)
    assert evaluate(clouds(), trained.diagram).objective == pytest.approx(3 / 24)
    assert engines_of(trained).count("single_hyperplane") == 1
    assert trained.evidence[-1].bound == pytest.approx(trained.lower_bound)
    assert len(searches) > 1
    assert set(map(id, searches)) == {id(searches[0])}
