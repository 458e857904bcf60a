"""The search of large tables: samples, all rows, limits of time, and fits that choose it."""

import itertools
import time
from dataclasses import replace

import numpy as np
import pytest

from oddlearn import DemographicParity, MaxNodes, OptimalDecisionDiagramClassifier, verify
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import InvalidInputError
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.training_data import TrainingData, row_costs
from oddlearn.solve import large_tables
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram import candidates, layer_sums, sample_draws
from oddlearn.solve.histogram import solver as histogram_solver
from oddlearn.solve.histogram.candidates import CandidateSearch
from oddlearn.solve.histogram.sample_search import merge_rows, rank_diagram, search_sample
from oddlearn.solve.histogram.solver import HistogramSearch
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.loop import solve_problem
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from oddlearn.streaming import row_source
from tests.oracles.tiny_constrained import constrained_problem
from tests.solve.histogram.raw_tables import bin_all, random_diagram, raw_problem

ITERATIONS = 30


@pytest.fixture
def small_is_large(monkeypatch):
    """Let tables of 300 values be large, in samples of 50 rows."""
    monkeypatch.setattr(large_tables, "LARGE_ROWS", 100)
    monkeypatch.setattr(large_tables, "LARGE_CELLS", 300)
    monkeypatch.setattr("oddlearn.problem.row_passes.FIRST_SAMPLE_ROWS", 100)
    monkeypatch.setattr(sample_draws, "FIRST_ROWS", 50)
    monkeypatch.setattr(sample_draws, "MIN_COMPARED_ROWS", 80)
    monkeypatch.setattr(sample_draws, "MIN_PROJECTED_ROWS", 80)
    monkeypatch.setattr(sample_draws, "COMPARED_CELLS", 100)


def noisy_table(seed=0, n_rows=300):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 4))
    y = (X[:, 0] > 0.2) ^ (X[:, 1] > 0) ^ (random.random(n_rows) < 0.05)
    X[random.random(n_rows) < 0.1, 0] = np.nan
    return X, y.astype(int)


@pytest.mark.parametrize("seed", [0, 1, 3, 4])
def test_a_search_beats_the_constant_and_its_state_knows_the_objective(seed, small_is_large):
    problem = raw_problem(seed, n_rows=400)
    before = SolveState.initial(problem)
    after = HistogramSearch().run(before, Budget.of(None, ITERATIONS), ignore)
    assert after.objective < before.objective
    assert after.objective == pytest.approx(evaluate(problem, after.diagram).objective)


@pytest.mark.parametrize("seed", range(6))
def test_a_diagram_of_a_sample_has_the_same_cost_on_its_ranks(seed):
    problem = raw_problem(seed)
    rows = np.arange(problem.data.n_rows)
    result = search_sample(problem, rows, None, LocalSearch(), Budget.of(None, ITERATIONS))
    assert evaluate(problem, result.diagram).objective < evaluate(problem, best_constant(problem)).objective
    again = search_sample(problem, rows, result.diagram, LocalSearch(), Budget.of(None, 1))
    assert evaluate(problem, again.diagram).objective <= evaluate(problem, result.diagram).objective + 1e-12


def test_merged_rows_cost_what_they_cost_apart():
    problem = raw_problem(2, n_rows=300, values=2)
    filled = np.nan_to_num(problem.data.X, nan=5.0)
    data = TrainingData(filled, problem.data.class_weight, np.arange(300))
    apart = replace(problem, data=data, cost=row_costs(data.class_weight, problem.cost_matrix))
    merged = merge_rows(apart)
    assert merged.data.n_rows < 300
    diagram = random_diagram(apart, bin_all(apart), 0).to_diagram(apart, bin_all(apart))
    assert evaluate(merged, diagram).cost == pytest.approx(evaluate(apart, diagram).cost)


def test_ranks_of_a_sample_route_as_raw_values_do():
    from oddlearn.problem.scaling import RankScaling

    for seed in range(8):
        problem = raw_problem(seed)
        diagram = random_diagram(problem, bin_all(problem), seed).to_diagram(problem, bin_all(problem))
        scaling, ranks = RankScaling.rank(problem.data.X)
        ranked = rank_diagram(scaling, diagram, ranks.shape[1])
        assert np.array_equal(ranked.predict(ranks), diagram.predict(problem.data.X))


@pytest.mark.parametrize("n_looks", range(1, 40, 3))
def test_a_search_ends_at_any_look_at_the_clock(n_looks, small_is_large, monkeypatch):
    """A clock that jumps past the deadline at its n-th reading stands for a slow machine."""
    monkeypatch.setattr(row_source, "PART_ROWS", 100)
    problem = raw_problem(1, n_rows=400)
    before, start, readings = SolveState.initial(problem), time.perf_counter(), itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: start + (1e6 if next(readings) > n_looks else 0.0))
    after = HistogramSearch().run(before, Budget(start, start + 100, max_iter=ITERATIONS), ignore)
    monkeypatch.undo()
    assert after.objective <= before.objective and next(readings) < n_looks + 200


