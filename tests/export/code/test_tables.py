"""Every export of models of tables with text, booleans and categories."""

import numpy as np
import pytest

import oddlearn
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.errors import InvalidInputError
from oddlearn.export import code
from oddlearn.export.code import export_c, export_sklearn, export_sql
from oddlearn.export.formats import FORMATS
from oddlearn.table.column_table import RawColumn
from oddlearn.table.encoded_column import EncodedColumn
from tests.diagram.drawings import crossed
from tests.export.code.cases import KINDS, coloured, lacking_table, unnamed
from tests.export.code.running import answers, compiled, encoded, loaded, predicted, selected, session

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
    numbers, expected = model.encode(X), model.predict(X)
    library = compiled(export_c(model), tmp_path)
    codes, shares = answers(library, numbers, 2)
    assert np.array_equal(model.classes_[codes], expected)
    pytest.importorskip("onnx")
    labels, same = session(FORMATS["onnx"].function(model)).run(None, {"X": numbers})
    assert np.array_equal(labels, expected)
    assert np.array_equal(shares, same)


@pytest.mark.parametrize("has_missing", [True, False])
@pytest.mark.parametrize("asked", ["red", "other", "missing"])
def test_pooled_and_missing_categories_are_asked_of_the_raw_column(asked, has_missing):
    column = EncodedColumn("colour", "category", ("red", "it's"), 3, has_missing)
    names = tuple(feature.name for feature in column.features)
    places = {feature.category or feature.kind: place for place, feature in enumerate(column.features)}
    place = places.get(asked, 0)
    diagram = DecisionDiagram((UnivariateSplit(place, 0.5),), [1], [2], [0], 2, len(names))
    metadata = ModelMetadata(names, ("no", "yes"), np.zeros((2, 2)), column.features)
    values = ["red", "it's", "grey", None]
    X = column.encode(RawColumn("colour", np.array(values, dtype=object)))
    expected = [metadata.class_labels[code] for code in diagram.predict(X)]
    assert selected(export_sql(diagram, metadata), ["colour"], [[value] for value in values]) == expected
    assert [loaded(diagram, metadata)["predict"]([value]) for value in values] == expected


@each_kind
def test_every_export_takes_the_missing_values_of_a_table(split, tmp_path):
    model, X = lacking_table(split)
    kinds = {model.metadata_.feature(place).kind for place in model.diagram_.used_features}
    more = ("other", "boolean") if split == "multivariate" else ()
    assert kinds >= {"number", "category", "missing", *more}
    expected = predicted(model, X)
    rows = X.astype(object).to_numpy().tolist()
    assert selected(export_sql(model), list(X.columns), rows) == expected
    predict = loaded(model, None)["predict"]
    assert [predict(row) for row in rows] == expected
    numbers = encoded(model, X)
    codes = answers(compiled(export_c(model), tmp_path), numbers, 2)[0]
    assert model.classes_[codes].tolist() == expected
    if split == "univariate":
        tree = export_sklearn(model.diagram_, unnamed(model.metadata_), X=numbers, unroll=True)
        assert tree.predict(numbers).tolist() == expected
    pytest.importorskip("onnx")
    assert session(FORMATS["onnx"].function(model)).run(None, {"X": numbers})[0].tolist() == expected


def test_a_scikit_learn_tree_takes_the_numbers_the_diagram_looks_at():
    model, X = coloured("univariate")
    tree = export_sklearn(model, X=X, unroll=True)
    assert tree.feature_names_in_.tolist() == [feature.name for feature in model.metadata_.features]
    del tree.feature_names_in_
    assert np.array_equal(tree.predict(model.encode(X)), model.predict(X))


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
