"""Every export of models of tables with text, booleans and categories."""

import numpy as np
import pytest

import oddlearn
from oddlearn.errors import InvalidInputError
from oddlearn.export import FORMATS, code
from oddlearn.export.code import export_c, export_sklearn, export_sql
from tests.diagram.drawings import crossed
from tests.export.code.cases import KINDS, coloured
from tests.export.code.running import answers, compiled, loaded, selected, session

EXPORTERS = {name: one.function for name, one in FORMATS.items() if one.is_code}

each_kind = pytest.mark.parametrize("split", KINDS)


@each_kind
def test_sql_asks_the_columns_of_the_table(split):
    model, X = coloured(split)
    rows = [[*row[:2], int(row[2]), *row[3:]] for row in X.astype(object).to_numpy().tolist()]
    assert selected(export_sql(model), list(X.columns), rows) == model.predict(X).tolist()


@each_kind
def test_python_source_takes_the_rows_of_the_table(split):
    model, X = coloured(split)
    predict = loaded(model, None)["predict"]
    assert [predict(row) for row in X.to_dict("records")] == model.predict(X).tolist()
    assert [predict(row) for row in X.astype(object).to_numpy()] == model.predict(X).tolist()


@each_kind
def test_c_and_onnx_take_the_numbers_the_diagram_looks_at(split, tmp_path):
    model, X = coloured(split)
    numbers, expected = model.encoded(X), model.predict(X)
    library = compiled(export_c(model), tmp_path)
    codes, shares = answers(library, numbers, 2)
    assert np.array_equal(model.classes_[codes], expected)
    pytest.importorskip("onnx")
    labels, same = session(FORMATS["onnx"].function(model)).run(None, {"X": numbers})
    assert np.array_equal(labels, expected)
    assert np.array_equal(shares, same)


def test_a_scikit_learn_tree_takes_the_numbers_the_diagram_looks_at():
    model, X = coloured("univariate")
    tree = export_sklearn(model, X=X, unroll=True)
    assert tree.feature_names_in_.tolist() == [feature.name for feature in model.notes_.features]
    del tree.feature_names_in_
    assert np.array_equal(tree.predict(model.encoded(X)), model.predict(X))


def test_the_exports_are_public_names():
    for name in (*EXPORTERS, "sklearn"):
        assert f"export_{name}" in oddlearn.__all__
        assert getattr(oddlearn, f"export_{name}") is getattr(code, f"export_{name}")


@pytest.mark.parametrize("exporter", [*EXPORTERS.values(), export_sklearn])
@pytest.mark.parametrize("given", [None, "model.json", np.zeros(3)])
def test_what_is_no_model_is_refused(exporter, given):
    with pytest.raises(InvalidInputError, match="after its fit"):
        exporter(given)


@pytest.mark.parametrize("target", EXPORTERS)
def test_every_exporter_takes_a_diagram_alone(target):
    if target == "onnx":
        pytest.importorskip("onnx")
    assert EXPORTERS[target](crossed())
