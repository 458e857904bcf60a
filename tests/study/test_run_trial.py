"""A trial is carried out as it says, and its outcome is what the model says of itself."""

import math
import signal
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest

from oddlearn.constraints import MinFlow
from oddlearn.datasets import load, split_indices
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.errors import DatasetError, InvalidInputError
from oddlearn.estimators import OptimalDecisionDiagramClassifier, OptimalDecisionTreeClassifier
from oddlearn.estimators.classifiers import from_json
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.scaling import UnitScaling
from oddlearn.problem.training_data import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.study.flow_text import format_flows, parse_flows
from oddlearn.study.run_trial import find_proving_solver, run_trial
from oddlearn.study.trial import Trial


def trial(**given):
    """Return a short trial on iris; trials with alpha 0.5 end by proof, long before the time is over."""
    dull = {
        "dataset": "iris",
        "seed": 1,
        "skeleton": "1-2-4",
        "is_tree": False,
        "alpha": 0.5,
        "split": "univariate",
        "method": "auto",
        "seconds": 10.0,
    }
    return Trial(**dull | given)


def carried_out(given):
    """Return the outcome, the model, and the rows of the three parts."""
    outcome, text = run_trial(given)
    dataset = load(given.dataset)
    return outcome, from_json(text), dataset, split_indices(dataset.codes.size, given.seed)


@pytest.mark.parametrize("split", ["univariate", "multivariate"])
@pytest.mark.parametrize("is_tree", [False, True])
@pytest.mark.parametrize("method", ["construct", "local_search", "auto"])
def test_the_outcome_is_what_the_model_says(method, is_tree, split):
    # a search alone goes on as long as it may
    seconds = 10.0 if method == "auto" else 0.1
    given = trial(method=method, is_tree=is_tree, split=split, seconds=seconds)
    outcome, model, dataset, rows = carried_out(given)
    kind = OptimalDecisionTreeClassifier if is_tree else OptimalDecisionDiagramClassifier
    assert isinstance(model, kind)
    assert model.certificate_.skeleton == (Skeleton.tree(3) if is_tree else Skeleton.parse("1-2-4"))
    certificate = model.certificate_
    assert (outcome.objective, outcome.lower_bound) == (certificate.objective, certificate.lower_bound)
    assert outcome.is_optimal == certificate.is_optimal
    assert bool(outcome.solver) == outcome.is_optimal
    assert outcome.is_optimal or method != "auto"
    assert outcome.n_nodes == model.diagram_.n_nodes
    assert 0 < outcome.fit_seconds < math.inf
    assert outcome.flows == format_flows(model.diagram_, dataset.X[rows.training])
    for name in ("training", "validation", "test"):
        chosen = getattr(rows, name)
        right = sum(model.predict(dataset.X[chosen]) == dataset.codes[chosen])
        assert getattr(outcome, name) == right / chosen.size


def test_the_objective_is_error_plus_price_on_the_training_rows_alone():
    outcome, _, _, rows = carried_out(trial())
    price = 0.5 * (outcome.n_nodes - 1) / (7 - 1)
    assert outcome.objective == pytest.approx(1 - outcome.training + price, abs=1e-12)
    assert parse_flows(outcome.flows)[0].samples == rows.training.size == 75


@pytest.mark.parametrize("scaling", ["training", "all"])
def test_scaling_is_by_the_range_of_the_rows_that_the_trial_names(scaling):
    # of seed 3, the training rows do not have the whole range
    outcome, model, dataset, rows = carried_out(trial(scaling=scaling, seed=3, split="multivariate"))
    X, codes = dataset.X[rows.training], dataset.codes[rows.training]
    box = UnitScaling.fit(dataset.X if scaling == "all" else X)
    assert (scaling == "training") == bool(np.all(UnitScaling.fit(X).high == box.high))
    data = TrainingData.collect(box.apply(X), codes, 3)
    problem = build_problem(data, Skeleton.parse("1-2-4"), 0.5, "multivariate")
    assert model.certificate_.digest == problem.digest
    _, first = np.unique(data.distinct_row_of, return_index=True)
    assert outcome.objective == evaluate(problem, model.diagram_, X[first]).objective


def test_a_demand_for_stability_is_kept():
    # without it, the optimum has six nodes in three layers, two of them in one layer at least
    free, _, _, _ = carried_out(trial(alpha=0.01))
    assert min(flow.samples for flow in parse_flows(free.flows)) < 75 / 2
    outcome, model, _, _ = carried_out(trial(alpha=0.01, stability=0.5, seconds=0.2))
    assert min(flow.samples for flow in parse_flows(outcome.flows)) > 75 / 2
    assert model.constraints == (MinFlow(0.5),)
    assert outcome.objective > free.objective


def test_a_trial_with_time_for_a_proof_repeats():
    first, second = run_trial(trial(alpha=0.1))[0], run_trial(trial(alpha=0.1))[0]
    assert (first.objective, first.is_optimal) == (second.objective, True)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
def test_a_fit_that_was_interrupted_is_no_outcome(monkeypatch):
    # a search alone goes on for all of its time; on Ctrl-C the fit would keep its best diagram and end well
    endless = trial(dataset="breast-cancer-diagnostic", alpha=0.01, method="local_search", seconds=60.0)
    train = OptimalDecisionDiagramClassifier._fit_from

    def interrupted(model, *given, **named):
        threading.Timer(0.5, signal.pthread_kill, (threading.get_ident(), signal.SIGINT)).start()
        return train(model, *given, **named)

    monkeypatch.setattr(OptimalDecisionDiagramClassifier, "_fit_from", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_trial(endless)


def test_data_come_from_the_directory_given(tmp_path):
    with pytest.raises(DatasetError, match=r"has no file iris.csv"):
        run_trial(trial(), tmp_path)


def test_only_the_monks_can_be_corrected():
    with pytest.raises(InvalidInputError, match="monks"):
        run_trial(trial(target="corrected"))


def test_the_first_solver_that_proved_optimality_is_named():
    outcome, model, _, _ = carried_out(trial())
    enough = outcome.objective - 1e-9
    meeting = [proof.solver for proof in model.certificate_.evidence if proof.bound >= enough]
    assert outcome.solver == meeting[0]
    # names of the solvers' rooms: no other name reaches the results
    assert outcome.solver in {"branch_and_bound", "class_count", "best_stump", "milp", "cpsat"}


def test_a_proof_that_no_single_bound_gives_is_of_no_solver():
    _, model, _, _ = carried_out(trial())
    assert find_proving_solver(replace(model.certificate_, evidence=())) == "other"
