from xml.etree import ElementTree

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier, load
from oddlearn.cli import demo
from oddlearn.cli.main import main


def test_the_demo_writes_pictures_models_and_reports_and_ends_with_what_to_open(tmp_path, capsys):
    assert main(["demo", "--output", str(tmp_path / "demo")]) == 0
    told = capsys.readouterr().out
    for name in ("loans", "plants", "patients"):
        place = tmp_path / "demo" / name
        assert "<html" in place.with_suffix(".html").read_text(encoding="utf-8")
        ElementTree.parse(place.with_suffix(".svg"))
        model = load(place.with_suffix(".json"))
        assert model.is_optimal_
        assert model.certificate_.explain().splitlines()[0] in told
    assert "where branches meet again (as a tree" in told
    names = ["loans.html", "plants.html", "plants_map.svg", "patients.html"]
    assert told.splitlines()[-4:] == [f"  {tmp_path / 'demo' / name}" for name in names]


@pytest.mark.parametrize("make", demo.TABLES)
def test_each_table_of_the_demo_is_the_same_again(make):
    first, second = make(), make()
    assert first.y.tolist() == second.y.tolist()
    assert len(first.X) == 3 * len(first.X_test)
    for one, other in zip(first.X_test.columns, second.X_test.columns, strict=True):
        np.testing.assert_array_equal(one.values, other.values)


def test_as_a_tree_a_shared_node_counts_once_for_each_path_to_it():
    table = demo.make_loans()
    model = OptimalDecisionDiagramClassifier(**table.parameters, random_state=0).fit(table.X, table.y)
    from oddlearn import export_sklearn

    n_leaves = export_sklearn(model, unroll=True).get_n_leaves()
    assert n_leaves > model.n_nodes_ + 1
    assert demo._describe_shape(model).endswith(f"(as a tree {n_leaves - 1} nodes)")


def test_the_folder_of_the_demo_is_made_with_its_parents_and_may_exist(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(demo, "fit_and_show", lambda table, folder: [folder / table.name])
    folder = tmp_path / "deep" / "demo"
    for _ in range(2):
        assert main(["demo", "--output", str(folder)]) == 0
        assert folder.is_dir()
    assert str(folder / "plants") in capsys.readouterr().out
