"""``oddlearn tune``: what is chosen is what scored best, and it is trained and written as by ``fit``."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

import oddlearn
from oddlearn.cli.tune import _build_folds
from oddlearn.errors import InvalidInputError
from tests.cli.commands import refused, run

QUICK = ("--skeletons", "1,1-2", "--alphas", "0.01,0.5", "--time-limit", "2", "--exact", "none", "--quiet")


@pytest.mark.parametrize("parts", [("--folds", "3"), ("--validation", "0.3")])
def test_the_best_score_is_chosen_and_trained(capsys, table, tmp_path, parts):
    options = ("--target", "approved", "--output", tmp_path, "--json", *QUICK, *parts)
    code, out, err = run(capsys, "tune", table, *options)
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert [(cell["skeleton"], cell["alpha"]) for cell in told["tried"]] == [
        ("1", 0.01),
        ("1", 0.5),
        ("1-2", 0.01),
        ("1-2", 0.5),
    ]
    chosen = next(cell for cell in told["tried"] if cell["skeleton"] == told["chosen"]["skeleton"])
    assert max(cell["score"] for cell in told["tried"]) >= chosen["score"]
    model = oddlearn.load(tmp_path / "model.json")
    assert (str(model.skeleton), model.alpha) == (told["chosen"]["skeleton"], told["chosen"]["alpha"])
    assert (tmp_path / "report.html").exists()
    assert run(capsys, "verify", tmp_path / "model.json", table)[0] == 0


def test_rows_to_validate_on_are_not_trained_on(capsys, table, tmp_path, monkeypatch):
    tried = []

    def fit(self, *arguments, **options):
        tried.append(self.cv)
        raise InvalidInputError("enough")

    monkeypatch.setattr(oddlearn.OptimalDecisionDiagramClassifierCV, "fit", fit)
    options = ("--target", "approved", "--output", tmp_path, *QUICK, "--validation", "0.25")
    assert "enough" in refused(capsys, "tune", table, *options)
    (((train, validation),),) = tried
    assert sorted([*train, *validation]) == list(range(len(train) + len(validation)))
    assert 2 * len(validation) < len(train)


def test_people_get_a_table_with_the_best_marked(capsys, table, tmp_path):
    options = ("--target", "approved", "--output", tmp_path, "--no-report", *QUICK, "--validation", "0.3")
    code, out, _ = run(capsys, "tune", table, *options)
    assert code == 0
    head, *cells = out.splitlines()[:5]
    assert head.split() == ["skeleton", "alpha", "accuracy", "+-", "nodes"]
    marked = [cell.split()[1:3] for cell in cells if cell.startswith("> ")]
    model = oddlearn.load(tmp_path / "model.json")
    assert marked == [[str(model.skeleton), f"{model.alpha:g}"]]


@pytest.mark.parametrize(
    "options, told",
    [
        (("--folds", "1"), "give a number from 2 to"),
        (("--folds", "999"), "the rows of the most frequent class"),
        (("--validation", "0.0001"), "leaves no row to validate on"),
        (("--skeletons", "1-9"), "The skeleton 1-9"),
        (("--alphas", "0.1,x"), "'x' is not a number"),
        (("--alphas", "-1"), "alphas is -1.0"),
        (("--node-prices", "-1"), "node_prices is -1.0"),
        (("--node-prices", "0.1", "--alphas", "0.1"), "not allowed with argument"),
        (("--scoring", "luck"), "scoring is 'luck': give one of accuracy, "),
        (("--skeletons", ","), "skeletons is ()"),
    ],
)
def test_choices_out_of_range_are_refused(capsys, table, tmp_path, options, told):
    given = ("--target", "approved", "--output", tmp_path / "out", "--quiet", *options)
    assert told in refused(capsys, "tune", table, *given)
    assert not (tmp_path / "out").exists()


def test_requirements_are_kept_as_by_fit(capsys, table, tmp_path):
    wanted = ("--sensitive", "owner", "--parity", "0.8", "--favourable", "yes", "--max-nodes", "2")
    options = ("--target", "approved", "--output", tmp_path, "--json", *QUICK, "--validation", "0.3", *wanted)
    code, out, _ = run(capsys, "tune", table, *options)
    assert code == 0
    model = oddlearn.load(tmp_path / "model.json")
    assert model.certificate_.is_feasible
    assert [type(kept).__name__ for kept in model.constraints] == ["MaxNodes", "DemographicParity"]
    assert model.feature_names_in_.tolist() == ["age", "income", "colour"]
    assert json.loads(out)["nodes"] <= 2
    assert "Rates of “yes” by owner" in (tmp_path / "report.html").read_text()
    assert run(capsys, "verify", tmp_path / "model.json", table)[0] == 0


def test_requirements_are_checked_before_the_file_is_read(capsys):
    told = refused(capsys, "tune", "absent.csv", "--target", "y", "--parity", "0.8")
    assert "--parity compares groups: name their column with --sensitive" in told


def test_a_grid_of_node_prices_with_another_score(capsys, table, tmp_path):
    options = ("--target", "approved", "--output", tmp_path, "--quiet", "--time-limit", "4", "--folds", "2")
    grid = ("--skeletons", "1,1-2", "--node-prices", "0.01,0.2", "--scoring", "roc_auc")
    code, out, _ = run(capsys, "tune", table, *options, *grid)
    assert code == 0
    assert out.splitlines()[0].split() == ["skeleton", "node_price", "roc_auc", "+-", "nodes"]
    assert "%" not in out.splitlines()[1]
    assert oddlearn.load(tmp_path / "model.json").node_price in (0.01, 0.2)


@pytest.mark.parametrize(("folds", "is_allowed"), [(1, False), (2, True), (5, True), (6, False)])
def test_folds_are_limited_by_the_most_frequent_class(folds, is_allowed):
    rows = SimpleNamespace(y=np.array([0, 1, 1, 1, 1, 1, 2, 2]))
    given = SimpleNamespace(folds=folds, validation=None, seed=0)
    if is_allowed:
        assert _build_folds(given, rows) == folds
    else:
        with pytest.raises(InvalidInputError, match="from 2 to 5"):
            _build_folds(given, rows)


def test_a_part_of_the_rows_validates():
    rows = SimpleNamespace(y=np.repeat([0, 1], 20))
    ((train, validation),) = _build_folds(SimpleNamespace(folds=9, validation=0.25, seed=0), rows)
    assert sorted([*train, *validation]) == list(range(40)) and len(validation) == 10
    with pytest.raises(InvalidInputError, match="no row to validate"):
        _build_folds(SimpleNamespace(folds=9, validation=1e-9, seed=0), rows)
