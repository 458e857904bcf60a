"""``max_terms``: every fit keeps it, the certificate says it, and printed numbers are the model."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import oddlearn
from oddlearn import OptimalDecisionDiagramClassifier, OptimalDecisionDiagramClassifierCV
from oddlearn.cli.main import main
from oddlearn.errors import UnusedTermLimitWarning

SEARCH = {"split": "multivariate", "max_iter": 60, "time_limit": 20.0, "random_state": 0}


def n_columns(model):
    encoding = model.encoding_
    column_of = np.arange(model.diagram_.n_features) if encoding is None else np.array(encoding.column_of)
    return [len(set(column_of[np.flatnonzero(split.weights)])) for split in model.diagram_.splits]


def draw_frame(n_rows=160):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(n_rows, 4)), columns=list("abcd"))
    frame["colour"] = random.choice(["red", "green", "blue"], n_rows)
    score = frame["a"] - 2 * frame["b"] + (frame["colour"] == "red") + 0.3 * random.normal(size=n_rows)
    frame.loc[random.random(n_rows) < 0.1, "c"] = np.nan
    return frame, (score > 0).astype(int)


@pytest.mark.parametrize("max_terms", [1, 2, 3])
def test_every_split_keeps_the_limit(max_terms):
    frame, y = draw_frame()
    model = OptimalDecisionDiagramClassifier("1-2-2", max_terms=max_terms, **SEARCH).fit(frame, y)
    assert max(n_columns(model)) <= max_terms
    assert f"with at most {max_terms} term" in model.certificate_.explain()
    again = oddlearn.from_json(model.to_json())
    assert again.max_terms == max_terms and again.certificate_.max_terms == max_terms
    oddlearn.verify(again, frame, y)


def test_a_limit_of_all_columns_is_none():
    X, y = load_iris(return_X_y=True)
    free, all_columns = (
        OptimalDecisionDiagramClassifier("1-2", max_terms=terms, **SEARCH).fit(X, y) for terms in (None, 4)
    )
    with pytest.warns(UnusedTermLimitWarning, match="max_terms is 9, and X has 4 columns: no"):
        limited = OptimalDecisionDiagramClassifier("1-2", max_terms=9, **SEARCH).fit(X, y)
    assert free.certificate_.digest == all_columns.certificate_.digest
    assert free.certificate_.digest == limited.certificate_.digest
    assert "term" not in limited.certificate_.explain()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"max_terms": 0}, "max_terms is 0: give a whole number of at least 1, or None"),
        ({"max_terms": -2}, "max_terms is -2: give a whole number"),
        ({"max_terms": 2.0}, "max_terms is 2.0: give a whole number"),
        ({"max_terms": True}, "max_terms is True: give a whole number"),
        ({"max_terms": 2, "split": "univariate"}, 'max_terms is 2 and split is "univariate"'),
    ],
)
def test_wrong_limits_are_refused(given, sentence):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        OptimalDecisionDiagramClassifier("1-2", **{**SEARCH, **given}).fit(X, y)


def test_cross_validation_and_the_command_line_take_it(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = OptimalDecisionDiagramClassifierCV(("1-2",), (0.1,), cv="holdout", max_terms=2, **SEARCH)
    assert max(n_columns(model.fit(X, y).best_estimator_)) <= 2
    table = tmp_path / "table.csv"
    frame, target = draw_frame(60)
    frame.assign(y=target).to_csv(table, index=False)
    options = (
        "--target y --split multivariate --max-terms 2 --skeleton 1-2 --time-limit 1 --quiet --no-report"
    )
    assert main(["fit", str(table), *options.split(), "--output", str(tmp_path), "--name", "model"]) == 0
    stored = oddlearn.load(next(tmp_path.glob("*.json")))
    assert stored.max_terms == 2 and max(n_columns(stored)) <= 2


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_the_printed_numbers_are_the_model(load):
    X, y = load(return_X_y=True)
    names = [f"v{place}" for place in range(X.shape[1])]
    train = np.arange(len(y)) % 3 > 0
    frame = pd.DataFrame(X, columns=names)
    model = OptimalDecisionDiagramClassifier("1-2-2", max_terms=2, **SEARCH).fit(frame[train], y[train])
    rules = parse_rules(str(oddlearn.export_rules(model)), names)
    labels = [apply_rules(rules, row) for row in X]
    assert (np.array(labels) == model.predict(frame)).all()


def parse_rules(text, names):
    """Return the conditions of every printed rule, as weights, comparison and number, and its label."""
    rules = []
    for block in text.strip().split("\n\n"):
        conditions, label = re.fullmatch(r"if (.*)\nthen (\S+)  .*", block, re.S).groups()
        rules.append(([parse_condition(part, names) for part in conditions.split(" and ")], int(label)))
    return rules


def parse_condition(text, names):
    left, comparison, number = re.fullmatch(r"(.*) (>=|<=|<|>) (\S+)", text).groups()
    weights = {}
    for sign, weight, name in re.findall(r"([+-]?) ?(?:([\d.e+-]*\d) )?(v\d+)", left):
        weights[names.index(name)] = float(weight or 1) * (-1 if sign == "-" else 1)
    return weights, comparison, float(number)


def apply_rules(rules, row):
    compare = {">=": np.greater_equal, "<=": np.less_equal, "<": np.less, ">": np.greater}
    for conditions, label in rules:
        sums = (sum(weight * row[place] for place, weight in weights.items()) for weights, _, _ in conditions)
        if all(compare[sign](total, limit) for total, (_, sign, limit) in zip(sums, conditions, strict=True)):
            return label
    raise AssertionError("no rule holds")
