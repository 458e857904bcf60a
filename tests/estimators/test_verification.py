"""A model and its certificate, checked against the data by plain code."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import NotFittedError

import oddlearn
from oddlearn import OptimalDecisionDiagramClassifier, OptimalDecisionTreeClassifier
from oddlearn.errors import VerificationError

IRIS, SPECIES = load_iris(return_X_y=True)
COSTS = np.array([[0.0, 1, 2], [3, 0, 4], [5, 6, 0]])


def fitted(X=IRIS, y=SPECIES, sample_weight=None, **parameters):
    options = {"skeleton": "1-2-4", "max_iter": 20, "random_state": 0, **parameters}
    return OptimalDecisionDiagramClassifier(**options).fit(X, y, sample_weight)


@pytest.mark.parametrize("split", ["univariate", "multivariate"])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"cost_matrix": COSTS, "alpha": 0.7},
        {"class_weight": "balanced", "epsilon": 0.001},
        {"class_weight": {0: 2.0, 1: 0.5}, "skeleton": [1, 2]},
    ],
)
def test_a_model_is_verified_on_its_own_data(split, parameters, tmp_path):
    model = fitted(split=split, **parameters)
    model.save(tmp_path / "model.json")
    for given in (model, tmp_path / "model.json", str(tmp_path / "model.json")):
        found = oddlearn.verify(given, IRIS, SPECIES)
        assert found.objective == model.objective_
        assert (found.lower_bound, found.is_optimal) == (model.lower_bound_, model.is_optimal_)


def test_the_text_says_what_was_checked_and_what_not():
    model = fitted()
    text = oddlearn.verify(model, IRIS, SPECIES).text
    assert "Not checked: the lower bound" in text
    assert text.endswith(model.certificate_.explain())


def test_trees_weights_names_and_labels_are_verified():
    frame = pd.DataFrame(load_wine().data[:, :4], columns=list("abcd"))
    labels = np.array(["one", "two", "three"])[load_wine().target]
    weight = np.arange(len(frame)) % 3
    model = OptimalDecisionTreeClassifier(2, max_iter=20).fit(frame, labels, weight)
    assert oddlearn.verify(model, frame, labels, weight).objective == model.objective_
    with pytest.raises(VerificationError, match="issued for another problem"):
        oddlearn.verify(model, frame, labels)
    with pytest.raises(ValueError, match="feature names"):
        oddlearn.verify(model, frame[list("badc")], labels, weight)


def test_the_order_of_the_rows_does_not_matter():
    order = np.random.default_rng(0).permutation(150)
    oddlearn.verify(fitted(), IRIS[order], SPECIES[order])


def test_other_data_are_refused():
    moved = IRIS.copy()
    moved[3, 2] += 0.1
    swapped = SPECIES.copy()
    swapped[[0, 60]] = swapped[[60, 0]]
    for X, y in ((moved, SPECIES), (IRIS, swapped), (IRIS[:-1], SPECIES[:-1])):
        with pytest.raises(VerificationError, match="issued for another problem: X, y, sample_weight"):
            oddlearn.verify(fitted(), X, y)


def test_other_labels_are_refused():
    with pytest.raises(VerificationError, match=r"labels of y are \[5, 6, 7\], those of .* \[0, 1, 2\]"):
        oddlearn.verify(fitted(), IRIS, SPECIES + 5)


@pytest.mark.parametrize("parameter", [{"alpha": 0.2}, {"split": "multivariate"}, {"skeleton": "1-2"}])
def test_parameters_changed_after_the_fit_are_noticed(parameter):
    with pytest.raises(VerificationError, match="a parameter of the model"):
        oddlearn.verify(fitted().set_params(**parameter), IRIS, SPECIES)


def test_another_margin_is_another_problem_for_hyperplanes_only():
    assert oddlearn.verify(fitted().set_params(epsilon=1e-3), IRIS, SPECIES)
    with pytest.raises(VerificationError, match="a parameter of the model"):
        oddlearn.verify(fitted(split="multivariate").set_params(epsilon=1e-3), IRIS, SPECIES)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"objective": 0.01}, "has an objective of .* the certificate states 0.01"),
        ({"objective_bounds": (0.9,)}, "above the objective of its own diagram"),
        ({"digest": "ab" * 32}, "issued for another problem"),
        ({"node_price": 0.2}, "describes another problem"),
        ({"ignored_features": (1,)}, "describes another problem"),
        ({"violation": 1.0}, "violates its constraints by 0.0"),
    ],
)
def test_a_certificate_that_states_something_else_is_refused(change, message):
    model = fitted()
    model.certificate_ = replace(model.certificate_, **change)
    with pytest.raises(VerificationError, match=message):
        oddlearn.verify(model, IRIS, SPECIES)


def test_another_diagram_than_the_certified_one_is_refused():
    model = fitted()
    model.diagram_ = fitted(alpha=5.0).diagram_
    with pytest.raises(VerificationError, match="has an objective of"):
        oddlearn.verify(model, IRIS, SPECIES)
    model.diagram_ = fitted(split="multivariate").diagram_
    with pytest.raises(VerificationError, match="does not belong to the problem of the certificate"):
        oddlearn.verify(model, IRIS, SPECIES)


def forged(model):
    document = json.loads(model.to_json())
    document["certificate"]["objective_bounds"] = [document["certificate"]["objective"]]
    return json.dumps(document)


def test_a_file_that_was_changed_is_refused(tmp_path):
    path = tmp_path / "model.json"
    path.write_text(forged(fitted()))
    with pytest.raises(VerificationError, match=r"checksum does not match\. It cannot be verified"):
        oddlearn.verify(path, IRIS, SPECIES)
    path.write_text("{")
    with pytest.raises(VerificationError, match="truncated"):
        oddlearn.verify(path, IRIS, SPECIES)


def test_what_is_no_fitted_model_is_refused(tmp_path):
    with pytest.raises(NotFittedError):
        oddlearn.verify(OptimalDecisionDiagramClassifier(), IRIS, SPECIES)
    with pytest.raises(VerificationError, match="A dict cannot be verified"):
        oddlearn.verify({}, IRIS, SPECIES)
    with pytest.raises(FileNotFoundError):
        oddlearn.verify(tmp_path / "missing.json", IRIS, SPECIES)


def test_a_random_state_is_left_alone():
    state = np.random.RandomState(3)
    model = fitted(random_state=state)
    before = state.get_state()[2]
    oddlearn.verify(model, IRIS, SPECIES)
    assert state.get_state()[2] == before


def test_verifying_loads_no_solver(tmp_path):
    fitted(split="multivariate").save(tmp_path / "model.json")
    script = (
        "import sys, oddlearn; from sklearn.datasets import load_iris; "
        f"oddlearn.verify({str(tmp_path / 'model.json')!r}, *load_iris(return_X_y=True)); print(*sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in ended.stdout.split()}
    assert not loaded & {"highspy", "ortools", "pyscipopt", "gurobipy"}
