from itertools import product

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.features import Feature
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import MultivariateSplit, UnivariateSplit
from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.export.code import export_sql
from tests.diagram.drawings import crossed
from tests.export.code.cases import AWKWARD_NAMES, case, case_of, constant, drawn, every_case
from tests.export.code.running import selected


def columns_of(given):
    return given.metadata.feature_names or [f"x{place}" for place in range(given.diagram.n_features)]


@every_case
def test_the_database_agrees_with_predict(name):
    given = case(name)
    expression = export_sql(given.diagram, given.metadata)
    assert selected(expression, columns_of(given), given.X.tolist()) == given.expected


@pytest.mark.parametrize("seed", range(10))
def test_shared_nodes_are_written_once(seed):
    given = drawn(seed, "univariate")
    expression = export_sql(given.diagram, given.metadata)
    assert not given.diagram.is_tree
    assert expression.count(">=") == given.diagram.n_nodes
    assert selected(expression, columns_of(given), given.X.tolist()) == given.expected


def test_a_tree_is_written_as_nested_cases():
    splits = (UnivariateSplit(0, 0.5, missing_positive=True), UnivariateSplit(1, 2.0))
    diagram = DecisionDiagram(splits, [1, 2], [3, 3], [0, 1], 2, 2)
    expression = export_sql(diagram, ModelMetadata(("age", "pay"), ("no", "yes"), np.zeros((4, 2))))
    assert expression.splitlines() == [
        "CASE",
        '  WHEN "age" >= 0.5 OR "age" IS NULL THEN \'yes\'',
        "  ELSE CASE",
        "    WHEN \"pay\" >= 2.0 THEN 'yes'",
        "    ELSE 'no'",
        "  END",
        "END",
    ]


@pytest.mark.parametrize("name", ["iris univariate", "iris multivariate", "wide mixed"])
def test_null_takes_the_negative_side_where_training_had_none(name):
    given = case(name)
    expression = export_sql(given.diagram, given.metadata)
    for place in range(given.X.shape[1]):
        row = given.X[0].copy()
        row[place] = np.nan
        answer = given.metadata.class_labels[given.diagram.predict(row[None])[0]]
        assert selected(expression, columns_of(given), [row.tolist()]) == [answer]


def test_the_question_whether_a_value_is_missing_is_asked_of_null():
    for positive, words in ((True, '"x0" IS NULL'), (False, '"x0" IS NOT NULL')):
        diagram = DecisionDiagram((UnivariateSplit.is_missing(0, positive=positive),), [1], [2], [0], 2, 1)
        assert f"WHEN {words} THEN 1" in export_sql(diagram)


def coloured(*splits):
    """A stump or a chain over a category (feature 0), a boolean (1) and a number (2)."""
    features = (Feature("the colour", "it's red", "category"), Feature("big", kind="boolean"), Feature("age"))
    n = len(splits)
    diagram = DecisionDiagram(splits, range(1, n + 1), [n + 1] * n, range(n), 2, 3)
    names = tuple(feature.name for feature in features)
    return diagram, ModelMetadata(names, (False, True), np.zeros((2 * n, 2)), features)


RAW = [list(row) for row in product(("it's red", "red", ""), (True, False), (-1.0, 0.5, 3.0))]


@pytest.mark.parametrize(
    "splits",
    [
        (UnivariateSplit(0, 0.5), UnivariateSplit(1, 0.5), UnivariateSplit(2, 0.5)),
        (UnivariateSplit(0, 1.0), UnivariateSplit(1, 1.0)),
        (UnivariateSplit(0, 0.0),),
        (UnivariateSplit(1, 1.5),),
        (MultivariateSplit(np.array([0.1, -0.2, 0.3]), 0.25), UnivariateSplit(0, 0.5)),
        (MultivariateSplit(np.array([1.0, 0.0, 0.0]), 1.0),),
    ],
)
def test_categories_and_booleans_are_asked_of_the_raw_columns(splits):
    diagram, metadata = coloured(*splits)
    X = np.array([[colour == "it's red", big, age] for colour, big, age in RAW], dtype=float)
    expected = [metadata.class_labels[code] for code in diagram.predict(X)]
    assert selected(export_sql(diagram, metadata), ["the colour", "big", "age"], RAW) == expected


def test_a_category_reads_as_a_comparison_with_text():
    expression = export_sql(*coloured(UnivariateSplit(0, 0.5), UnivariateSplit(1, 0.5)))
    assert "\"the colour\" = 'it''s red'" in expression
    assert '"big" = TRUE' in expression


def test_mysql_quotes_names_by_backticks_and_escapes_by_backslashes():
    given = case_of("iris", "univariate")
    metadata = ModelMetadata(AWKWARD_NAMES, ("it's", "back\\slash", "two\nlines"), given.metadata.arc_weights)
    expression = export_sql(given.diagram, metadata, dialect="mysql")
    assert "'it\\'s'" in expression
    assert "'back\\\\slash'" in expression
    assert "'two\\nlines'" in expression
    assert "```back`` \\ticks\\ */`" in expression


@pytest.mark.parametrize("name", ["wine multivariate", "wide mixed"])
def test_the_other_dialect_says_the_same(name):
    # SQLite reads backticks too
    given = case(name)
    expression = export_sql(given.diagram, given.metadata, dialect="mysql")
    assert selected(expression, columns_of(given), given.X.tolist()) == given.expected


def test_sums_are_doubles_whatever_the_type_of_the_columns():
    # in decimals 0.1 * 3 is below this threshold, in doubles it is on it
    splits = (MultivariateSplit(np.array([0.1, 0.0]), 0.1 * 3),)
    diagram = DecisionDiagram(splits, [1], [2], [0], 2, 2)
    expression = export_sql(diagram, ModelMetadata(None, ("below", "on"), np.zeros((2, 2))))
    assert '0.1 * CAST("x0" AS DOUBLE PRECISION) >= 0.30000000000000004' in expression
    assert selected(expression, ["x0", "x1"], [[3, 0], ["3", 0], [2, 0]]) == ["on", "on", "below"]


def test_an_unknown_dialect_is_refused():
    with pytest.raises(InvalidInputError, match='"standard" or "mysql"'):
        export_sql(constant().diagram, constant().metadata, dialect="oracle")


@pytest.mark.parametrize("label", ["a\0b", "half \ud800", float("inf")])
def test_a_label_that_sql_cannot_write_is_refused(label):
    with pytest.raises(UnsupportedError, match="rename"):
        export_sql(crossed(), ModelMetadata(None, (label, label), np.zeros((8, 2))))


def test_durations_are_compared_as_numbers():
    wait = np.array([1, 2, 30, 40] * 5, dtype="timedelta64[h]")
    frame = pytest.importorskip("pandas").DataFrame({"wait": wait})
    model = OptimalDecisionDiagramClassifier("1", max_iter=10).fit(frame, [0, 0, 1, 1] * 5)
    (split,) = model.diagram_.splits
    assert f'"wait" >= {split.threshold!r}' in export_sql(model)
