"""Pipelines as exported code: it runs on the user's own table, values that are missing or new included."""

import sqlite3

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    PowerTransformer,
    RobustScaler,
    StandardScaler,
)

from oddlearn import OptimalDecisionDiagramClassifier, export_python, export_sql, export_text
from oddlearn.view.inputs import model_view


def make_table(seed, n_rows=200):
    """Return a table whose numbers and texts have gaps, and the classes of its rows."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "size": random.normal(size=n_rows).round(1),
            "count": random.integers(0, 5, n_rows).astype(float),
            "colour": random.choice(["red", "green", "blue", "grey"], n_rows).astype(object),
            "owner": (random.random(n_rows) > 0.5).astype(object),
            "price": random.normal(100, 20, n_rows).round(2),
        }
    )
    y = (table["size"] > 0.2) ^ table["colour"].isin(["red", "blue"]) | (table["price"] > 125)
    y |= table["owner"].astype(bool) & (table["count"] > 3)
    for name in ("size", "count", "colour", "owner"):
        table[name] = table[name].where(random.random(n_rows) > 0.15, np.nan)
    return table, y.astype(int)


IMPUTED = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder())
CONSTANT = SimpleImputer(strategy="constant", fill_value="none")
POOLED = make_pipeline(CONSTANT, OneHotEncoder(max_categories=3, handle_unknown="infrequent_if_exist"))
COUNTS = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(drop="first"))
NUMBERS = ["size", "count"]

FRAME = make_column_transformer(
    (SimpleImputer(strategy="most_frequent"), ["colour", "owner"]),
    ("passthrough", NUMBERS),
    verbose_feature_names_out=False,
).set_output(transform="pandas")
POOLED_FRAME = make_column_transformer(
    (CONSTANT, ["colour"]), ("passthrough", NUMBERS), verbose_feature_names_out=False
).set_output(transform="pandas")
COLOURS = OneHotEncoder(sparse_output=False)
SCALED = make_column_transformer((COLOURS, ["colour"]), (StandardScaler(), NUMBERS))

# whole transformers, and how many categories the classifier keeps of a column of its own
WHOLE = {
    "filled text, encoded by the classifier": (FRAME, 32),
    "filled text, pooled by the classifier": (POOLED_FRAME, 3),
    "two imputers": (
        make_pipeline(
            make_column_transformer((SimpleImputer(strategy="constant", fill_value=-3.0), NUMBERS)),
            SimpleImputer(),
            StandardScaler(),
        ),
        32,
    ),
    "categories behind an imputer": (make_pipeline(SCALED, SimpleImputer(), MaxAbsScaler()), 32),
}

TRANSFORMERS = {
    "scaled with gaps": [(StandardScaler(), NUMBERS), (OneHotEncoder(), ["colour"])],
    "robust with gaps": [(RobustScaler(), NUMBERS), (OneHotEncoder(drop="first"), ["colour"])],
    "largest with gaps": [(MaxAbsScaler(), NUMBERS), (MinMaxScaler((-3, 2)), ["price"])],
    "most frequent category": [(IMPUTED, ["colour"]), (SimpleImputer(), NUMBERS)],
    "constant category": [(make_pipeline(CONSTANT, OneHotEncoder()), ["colour"]), (SimpleImputer(), NUMBERS)],
    "pooled category": [(POOLED, ["colour"]), (SimpleImputer(), NUMBERS)],
    "numbers as categories": [(COUNTS, ["count"]), (SimpleImputer(), ["size"])],
}


@pytest.mark.parametrize("split", ["univariate", "multivariate"])
@pytest.mark.parametrize("name", [*TRANSFORMERS, *WHOLE])
def test_exported_code_agrees_with_the_pipeline_on_rows_with_gaps(name, split):
    transformer, n_kept = WHOLE[name] if name in WHOLE else (make_column_transformer(*TRANSFORMERS[name]), 32)
    options = {"max_categories": n_kept, "max_iter": 10, "exact": None, "random_state": 0}
    model = OptimalDecisionDiagramClassifier("1-2-3", node_price=0.001, split=split, **options)
    pipeline = make_pipeline(transformer, model).fit(*make_table(0))
    rows, _ = make_table(1, 300)
    expected = pipeline.predict(rows).tolist()
    namespace = {}
    exec(export_python(pipeline), namespace)
    records = rows.astype(object).where(rows.notna(), None).to_dict("records")
    assert [namespace["predict"](row) for row in records] == expected
    database = sqlite3.connect(":memory:")
    rows.to_sql("rows", database, index=False)
    assert [label for (label,) in database.execute(f"SELECT {export_sql(pipeline)} FROM rows")] == expected


def test_a_category_that_is_filled_in_says_so():
    table = pd.DataFrame({"colour": ["red"] * 30 + ["blue"] * 20 + [None] * 5}, dtype=object)
    y = ["warm"] * 30 + ["cold"] * 20 + ["warm"] * 5
    imputer = SimpleImputer(strategy="most_frequent", missing_values=None)
    pipeline = make_pipeline(imputer, OneHotEncoder(), OptimalDecisionDiagramClassifier("1", random_state=0))
    text = export_text(pipeline.fit(table, y))
    assert "colour = red or missing" in text or "colour = blue\n" in text


def test_outputs_are_not_called_as_the_columns_they_are_made_of():
    table, y = make_table(0)
    zeros = SimpleImputer(missing_values=0)
    made = make_column_transformer((PowerTransformer(), ["price"]), (zeros, ["count"]))
    model = OptimalDecisionDiagramClassifier("1-2", max_iter=5, exact=None, random_state=0)
    names = model_view(make_pipeline(made, model).fit(table.fillna({"count": 1}), y)).metadata.feature_names
    assert names == ("PowerTransformer(price)", "SimpleImputer(count)")


def test_clipped_values_are_traced_unless_they_are_added_up():
    table, y = make_table(0)
    made = make_pipeline(make_column_transformer((SimpleImputer(), NUMBERS)), MinMaxScaler(clip=True))
    for split, names in (("univariate", ("size", "count")), ("multivariate", ("MinMaxScaler(size)",))):
        model = OptimalDecisionDiagramClassifier("1-2", split=split, max_iter=5, exact=None, random_state=0)
        found = model_view(make_pipeline(made, model).fit(table, y)).metadata.feature_names
        assert found[: len(names)] == names
