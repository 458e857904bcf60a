"""The contract of a back end, checked on every solver that is installed."""

import math
import time
from dataclasses import replace
from importlib import import_module
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array

from oddlearn.errors import UnsupportedError
from oddlearn.solve.milp.backends import BACKENDS
from oddlearn.solve.milp.backends import gurobi as gurobi_module
from oddlearn.solve.milp.backends.backend import SolveOptions, SolverCallback, install_hint
from oddlearn.solve.milp.backends.scip import _set_options
from oddlearn.solve.milp.linear_model import Indicators, LinearModel
from tests.solve.milp.solving import point_violation

KINDS = [
    (name, kind) for name in BACKENDS for kind in ("big-m", "native") if (name, kind) != ("highs", "native")
]


@pytest.fixture(params=KINDS, ids=lambda kind: "-".join(kind))
def solver(request):
    """Return a function that solves a model and gathers the news; skip what cannot run here, saying why."""
    name, kind = request.param
    objection = BACKENDS[name].unavailable_reason(kind)
    if objection is not None:
        pytest.skip(objection)

    def solve(model, seconds=30.0, cutoff=math.inf, start=None, threads=1):
        news = []
        options = SolveOptions(seconds, cutoff, start, kind, threads)
        return BACKENDS[name].solve(model, options, news.append), news

    return solve


def no_indicators(n_columns):
    return Indicators(np.empty(0, dtype=np.intp), csr_array((0, n_columns)), np.empty(0), np.empty(0))


def knapsack(seed=0, n=8, n_rows=3, offset=0.0):
    """A few rows of weights over binaries, to be packed for the largest worth."""
    random = np.random.default_rng(seed)
    weights = random.integers(1, 20, (n_rows, n)).astype(float)
    return LinearModel(
        cost=-random.integers(1, 30, n).astype(float),
        offset=offset,
        matrix=csr_array(weights),
        lower=np.full(n_rows, -np.inf),
        upper=np.floor(weights.sum(axis=1) * 0.4),
        column_lower=np.zeros(n),
        column_upper=np.ones(n),
        integer=np.ones(n, dtype=bool),
        indicators=no_indicators(n),
    )


def triggered(seed=0, n=6):
    """A knapsack whose things also push a number x in [0, 1] up or down: x <= 0.3 or x >= 0.6, and so on."""
    model = knapsack(seed, n)
    random = np.random.default_rng(seed)
    signs = random.choice([-1.0, 1.0], n)
    limit = np.where(signs > 0, random.random(n), -random.random(n))
    matrix = csr_array(np.hstack([np.zeros((n, n)), signs[:, None]]))
    big_m = np.where(signs > 0, 1.0 - limit, -limit)
    return replace(
        model,
        cost=np.append(model.cost, 0.5),
        matrix=csr_array(np.hstack([model.matrix.toarray(), np.zeros((3, 1))])),
        column_lower=np.zeros(n + 1),
        column_upper=np.ones(n + 1),
        integer=np.append(model.integer, False),
        indicators=Indicators(np.arange(n), matrix, limit, big_m),
    )


def optimum(model):
    """Least value over all binaries; the number x takes the smallest value that the triggers allow."""
    n = int(model.integer.sum())
    best = math.inf
    for choice in product([0.0, 1.0], repeat=n):
        point = np.array(choice)
        if model.n_columns > n:
            lower = [-limit for limit in model.indicators.upper[point > 0.5] if limit < 0]
            point = np.append(point, max([0.0, *lower]))
        if point_violation(model, point) <= 1e-9:
            best = min(best, model.value(point))
    return best


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_indicators_become_rows_of_large_numbers_where_that_is_asked_for(name, kind, monkeypatch):
    objection = BACKENDS[name].unavailable_reason(kind)
    if objection is not None:
        pytest.skip(objection)
    module, calls = import_module(f"oddlearn.solve.milp.backends.{name}"), []
    original = module.linearise_indicators
    monkeypatch.setattr(module, "linearise_indicators", lambda model: calls.append(model) or original(model))
    model = triggered()
    BACKENDS[name].solve(model, SolveOptions(30.0, math.inf, None, kind, 1), lambda event: None)
    assert calls == ([model] if kind == "big-m" else [])


