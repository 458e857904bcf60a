"""Pipelines: names and thresholds go back to the columns that the user knows."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)

from oddlearn import (
    DecisionDiagram,
    OptimalDecisionDiagramClassifier,
    UnivariateSplit,
    export_html,
    export_python,
    export_rules,
    export_svg,
    export_text,
    plot_diagram,
    plot_history,
)
from oddlearn.diagram.features import Feature
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.report import html_page
from oddlearn.view.column_tracing import TracedFeature
from oddlearn.view.inputs import model_view
from oddlearn.view.pipeline_view import TableUnits

IRIS = load_iris(as_frame=True)
RANDOM = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "age": RANDOM.integers(20, 70, 200).astype(float),
        "colour": RANDOM.choice(["blue", "green", "red"], 200),
        "size": RANDOM.choice(["S", "M", "L"], 200),
        "income": RANDOM.random(200) * 1000,
    }
)
OLD = (TABLE.age > 45) & (TABLE.colour == "red") | (TABLE["size"] == "L") & (TABLE.income > 300)
GAPS = TABLE.assign(age=TABLE.age.where(RANDOM.random(200) > 0.2))


def classifier(split="univariate"):
    return OptimalDecisionDiagramClassifier("1-2-2", split=split, alpha=0.01, max_iter=10, random_state=0)


def assert_same_predictions(pipeline, X):
    view = model_view(pipeline)
    predicted = view.diagram.predict(view.rows(X))
    labels = np.array(view.metadata.class_labels)[predicted]
    assert (labels == pipeline.predict(X)).all()
    return view


@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler(), MaxAbsScaler(), RobustScaler(), None])
@pytest.mark.parametrize("split", ["univariate", "multivariate"])
def test_thresholds_go_back_through_scalers(scaler, split):
    X, y = IRIS.data, IRIS.target
    pipeline = make_pipeline(scaler or "passthrough", classifier(split)).fit(X, y)
    view = assert_same_predictions(pipeline, X)
    assert view.metadata.feature_names == tuple(X.columns)
    np.testing.assert_allclose(view.rows(X), X, rtol=1e-9, atol=1e-9)


def mixed(**options):
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(**options), StandardScaler()), ["age", "income"]),
            ("colours", OneHotEncoder(), ["colour"]),
            ("sizes", OrdinalEncoder(categories=[["S", "M", "L"]]), ["size"]),
        ]
    )


def test_columns_go_back_through_encoders():
    pipeline = make_pipeline(mixed(), classifier()).fit(TABLE, OLD)
    view = assert_same_predictions(pipeline, TABLE)
    names = set(view.metadata.feature_names)
    assert {"age", "income", "colour = red", "size (S = 0, M = 1, L = 2)"} <= names
    text = export_text(pipeline, X=TABLE)
    assert "colour = red" in text and "age >=" in text and "Note:" not in text
    assert view.notes == ()


def test_values_that_were_filled_in_take_the_side_of_their_fill():
    pipeline = make_pipeline(mixed(add_indicator=True), classifier()).fit(GAPS, OLD)
    view = assert_same_predictions(pipeline, GAPS)
    assert "age is missing" in view.metadata.feature_names
    assert "missing" in export_text(pipeline, X=GAPS)
    for split in view.diagram.splits:
        fill = view.metadata.feature(split.feature).fill
        assert fill is None or split.missing_positive == (fill >= split.threshold)


@pytest.mark.parametrize(
    "encoder",
    [
        OneHotEncoder(drop="first"),
        OneHotEncoder(min_frequency=70, handle_unknown="infrequent_if_exist"),
        OneHotEncoder(sparse_output=False, drop="if_binary"),
    ],
)
def test_each_kind_of_one_hot_encoding_is_followed(encoder):
    rows = TABLE.assign(colour=np.where(RANDOM.random(200) < 0.1, "pink", TABLE.colour))
    transformer = make_column_transformer((encoder, ["colour"]), remainder="passthrough", sparse_threshold=0)
    pipeline = make_pipeline(transformer, classifier()).fit(rows.drop(columns="size"), OLD)
    view = assert_same_predictions(pipeline, rows.drop(columns="size"))
    assert view.notes == ()
    raw = view.rows(rows.drop(columns="size"))
    for place, feature in enumerate(view.metadata.features):
        if feature.kind == "category":
            assert (raw[:, place] == (rows.colour == feature.category)).all()


def test_what_cannot_be_traced_is_said():
    X, y = IRIS.data, IRIS.target
    pipeline = make_pipeline(StandardScaler(), PCA(2), classifier()).fit(X, y)
    assert_same_predictions(pipeline, X)
    text = export_text(pipeline, X=X)
    assert "Note: pca0" in text and "outputs of PCA, which cannot be traced back to single columns." in text
    logs = make_pipeline(FunctionTransformer(np.log, feature_names_out="one-to-one"), classifier()).fit(X, y)
    assert "outputs of FunctionTransformer" in export_text(logs)


def test_a_selection_and_a_search_over_a_pipeline_are_unwrapped():
    X, y = IRIS.data, IRIS.target
    pipeline = make_pipeline(SelectKBest(k=2), MinMaxScaler(), classifier())
    search = GridSearchCV(pipeline, {"optimaldecisiondiagramclassifier__alpha": [0.01]}, cv=2).fit(X, y)
    view = assert_same_predictions(search, X)
    assert view.metadata.feature_names == ("petal length (cm)", "petal width (cm)")


def test_every_exporter_takes_a_pipeline(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    pipeline = make_pipeline(mixed(), classifier()).fit(TABLE, OLD)
    assert "colour = red" in str(export_rules(pipeline, X=TABLE))
    assert "colour" in export_svg(pipeline, X=TABLE) and "colour" in export_python(pipeline)
    page = export_html(pipeline, tmp_path / "page.html", TABLE, OLD).read_text(encoding="utf-8")
    assert "colour = red" in page
    assert plot_diagram(pipeline, X=TABLE) is not None and plot_history(pipeline) is not None


def test_the_weight_of_a_row_goes_through_a_pipeline_so_that_probabilities_agree():
    weights = {"setosa": 1, "versicolor": 2, "virginica": 5}
    model = OptimalDecisionDiagramClassifier("1-2", class_weight=weights, max_iter=5, random_state=0)
    pipeline = make_pipeline(StandardScaler(), model).fit(IRIS.data, IRIS.target_names[IRIS.target])
    view = model_view(pipeline)
    assert view.metadata.row_weight == model.metadata_.row_weight == 5
    ends = view.diagram.route(view.rows(IRIS.data)).final_arc
    assert np.allclose(view.metadata.probabilities(view.diagram)[ends], pipeline.predict_proba(IRIS.data))


def shown_importances(page):
    """Return the columns and percentages of the section "What matters"."""
    section = page.split("<h2>What matters</h2>")[1].split("</section>")[0]
    return dict(re.findall(r'<th scope="row">(.*?)</th>.*?\+ ([\d.]+) %', section))


def test_importances_are_those_of_the_columns_of_the_table():
    pipeline = make_pipeline(mixed(), classifier()).fit(TABLE, OLD)
    direct = classifier().fit(TABLE.assign(size=TABLE["size"].map({"S": 0, "M": 1, "L": 2})), OLD)
    wanted = dict(zip(TABLE.columns, direct.feature_importances_, strict=True))
    for page in (html_page(pipeline), html_page(pipeline, TABLE, OLD)):
        found = {name.split(" (")[0]: float(share) for name, share in shown_importances(page).items()}
        assert len(found) >= 3
        for name, share in found.items():
            assert share == pytest.approx(100 * wanted[name], abs=0.051)


def test_importances_of_a_column_behind_several_outputs_are_measured_on_the_rows():
    colours = RANDOM.choice(["blue", "green", "red", "white"], 300)
    table = pd.DataFrame({"colour": colours, "age": RANDOM.integers(20, 70, 300).astype(float)})
    y = np.isin(colours, ["blue", "red"]) ^ (table.age > 60)
    encoder = make_column_transformer((OneHotEncoder(), ["colour"]), remainder=StandardScaler())
    pipeline = make_pipeline(encoder, classifier().set_params(skeleton="1-2-3", class_weight="balanced"))
    pipeline.fit(table, y)
    asked = {pipeline[-1].diagram_.splits[node].feature for node in range(pipeline[-1].diagram_.n_nodes)}
    assert len(asked & {0, 1, 2, 3}) > 1
    assert "What matters" not in html_page(pipeline)
    direct = classifier().set_params(skeleton="1-2-3", class_weight="balanced").fit(table, y)
    found = shown_importances(html_page(pipeline, table, y))
    wanted = dict(zip(table.columns, direct.feature_importances_, strict=True))
    assert direct.score(table, y) == pipeline.score(table, y)
    assert {name: float(share) for name, share in found.items()} == {
        name: pytest.approx(100 * value, abs=0.051) for name, value in wanted.items()
    }


def test_values_of_the_table_come_back_without_noise():
    values = RANDOM.normal(size=(400, 1)).round(5) * np.array([[1.0, 1e-4, 1e6]])
    short = np.vectorize(lambda value: float(f"{value:.9g}"))(values)
    table = pd.DataFrame(short, columns=list("abc"))
    pipeline = make_pipeline(StandardScaler(), classifier()).fit(table, table.a > 0.3)
    view = assert_same_predictions(pipeline, table)
    np.testing.assert_array_equal(view.rows(table), table)


def test_a_value_next_to_a_threshold_keeps_its_side():
    diagram = DecisionDiagram((UnivariateSplit(0, 0.5),), [1], [2], [0], 2, 1)
    metadata = ModelMetadata(("a",), ("no", "yes"), np.ones((2, 2)))
    units = TableUnits(diagram, metadata, {}, (TracedFeature(Feature("a"), scale=2.0),), ())
    rows = units.from_transformed(np.array([[0.25 - 5e-15], [0.25], [0.1 + 1e-17]]))
    assert rows[:, 0].tolist() == [0.5 - 1e-14, 0.5, 0.2]