def test_columns_that_no_candidate_uses_are_not_binned_where_there_are_many(monkeypatch):
    monkeypatch.setattr(candidates, "MAX_COLUMNS", 2)
    problem = raw_problem(3, n_rows=300)
    search = CandidateSearch(problem, 0, 1)
    search.run(None, Budget.of(None, ITERATIONS))
    used = set(search.found[0].diagram.used_features)
    assert used and set(search._columns([]).tolist()) >= used


def test_ctrl_c_keeps_the_candidate(small_is_large):
    problem = raw_problem(1, n_rows=400)

    def interrupt(event):
        raise KeyboardInterrupt

    result = HistogramSearch().search(problem, None, Budget.of(None, ITERATIONS), interrupt)
    assert result.interrupted


def test_other_constraints_are_refused_in_a_sentence():
    reasons = HistogramSearch().unsupported_reasons(constrained_problem(3, kinds=("fair",)))
    assert "use search=" in reasons[0] and len(reasons) == 1
    assert not HistogramSearch().unsupported_reasons(constrained_problem(3, kinds=("limits",)))
    assert not HistogramSearch().unsupported_reasons(raw_problem(0))


def test_a_large_table_is_fitted_by_histograms_and_verified_in_any_order(small_is_large):
    X, y = noisy_table()
    weight = np.random.default_rng(1).random(len(y))
    model = OptimalDecisionDiagramClassifier("1-2-2", max_iter=ITERATIONS, constraints=[MaxNodes(4)])
    model.fit(X, y, weight)
    assert model.score(X, y, weight) > 0.8 and model.diagram_.n_nodes <= 4
    order = np.random.default_rng(2).permutation(len(y))
    assert verify(model, X[order], y[order], weight[order]).objective == pytest.approx(model.objective_)


def test_a_large_table_is_not_copied_and_not_changed(small_is_large):
    X, y = noisy_table()
    kept = X.copy()
    model = OptimalDecisionDiagramClassifier("1-2-2", max_iter=ITERATIONS).fit(X, y)
    assert np.array_equal(X, kept, equal_nan=True) and X.flags.writeable
    single = OptimalDecisionDiagramClassifier("1-2-2", max_iter=ITERATIONS).fit(X.astype(np.float32), y)
    assert single.score(X, y) == pytest.approx(model.score(X, y), abs=0.1)


def test_constraints_of_another_kind_take_the_usual_way(small_is_large):
    X, y = noisy_table()
    model = OptimalDecisionDiagramClassifier("1-2", max_iter=ITERATIONS, constraints=[DemographicParity(0.5)])
    model.fit(X, y, sensitive_features=np.arange(len(y)) % 2)
    assert model.certificate_.violation <= 1e-9
    assert any(entry.solver == "best_stump" for entry in model.certificate_.evidence)


def test_equal_rows_of_a_large_table_are_put_together(small_is_large):
    X, y = noisy_table()
    X = np.where(np.isnan(X), np.nan, X > 0)
    model = OptimalDecisionDiagramClassifier("1-2-2", max_iter=ITERATIONS).fit(X, y)
    assert any(entry.solver == "best_stump" for entry in model.certificate_.evidence)  # as small tables do


def test_the_search_can_be_asked_for_by_name():
    X, y = noisy_table()
    model = OptimalDecisionDiagramClassifier("1-2-2", search="histogram", exact=None, max_iter=ITERATIONS)
    assert model.fit(X, y).score(X, y) > 0.8


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_sums_in_threads_are_those_of_one_and_none_if_one_had_no_time(n_jobs, monkeypatch):
    monkeypatch.setattr(row_source, "PART_ROWS", 50)
    problem = raw_problem(1, n_rows=400)
    table = bin_all(problem)
    diagram = random_diagram(problem, table, 1)
    for layer in range(3):
        one = layer_sums.sum_layer(problem, table, diagram, layer, Budget.of(None))
        many = layer_sums.sum_layer(problem, table, diagram, layer, Budget.of(None), n_jobs)
        assert np.array_equal(one.sums, many.sums)
        assert (one.groups, one.targets) == (many.groups, many.targets)
    readings = itertools.count()
    start = time.perf_counter()
    # 8 parts: the time is over before the last one, whichever thread has it
    monkeypatch.setattr(time, "perf_counter", lambda: start + (1e6 if next(readings) > 6 else 0.0))
    assert layer_sums.sum_layer(problem, table, diagram, 0, Budget(start, start + 100), n_jobs) is None


