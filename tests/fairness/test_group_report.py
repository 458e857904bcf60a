import math

import numpy as np
import pandas as pd
import pytest
from fairlearn import metrics
from sklearn.metrics import accuracy_score

from oddlearn import fairness_report
from oddlearn.errors import InvalidInputError

METRICS = {
    "selection_rate": metrics.selection_rate,
    "true_positive_rate": metrics.true_positive_rate,
    "false_positive_rate": metrics.false_positive_rate,
    "false_negative_rate": metrics.false_negative_rate,
    "accuracy": accuracy_score,
}


def sample(seed, n_groups):
    random = np.random.default_rng(seed)
    n = 80
    truth, given = random.integers(0, 2, n), random.integers(0, 2, n)
    groups = random.integers(0, n_groups, n)
    weight = [None, random.integers(1, 5, n).astype(float), random.random(n)][seed % 3]
    return truth, given, groups, weight


@pytest.mark.parametrize("seed", range(6))
def test_the_table_is_fairlearns_to_the_last_digit(seed):
    truth, given, groups, weight = sample(seed, 2 + seed % 2)
    report = fairness_report(truth, given, groups, sample_weight=weight)
    frame = metrics.MetricFrame(
        metrics=METRICS,
        y_true=truth,
        y_pred=given,
        sensitive_features=groups,
        sample_params={name: {"sample_weight": weight} for name in METRICS} if weight is not None else None,
    )
    for name in METRICS:
        ours = report.comparison(name)
        theirs = frame.by_group[name].tolist()
        assert [row[name] for row in report.groups] == pytest.approx(theirs, rel=1e-15, abs=0)
        assert ours["ratio"] == pytest.approx(frame.ratio()[name], rel=4e-16, abs=0)
        assert ours["difference"] == pytest.approx(frame.difference()[name], rel=1e-13, abs=0)


@pytest.mark.parametrize("seed", [0, 3])
def test_with_equal_weights_the_numbers_are_the_same_bits(seed):
    truth, given, groups, _ = sample(seed, 3)
    report = fairness_report(truth, given, groups)
    options = {"sensitive_features": groups}
    selection = report.comparison("selection_rate")
    assert selection["ratio"] == metrics.demographic_parity_ratio(truth, given, **options)
    assert selection["difference"] == metrics.demographic_parity_difference(truth, given, **options)
    opportunity = report.comparison("true_positive_rate")
    assert opportunity["difference"] == metrics.equal_opportunity_difference(truth, given, **options)


def test_several_columns_and_several_classes():
    truth, given = ["a", "b", "c", "a"], ["a", "a", "c", "b"]
    columns = {"sex": ["f", "m", "f", "m"], "old": [True, True, False, False]}
    report = fairness_report(truth, given, pd.DataFrame(columns), favourable="a")
    assert [(row["column"], row["group"]) for row in report.groups] == [
        ("sex", "f"),
        ("sex", "m"),
        ("old", False),
        ("old", True),
    ]
    assert report.groups[0]["selection_rate"] == 0.5
    assert report.comparison("accuracy", "sex")["smallest"] == 0.0
    assert report.to_frame().loc[("sex", "f"), "size"] == 2
    assert report.comparisons_frame().loc[("old", "selection_rate"), "ratio"] == 0.0
    with pytest.raises(InvalidInputError, match="2 comparisons"):
        report.comparison("accuracy")


def test_it_reads_as_a_table():
    text = str(fairness_report([1, 0, 1, 1], [1, 0, 0, 1], pd.Series(["f", "f", "m", "m"], name="sex")))
    assert "favourable class: 1" in text
    lines = text.splitlines()
    assert lines[2].split()[:4] == ["column", "group", "size", "share"]
    assert "selection rate" in lines[2] and "_" not in lines[2]
    assert lines[3].split()[:5] == ["sex", "f", "2", "0.5", "0.5"]
    assert len(lines[2]) == len(lines[3]) == len(lines[4])  # columns stand below their heads


def test_a_rate_among_nobody_is_not_a_number():
    report = fairness_report([1, 1, 0, 1], [0, 0, 0, 0], ["a", "a", "b", "b"])
    assert math.isnan(report.groups[0]["false_positive_rate"])
    assert math.isnan(report.comparison("selection_rate")["ratio"])
    assert report.comparison("selection_rate")["difference"] == 0.0


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        (([0, 1], [0], ["a", "b"]), {}, "equally many"),
        (([0, 1], [0, 1], ["a"]), {}, "one value per row"),
        (([0, 1], [0, 1], None), {}, "None"),
        (([0, 1], [0, 1], ["a", None]), {}, "missing"),
        (([0, 1], [0, 1], ["a", "b"]), {"favourable": 2}, "no label"),
        (([0, 1, 2], [0, 1, 2], ["a", "b", "a"]), {}, "favourable="),
        (([0, 1], [0, 1], ["a", "b"]), {"sample_weight": [1, -1]}, "sample_weight"),
        (([], [], []), {}, "one label per sample"),
    ],
)
def test_what_makes_no_table_is_refused(arguments, options, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        fairness_report(*arguments, **options)
