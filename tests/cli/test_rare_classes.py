"""A rare class in the command line: the hint, the metrics, and ``--balanced``."""

import json
import re

import numpy as np
import pytest

import oddlearn
from tests.cli.commands import refused, run

QUICK = ("--skeleton", "1-2", "--time-limit", "3")


@pytest.fixture(scope="module")
def frauds(tmp_path_factory):
    """Return a table of 2,000 rows, 2 % of them frauds that no diagram of the default size singles out."""
    random = np.random.default_rng(0)
    amount, hour = np.exp(random.normal(4, 1, 2000)).round(2), random.integers(0, 24, 2000)
    is_fraud = (amount > 100) & (random.random(2000) < 0.08)
    kind = np.where(is_fraud, "fraud", "regular")
    path = tmp_path_factory.mktemp("frauds") / "frauds.csv"
    lines = [f"{a},{h},{k},{1 + h % 3}" for a, h, k in zip(amount, hour, kind, strict=True)]
    path.write_text("\n".join(["amount,hour,kind,times", *lines]) + "\n")
    return path


def fit(capsys, frauds, folder, *options):
    arguments = ("--target", "kind", "--drop", "times", "--output", folder, "--force", *QUICK, *options)
    code, out, err = run(capsys, "fit", frauds, *arguments)
    assert code == 0
    return out, err


def test_a_hint_of_one_line_says_what_to_try(capsys, frauds, tmp_path):
    out, err = fit(capsys, frauds, tmp_path, "--quiet")
    assert err == (
        "Hint: the diagram never predicts class fraud. Try --balanced or a smaller --node-price or higher "
        "--weights of its rows (cost_matrix in Python).\n"
    )
    (claim,) = [line for line in out.splitlines() if "roved optimal" in line]
    assert claim.startswith('Proved optimal, but it predicts class "regular" for every row:')
    page = (tmp_path / "report.html").read_text()
    assert "Proved optimal, but it predicts one class only" in page
    assert "badge good" not in page


def test_balanced_predicts_the_rare_class_and_keeps_weights_apart(capsys, frauds, tmp_path):
    out, err = fit(capsys, frauds, tmp_path, "--quiet", "--balanced")
    assert err == ""
    assert "never predicts" not in out
    assert "(weight " not in out and re.search(r"fraud \(\d+ of \d+ right\)", out)
    assert "metrics (rows)" in out
    assert "Objective and probabilities count rows by their class weights; the metrics do not." in out
    shown = run(capsys, "show", tmp_path / "model.json")[1]
    assert out.split("metrics (rows)")[1].split("\n\n")[0] in shown


def test_metrics_for_machines_are_those_of_the_model(capsys, frauds, tmp_path):
    told = json.loads(fit(capsys, frauds, tmp_path, "--quiet", "--balanced", "--json")[0])
    metrics = told["metrics"]
    assert told["accuracy"]["test"] == metrics["test"]["model"]["accuracy"]
    assert metrics["train"]["weighted"] is False
    assert metrics["train"]["constant"]["balanced_accuracy"] == 0.5
    assert metrics["train"]["constant"]["precision"]["fraud"] is None
    assert metrics["test"]["model"]["roc_auc"] > 0.6
    assert told["unpredicted_classes"] == []
    assert json.loads(run(capsys, "show", tmp_path / "model.json", "--json")[1])["metrics"] == metrics
    code, out, _ = run(capsys, "predict", tmp_path / "model.json", frauds, "--json")
    assert code == 0
    assert json.loads(out)["metrics"]["rows"] == 2000


def test_sample_weights_are_named_in_the_head(capsys, frauds, tmp_path):
    arguments = ("--target", "kind", "--weights", "times", "--output", tmp_path, "--quiet", *QUICK)
    _, out, _ = run(capsys, "fit", frauds, *arguments, "--balanced")
    assert "Weighted accuracy: " in out
    assert "weighted metrics " in out and "metrics (rows)" not in out


def test_one_penalty_only(capsys, frauds, tmp_path):
    arguments = ("--target", "kind", "--output", tmp_path, *QUICK)
    both = ("--alpha", "1", "--node-price", "1")
    assert "not allowed with" in refused(capsys, "fit", frauds, *arguments, *both)
    assert "node_price is -1.0" in refused(capsys, "fit", frauds, *arguments, "--node-price", "-1")
    fit(capsys, frauds, tmp_path, "--quiet", "--node-price", "0.001")
    assert oddlearn.load(tmp_path / "model.json").certificate_.node_price == 0.001
