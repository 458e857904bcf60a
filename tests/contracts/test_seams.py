"""The extension seams: a solver, a constraint and an exporter, written here and registered by one entry."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier, from_json, load
from oddlearn.cli.main import main
from oddlearn.constraints import CONSTRAINTS
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.errors import OddlearnWarning, UnsupportedError
from oddlearn.estimators.parameters import validate_parameters
from oddlearn.estimators.scaled_problem import scale_problem
from oddlearn.export.formats import FORMATS, Format
from oddlearn.problem import LinearRows
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.solve import schedule
from oddlearn.solve.budget import Budget
from oddlearn.solve.loop import solve
from oddlearn.solve.step import Schedule, Step
from oddlearn.table.training_table import check_training_table
from oddlearn.view.conditions import class_name, condition_text
from oddlearn.view.inputs import model_view
from tests.oracles.brute_force import optimal_objective
from tests.oracles.constrained import feasible_optimum

SKELETON = "1-2"


def noisy_table():
    """Return twelve rows that no tree of two layers separates, so that the root bounds prove nothing."""
    random = np.random.default_rng(5)
    return random.integers(0, 4, (12, 2)).astype(float), random.integers(0, 2, 12)


def small_model(**parameters):
    given = {"alpha": 0.05, "time_limit": None, "random_state": 0, **parameters}
    return OptimalDecisionDiagramClassifier(SKELETON, **given)


def problem_of(model, X, y):
    """Return the training problem that a fit of the model solves."""
    settings = validate_parameters(model.get_params(deep=False), model._skeleton())
    return scale_problem(check_training_table(model, X, y, None), settings).problem


# a solver: one class


@dataclass(frozen=True)
class ToySolver:
    """All trees of two layers, tried one after the other."""

    name: ClassVar[str] = "toy"

    def unsupported_reasons(self, problem):
        if problem.split != "univariate" or len(problem.rows) or problem.skeleton.widths != (1, 2):
            return ["The toy solver takes univariate splits in the skeleton 1-2 without constraints."]
        return []

    def run(self, state, budget, emit):
        started, problem = time.perf_counter(), state.problem
        costs = np.full(problem.skeleton.n_nodes, np.inf)
        for splits in self._all_splits(problem):
            diagram = self._best_diagram(problem, splits)
            n_nodes = max(1, diagram.n_nodes)
            cost = problem.cost[np.arange(problem.data.n_rows), diagram.predict(problem.data.X)].sum()
            costs[n_nodes - 1] = min(costs[n_nodes - 1], cost)
            state = state.offer(diagram)
        bounds = NodeCountBounds(costs)
        seconds = time.perf_counter() - started
        text = "every tree of two layers was tried"
        return state.tighten(bounds, Evidence(self.name, bounds.lower_bound(problem), text, seconds))

    def _all_splits(self, problem):
        """Yield the splits of the root and of both children; None for a child that is a leaf."""
        columns = enumerate(problem.data.X.T)
        found = [UnivariateSplit(d, value) for d, column in columns for value in np.unique(column)[1:]]
        yield None, None, None
        yield from product(found, [None, *found], [None, *found])

    def _best_diagram(self, problem, splits):
        """Return the diagram with these splits and the cheapest class on each final arc."""
        n_classes, n_features, X = problem.data.n_classes, problem.data.n_features, problem.data.X

        def leaf(rows):
            return -1 - int(problem.cost[rows].sum(axis=0).argmin())  # classes below 0, nodes from 0 on

        root, *below = splits
        if root is None:
            return DecisionDiagram.constant(-1 - leaf(slice(None)), n_classes, n_features)
        nodes, arcs = [root], [[0, 0]]
        for side, split in enumerate(below):
            here = root.side(X) == bool(side)
            arcs[0][side] = leaf(here) if split is None else len(nodes)
            if split is not None:
                nodes.append(split)
                arcs.append([leaf(here & ~split.side(X)), leaf(here & split.side(X))])
        for pair in arcs:
            if pair[0] == pair[1]:  # both sides of a node need different targets
                pair[0] = -1 - (-pair[0] % n_classes)
        targets = np.array([[len(nodes) - 1 - t if t < 0 else t for t in pair] for pair in arcs])
        layer = [0] + [1] * (len(nodes) - 1)
        return DecisionDiagram(tuple(nodes), *targets.T, layer, n_classes, n_features)


def test_a_toy_solver_runs_in_the_loop_through_a_schedule():
    X, y = noisy_table()
    problem = problem_of(small_model(), X, y)
    result = solve(problem, Schedule((Step(ToySolver()),)), Budget.of(None))
    assert result.state.objective == pytest.approx(optimal_objective(problem), abs=1e-9)
    assert result.state.is_optimal
    assert result.events


@pytest.mark.parametrize("how", ["by name", "as an object", "by a rule of the schedule"])
def test_a_toy_solver_closes_the_gap_of_a_fit(how, monkeypatch):
    monkeypatch.setitem(schedule.EXACT_SOLVERS, "toy", (__name__, "ToySolver"))
    if how == "by a rule of the schedule":
        monkeypatch.setattr(schedule, "RULES", (schedule.SolverRule("toy", "univariate", 10**9, 10**9),))
    exact = {"by name": "toy", "as an object": ToySolver(), "by a rule of the schedule": "auto"}[how]
    X, y = noisy_table()
    model = small_model(exact=exact).fit(X, y)
    assert model.objective_ == pytest.approx(optimal_objective(problem_of(model, X, y)), abs=1e-9)
    assert model.is_optimal_
    text = model.certificate_.explain(details=True)
    assert "toy" in text and "every tree of two layers was tried" in text
    assert from_json(model.to_json()).certificate_ == model.certificate_


def test_a_toy_solver_says_why_it_cannot_take_a_problem():
    X, y = noisy_table()
    with pytest.raises(UnsupportedError, match="The toy solver takes univariate splits"):
        small_model(exact=ToySolver(), constraints=[MaxPredicted(0, 3)]).fit(X, y)


# a constraint: one class


@dataclass(frozen=True)
class MaxPredicted:
    """At most so many training samples are given a class."""

    class_code: int
    samples: int

    def describe(self):
        return f"at most {self.samples} samples are given class {self.class_code}"

    def rows(self, data, layout):
        matrix = np.zeros((1, layout.size))
        matrix[0, layout.assigned[:, self.class_code]] = data.class_weight.sum(axis=1)
        return LinearRows(matrix, [-np.inf], [self.samples], (self.describe(),))


@pytest.mark.parametrize("exact", ["milp", "auto"])
def test_a_toy_constraint_is_satisfied_and_proved(exact):
    X, y = noisy_table()
    free = small_model().fit(X, y)
    constraint = MaxPredicted(0, 1)
    model = small_model(exact=exact, constraints=[constraint]).fit(X, y)
    assert (model.predict(X) == 0).sum() <= 1 < (free.predict(X) == 0).sum()
    best = feasible_optimum(problem_of(model, X, y))
    assert model.objective_ == pytest.approx(best, abs=1e-6) and best > free.objective_
    assert model.is_optimal_
    (status,) = model.certificate_.constraints
    assert (status.required, status.is_soft) == (constraint.describe(), False)
    assert constraint.describe() in model.certificate_.explain()


def test_a_toy_constraint_is_saved_once_it_is_registered(tmp_path, monkeypatch):
    X, y = noisy_table()
    model = small_model(exact=None, max_iter=50, constraints=(MaxPredicted(0, 3),)).fit(X, y)
    with pytest.warns(OddlearnWarning, match="JSON cannot hold the given constraints"):
        model.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json").constraints == ()
    monkeypatch.setitem(CONSTRAINTS, "MaxPredicted", MaxPredicted)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json").constraints == (MaxPredicted(0, 3),)


# an exporter: one function


def export_toy(model, metadata=None):
    """Return a line for each node and the class of each end."""
    view = model_view(model, metadata)
    splits = [f"? {condition_text(split, view.metadata)}" for split in view.diagram.splits]
    ends = [f"= {class_name(view.metadata, view.diagram.arc_class[arc])}" for arc in view.diagram.final_arcs]
    return "\n".join([*splits, *ends])


def test_a_toy_exporter_is_a_format_of_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(FORMATS, "toy", Format(export_toy, ".toy", "toy lines"))
    X, y = noisy_table()
    model = small_model(exact=None, max_iter=50).fit(X, y)
    model.save(tmp_path / "model.json")
    lines = export_toy(model).splitlines()
    assert len(lines) == model.n_nodes_ + len(model.diagram_.final_arcs)
    assert FORMATS["toy"].function(model.diagram_, model.metadata_).splitlines() == lines
    assert main(["export", str(tmp_path / "model.json"), "--to", "toy"]) == 0
    assert capsys.readouterr().out.splitlines() == lines
    assert main(["export", str(tmp_path / "model.json"), "--output", str(tmp_path / "model.toy")]) == 0
    assert (tmp_path / "model.toy").read_text().splitlines() == lines
    assert main(["show", str(tmp_path / "model.json"), "--toy"]) == 0
    with pytest.raises(SystemExit):
        main(["export", "--help"])
    assert "toy lines" in capsys.readouterr().out