def test_candidates_are_feasible_then_measured_on_all_rows_then_of_the_least_objective():
    diagram = best_constant(raw_problem(0))
    order = [
        candidates.Candidate(0.5, diagram, True, True),
        candidates.Candidate(0.6, diagram, True, True),
        candidates.Candidate(0.1, diagram, True, False),
        candidates.Candidate(0.2, diagram, True, False),
        candidates.Candidate(0.0, diagram, False, True),
        candidates.Candidate(0.0, diagram, False, False),
    ]
    for shift in range(6):
        assert sorted(order[shift:] + order[:shift], key=lambda one: one.sort_key) == order
        best = None
        for one in order[shift:] + order[:shift]:
            best = histogram_solver._choose(best, one)
        assert best is order[0]


@pytest.mark.parametrize("n_jobs", [0, -1, 1.0, None])
def test_a_number_of_threads_below_one_is_refused(n_jobs):
    with pytest.raises(InvalidInputError, match="n_jobs"):
        HistogramSearch(n_jobs=n_jobs)


def test_without_time_nothing_is_searched():
    result = HistogramSearch().search(raw_problem(0), None, Budget.of(0.0), ignore)
    assert (result.diagram, result.iterations, result.interrupted) == (None, 0, False)


@pytest.mark.parametrize("most", [1, 2])
def test_no_more_candidates_are_improved_on_all_rows_than_allowed(most, small_is_large, monkeypatch):
    monkeypatch.setattr(histogram_solver, "MAX_IMPROVED", most)
    monkeypatch.setattr(candidates, "MIN_GAIN", 0.0)  # equal ones count as different
    problem, improved, heard = raw_problem(1, n_rows=400), [], []
    improve = CandidateSearch.improve_on_all
    monkeypatch.setattr(
        CandidateSearch, "improve_on_all", lambda *given: improved.append(1) or improve(*given)
    )
    start = random_diagram(problem, bin_all(problem), 1).to_diagram(problem, bin_all(problem))
    result = HistogramSearch().search(problem, start, Budget.of(None, ITERATIONS), heard.append)
    assert len(improved) == len(heard) == most
    # a start is a candidate, too
    assert evaluate(problem, result.diagram).objective <= evaluate(problem, start).objective + 1e-12


def test_candidates_that_cost_the_same_are_improved_once():
    diagram = DecisionDiagram.constant(0, 2, 3)
    search = CandidateSearch(raw_problem(0), 0, 1)
    objectives = [0.1, 0.1, 0.1 + candidates.MIN_GAIN / 2, 0.1 + 2 * candidates.MIN_GAIN, 0.2, 0.2]
    search.found = [candidates.Candidate(objective, diagram) for objective in objectives]
    assert [one.objective for one in search.list_different()] == [0.1, objectives[3], 0.2]


def test_time_is_set_aside_for_all_rows_but_never_more_than_half(monkeypatch):
    problem, asked = raw_problem(1, n_rows=400), []

    def run(self, start, budget):
        asked.append(budget.remaining())
        raise KeyboardInterrupt

    monkeypatch.setattr(CandidateSearch, "run", run)
    for seconds in (1.0, 8.0):
        monkeypatch.setattr(histogram_solver, "SECONDS_PER_VALUE", seconds / problem.data.X.size)
        assert HistogramSearch().search(problem, None, Budget.of(10.0), ignore).interrupted
    assert asked == pytest.approx([9.0, 5.0], abs=0.5)


def test_the_work_on_samples_is_limited_and_their_best_diagram_kept(small_is_large, monkeypatch):
    searched, search = [], CandidateSearch._search
    monkeypatch.setattr(CandidateSearch, "_search", lambda *given: searched.append(1) or search(*given))
    problem = raw_problem(1, n_rows=400)
    first = candidates.FIRST_WORK * problem.skeleton.n_nodes / candidates.WORK_NODES
    for work in (0.5 * first, 0.0):
        searched.clear()
        result = HistogramSearch(max_work=work).search(problem, None, Budget.of(None), ignore)
        assert (len(searched), result.diagram is not None) == ((1, True) if work else (0, False))


@pytest.mark.parametrize("n_rows", [80, 81])
def test_tables_of_many_rows_are_searched_by_histograms_when_the_usual_way_has_ended(n_rows, monkeypatch):
    monkeypatch.setattr(large_tables, "MEDIUM_ROWS", 80)
    problem, ran = raw_problem(0, n_rows=n_rows), []
    data = TrainingData(np.nan_to_num(problem.data.X), problem.data.class_weight, np.arange(n_rows))
    problem = replace(problem, data=data, cost=row_costs(data.class_weight, problem.cost_matrix))
    monkeypatch.setattr(HistogramSearch, "run", lambda self, state, *_: ran.append(state.diagram) or state)
    usual = solve_problem(problem, LocalSearch(), Budget.of(5.0))
    assert len(ran) == n_rows - 80
    assert all(diagram == usual.state.diagram for diagram in ran)
    solve_problem(problem, LocalSearch(), Budget.of(5.0, 50))
    assert len(ran) == n_rows - 80  # a number of iterations is one of the usual way