@pytest.mark.parametrize("make", [knapsack, triggered])
@pytest.mark.parametrize("seed", range(5))
def test_the_optimum_is_found_and_bounded(solver, make, seed):
    model = make(seed)
    solution, _ = solver(model)
    assert solution.status == "optimal"
    assert model.value(solution.values) == pytest.approx(optimum(model), abs=1e-6)
    assert point_violation(model, solution.values) <= 1e-6
    assert solution.bound == pytest.approx(optimum(model), abs=1e-6)


def test_the_offset_counts_in_values_bounds_and_cutoffs(solver):
    best = optimum(knapsack()) + 100.0
    model = knapsack(offset=100.0)
    assert solver(model)[0].bound == pytest.approx(best, abs=1e-6)
    assert solver(model, cutoff=best + 0.5)[0].status == "optimal"
    assert solver(model, cutoff=best - 0.5)[0].status == "cutoff"
    assert solver(model, cutoff=best - 0.5)[0].bound == best - 0.5


@pytest.mark.parametrize("make", [knapsack, triggered])
@pytest.mark.parametrize("distance", [-40.0, -5.0, -0.5, -0.01])
def test_a_cutoff_below_the_optimum_is_the_bound_and_never_more(solver, make, distance):
    for seed in range(4):
        model = make(seed)
        cutoff = optimum(model) + distance
        solution, news = solver(model, cutoff=cutoff)
        assert (solution.status, solution.bound, solution.values) == ("cutoff", cutoff, None)
        assert all(piece.bound <= cutoff and piece.values is None for piece in news)


@pytest.mark.parametrize("distance", [40.0, 5.0, 0.5, 0.01])
def test_a_cutoff_above_the_optimum_keeps_the_optimum(solver, distance):
    for seed in range(4):
        model = triggered(seed)
        solution, _ = solver(model, cutoff=optimum(model) + distance)
        assert solution.status == "optimal"
        assert solution.bound == pytest.approx(optimum(model), abs=1e-6)
        assert model.value(solution.values) == pytest.approx(optimum(model), abs=1e-6)


def test_an_infeasible_model_is_called_so(solver):
    model = knapsack()
    impossible = replace(model, lower=np.full(3, 1e4), upper=np.full(3, np.inf))
    solution, _ = solver(impossible)
    assert (solution.status, solution.bound, solution.values) == ("infeasible", math.inf, None)
    assert solver(impossible, cutoff=5.0)[0].bound == 5.0


def test_a_start_is_used(solver):
    model = triggered(1)
    start = solver(model)[0].values
    solution, news = solver(model, start=np.round(start, 9))
    assert solution.bound == pytest.approx(optimum(model), abs=1e-6)
    told = [piece.objective for piece in news if piece.values is not None]
    assert told[0] == pytest.approx(optimum(model), abs=1e-6)


def test_a_start_that_is_not_below_the_cutoff_changes_nothing(solver):
    model = knapsack(2)
    solution, _ = solver(model, start=np.zeros(8), cutoff=optimum(model) - 0.5)
    assert (solution.status, solution.values) == ("cutoff", None)


def test_the_time_limit_ends_the_work_and_keeps_what_was_found(solver):
    model = knapsack(seed=3, n=200, n_rows=40)
    started = time.perf_counter()
    solution, news = solver(model, seconds=1.0)
    assert time.perf_counter() - started < 3.0
    assert solution.status == "time"
    assert point_violation(model, solution.values) <= 1e-5
    assert -math.inf < solution.bound < model.value(solution.values)
    points = [piece for piece in news if piece.values is not None]
    assert points[-1].objective == pytest.approx(model.value(solution.values), abs=1e-5)
    bounds = [piece.bound for piece in news if math.isfinite(piece.bound)]
    assert bounds
    assert bounds == sorted(bounds)
    assert bounds[-1] <= solution.bound + 1e-9


