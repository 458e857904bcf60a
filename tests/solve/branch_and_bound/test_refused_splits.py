"""Splits that the state refuses because they save too little over a constant: bounds stay true."""

from dataclasses import replace

import numpy as np
import pytest

from oddlearn.constraints import MaxNodes
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.problem import TrainingData
from oddlearn.problem.certificate import SKIPPED
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.events import Improved
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound.proof_progress import ProofProgress
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import MIN_SAVING, SolveState
from tests.oracles.brute_force import optimal_objective
from tests.oracles.by_nodes import least_costs

# skeleton, trees only
SKELETONS = [("1", False), ("1-2", False), ("1-2-2", False), ("1-2", True), ("1-2-4", True)]

# weights of the rows that a split saves: refused from 1e-9 to MIN_SAVING, accepted above
LIGHT = [1e-12, 1e-9, 1e-8, 9e-8, 2e-7]


def light_problem(weight, skeleton="1-2-2", tree_only=False, alpha=0.0, codes=(0, 0, 1, 0, 0, 1), **others):
    """Return a problem on a line in which the rows of class 1 have nearly no weight."""
    weights = np.where(np.array(codes) == 1, weight, 0.37)
    X = np.linspace(0, 1, len(codes))[:, None]
    data = TrainingData.collect(X, np.array(codes), 2, weights / weights.sum())
    widths = Skeleton.parse(skeleton).widths
    return build_problem(data, Skeleton(widths, tree_only), alpha, "univariate", **others)


def run(problem, incumbent=None, emit=ignore):
    return BranchAndBound().run(SolveState.initial(problem, incumbent), Budget.of(60.0), emit)


@pytest.mark.parametrize("alpha", [0.0, 1e-8, 0.1])
@pytest.mark.parametrize(("skeleton", "tree_only"), SKELETONS)
@pytest.mark.parametrize("weight", LIGHT)
def test_no_bound_exceeds_the_objective_of_a_refused_diagram(weight, skeleton, tree_only, alpha):
    problem = light_problem(weight, skeleton, tree_only, alpha)
    best = optimal_objective(problem)
    state = run(problem).check()
    assert best - 1e-9 <= state.lower_bound <= best + 1e-15
    least = least_costs(problem)
    needed = [k == 0 or cost < least[:k].min() - 1e-15 for k, cost in enumerate(least)]
    assert (state.bounds.cost <= least + 1e-15)[needed].all()
    assert state.objective < best + MIN_SAVING
    assert state.is_optimal == (state.objective - best <= 1e-9)


@pytest.mark.parametrize("weight", [3e-9, 1e-8, 3e-8])
@pytest.mark.parametrize(("skeleton", "tree_only"), SKELETONS)
def test_a_constant_with_a_refused_split_is_not_called_optimal(weight, skeleton, tree_only):
    events = []
    problem = light_problem(weight, skeleton, tree_only)
    state = run(problem, emit=events.append)
    (evidence,) = state.evidence
    assert state.diagram.n_nodes == 0 and not state.is_optimal
    assert evidence.status not in ("optimal", SKIPPED) and "was left out" in evidence.text
    assert not [event for event in events if isinstance(event, Improved)]
    assert not state.resumable


def test_a_constant_is_proved_optimal_with_weights_of_any_size():
    random = np.random.default_rng(0)
    for weight in random.random(10):
        # equal rows have both classes: no split saves anything
        X, codes = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0, 1, 0, 1])
        data = TrainingData.collect(X, codes, 2, np.array([1.0, weight, 0.7, 0.5 * weight]))
        problem = build_problem(data, Skeleton.parse("1-2-2"), 0.1, "univariate")
        state = run(problem)
        assert state.diagram.n_nodes == 0 and state.is_optimal
        assert state.evidence[0].status == "optimal"
        assert state.lower_bound == pytest.approx(optimal_objective(problem), abs=1e-9)


def test_a_small_saving_over_a_split_is_accepted():
    """Only the first split has to save MIN_SAVING."""
    problem = light_problem(1e-8, codes=(0, 0, 1, 1, 1, 0), skeleton="1-1")
    weights = problem.data.class_weight.copy()
    weights[3:5, 1] = 0.5
    cost = np.where(weights > 0, 0.0, weights.max(axis=1, keepdims=True))
    problem = replace(
        problem, data=TrainingData(problem.data.X, weights, problem.data.distinct_row_of), cost=cost
    )
    state = run(problem)
    assert state.is_optimal and state.objective == pytest.approx(optimal_objective(problem), abs=1e-15)


def stump(threshold):
    return DecisionDiagram((UnivariateSplit(0, threshold),), [1], [2], [0], 2, 1)


def test_an_offer_counts_once_whether_it_is_accepted_or_not():
    problem = light_problem(1e-8, "1")
    progress = ProofProgress(SolveState.initial(problem), Budget.of(60.0), ignore)
    refused = stump(0.9)
    saving = progress.state.objective - evaluate(problem, refused).objective
    assert 1e-9 < saving < MIN_SAVING
    assert progress.offer(refused)
    assert progress.state.diagram.n_nodes == 0
    assert progress.objective_to_beat == evaluate(problem, refused).objective < progress.state.objective
    assert not progress.offer(refused)


def test_an_incumbent_that_violates_a_limit_gives_way_to_the_constant():
    """Cutoffs and bounds are those of diagrams within the limit."""
    problem = light_problem(0.3, codes=(0, 0, 1, 0, 0, 1), constraints=[MaxNodes(1)])
    splits = (UnivariateSplit(0, 0.9), UnivariateSplit(0, 0.3), UnivariateSplit(0, 0.5))
    large = DecisionDiagram(splits, [1, 3, 4], [4, 2, 3], [0, 1, 2], 2, 1)
    assert evaluate(problem, large).violation > 0
    state = run(problem, large).check()
    best = min(least_costs(replace(problem, skeleton=Skeleton.parse("1")))) / problem.total_weight
    assert state.is_feasible and state.is_optimal
    assert state.objective == pytest.approx(best)


def test_ctrl_c_during_an_offer_stops_the_proof_and_keeps_the_diagram(monkeypatch):
    problem = light_problem(0.3, "1-2")
    accept = SolveState._accept
    calls = []

    def interrupt_once(self, diagram):
        calls.append(diagram)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return accept(self, diagram)

    monkeypatch.setattr(SolveState, "_accept", interrupt_once)
    state = run(problem)
    assert state.interrupted and state.evidence[0].status == "interrupted"
    assert state.diagram is calls[0]
    assert state.objective < evaluate(problem, best_constant(problem)).objective