def test_better_points_are_told_as_they_come(solver):
    model = knapsack(seed=5, n=60, n_rows=10)
    solution, news = solver(model, seconds=2.0)
    objectives = [piece.objective for piece in news if piece.values is not None]
    assert objectives == sorted(objectives, reverse=True)
    assert objectives[-1] == pytest.approx(model.value(solution.values), abs=1e-6)
    assert all(piece.bound <= piece.objective + 1e-6 for piece in news)


def test_two_threads_find_the_same(solver):
    model = triggered(2)
    assert solver(model, threads=2)[0].bound == pytest.approx(optimum(model), abs=1e-6)
    assert solver(model, threads=1)[0].bound == pytest.approx(optimum(model), abs=1e-6)


def test_ranges_and_equations_are_kept(solver):
    model = replace(knapsack(1), lower=np.array([20.0, -np.inf, 25.0]), upper=np.array([30.0, np.inf, 25.0]))
    assert solver(model)[0].bound == pytest.approx(optimum(model), abs=1e-6)


@pytest.mark.parametrize("name", BACKENDS)
def test_a_solver_names_itself_and_its_version(name):
    if BACKENDS[name].unavailable_reason("big-m") is not None:
        pytest.skip(BACKENDS[name].unavailable_reason("big-m"))
    solver, version = BACKENDS[name].version().split(" ")
    assert solver in ("HiGHS", "SCIP", "Gurobi")
    assert version[0].isdigit()


def test_highs_has_no_native_indicators():
    assert "big-m" in BACKENDS["highs"].unavailable_reason("native")


def test_a_missing_package_is_named_with_its_extra():
    hint = install_hint("no_such_package", "oddlearn[scip]")
    assert hint == 'The package no_such_package is not installed: pip install "oddlearn[scip]"'


def test_a_licence_that_cannot_be_read_is_an_objection(monkeypatch):
    gurobi = BACKENDS["gurobi"]
    if gurobi.unavailable_reason("big-m") is not None:
        pytest.skip(gurobi.unavailable_reason("big-m"))
    monkeypatch.setenv("GRB_LICENSE_FILE", "no_such_file.lic")
    assert "licence" in gurobi.unavailable_reason("big-m")


def test_a_model_too_large_for_the_licence_of_gurobi_is_refused_in_a_sentence():
    gurobi = BACKENDS["gurobi"]
    if gurobi.unavailable_reason("big-m") is not None:
        pytest.skip(gurobi.unavailable_reason("big-m"))
    options = SolveOptions(1.0, math.inf, None, "big-m")
    try:
        gurobi.solve(knapsack(n=3000), options, lambda news: None)
    except UnsupportedError as error:
        assert "too large for the licence" in str(error)
    else:
        pytest.skip("The licence of Gurobi here has no limit of size.")


@pytest.mark.parametrize("limit", [math.inf, 2.5])
def test_scip_is_given_limits_only_where_there_are_any(limit):
    found = {}
    solver = SimpleNamespace(
        hideOutput=lambda: found.update(output=False),
        setParam=found.__setitem__,
        setObjlimit=lambda value: found.update(objlimit=value),
    )
    _set_options(solver, SolveOptions(limit, limit, None, "native", seed=7, tolerance=1e-7), limit)
    limits = {} if limit == math.inf else {"limits/time": 2.5, "objlimit": 2.5}
    others = {"misc/catchctrlc": False, "randomization/randomseedshift": 7, "numerics/feastol": 1e-7}
    assert found == {"output": False, **others, **limits}


class FakeGurobi(SimpleNamespace):
    """A Gurobi that ends with a given status, or fails with a given error."""

    def __init__(self, status="OPTIMAL", n_solutions=1, error=None):
        names = ("OPTIMAL", "CUTOFF", "INFEASIBLE", "INF_OR_UNBD", "TIME_LIMIT", "INTERRUPTED", "NUMERIC")
        codes = SimpleNamespace(**{name: place for place, name in enumerate(names)})
        for name in gurobi_module._STOPPED:
            vars(codes).setdefault(name, 100 + len(vars(codes)))
        callback = SimpleNamespace(MIPSOL=1, MIP=2, MIPSOL_OBJ=3, MIP_OBJBND=4)
        grb = SimpleNamespace(
            Status=codes, Callback=callback, Error=SimpleNamespace(SIZE_LIMIT_EXCEEDED=10010)
        )
        super().__init__(GRB=grb, GurobiError=FakeGurobiError, error=error)
        self.NodeCount, self.SolCount, self.Status = 7.0, n_solutions, getattr(codes, status)
        self.ObjVal, self.ObjBound, self.NumVars, self.NumConstrs = 5.0, 4.0, 30, 20

    def optimize(self, on_event):
        if self.error is not None:
            raise self.error
        on_event(SimpleNamespace(cbGet={4: 3.0}.get), 2)
        model = SimpleNamespace(cbGet={3: 6.0}.get, cbGetSolution=lambda columns: [1.0, 1.0])
        on_event(model, 1)
        on_event(model, 9)


class FakeGurobiError(Exception):
    def __init__(self, text, errno):
        super().__init__(text)
        self.errno = errno


def fake_callback(sent):
    options = SolveOptions(1.0, math.inf, None, "big-m")
    return SolverCallback(SimpleNamespace(offset=100.0), options, sent.append)


def test_events_of_gurobi_are_passed_on():
    sent, fake = [], FakeGurobi()
    gurobi_module._optimize(fake, fake, None, fake_callback(sent))
    assert [(event.bound, event.objective) for event in sent] == [(103.0, math.inf), (103.0, 106.0)]
    assert sent[1].values.tolist() == [1.0, 1.0]


def test_an_error_of_gurobi_is_told_as_it_is():
    for errno, error, text in (
        (1, RuntimeError, "Gurobi failed: broken"),
        (10010, UnsupportedError, "30 columns"),
    ):
        fake = FakeGurobi(error=FakeGurobiError("broken", errno))
        with pytest.raises(error, match=text):
            gurobi_module._optimize(fake, fake, None, fake_callback([]))


@pytest.mark.parametrize(
    ("status", "n_solutions", "expected", "bound"),
    [
        ("OPTIMAL", 1, "optimal", 104.0),
        ("INFEASIBLE", 0, "infeasible", math.inf),
        ("CUTOFF", 0, "infeasible", math.inf),
        ("INF_OR_UNBD", 0, "infeasible", math.inf),
        *((name, 1, status, 104.0) for name, status in gurobi_module._STOPPED.items()),
        *((name, 0, status, 104.0) for name, status in gurobi_module._STOPPED.items()),
    ],
)
def test_each_end_of_gurobi_has_its_status_and_bound(status, n_solutions, expected, bound):
    fake = FakeGurobi(status, n_solutions)
    columns = SimpleNamespace(X=[0.0, 1.0])
    solution = gurobi_module._solution(fake, fake, columns, fake_callback([]))
    assert (solution.status, solution.bound, solution.nodes) == (expected, bound, 7)
    assert (None if solution.values is None else solution.values.tolist()) == (
        [0.0, 1.0] if n_solutions else None
    )


def test_a_status_of_gurobi_that_nobody_expects_is_an_error():
    fake = FakeGurobi("NUMERIC", 0)
    if "NUMERIC" not in gurobi_module._STOPPED:
        with pytest.raises(RuntimeError, match="Gurobi failed: its status is 6"):
            gurobi_module._solution(fake, fake, None, fake_callback([]))
