import base64
import hashlib
import html
import re

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from oddlearn import (
    DecisionDiagram,
    MaxNodes,
    OptimalDecisionDiagramClassifier,
    OptimalDecisionDiagramClassifierCV,
    export_html,
)
from oddlearn.diagram.features import Feature
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.errors import InvalidInputError
from oddlearn.report import html_page
from oddlearn.report.page_data import MAX_CHARACTERS
from tests.report.pages import NASTY, PLAIN, Elements, coloured, drawn, embedded, followed, lacking


@pytest.fixture(scope="module")
def fitted():
    random = np.random.default_rng(0)
    X = random.random((80, 3))
    y = np.where((X[:, 0] > 0.5) & (X[:, 1] > 0.3), "in", "out")
    return OptimalDecisionDiagramClassifier("1-2", alpha=0.01, max_iter=20, random_state=0).fit(X, y), X, y


def words(page):
    return re.sub(r"\s+", " ", " ".join(Elements(page).text))


def test_the_page_asks_nothing_of_the_network(fitted):
    model, X, y = fitted
    page = html_page(model, X, y)
    assert not re.search(r"https?:|//[a-z]+\.|url\(|@import", page)
    assert not {"src", "href", "action"} & {name for _, given in Elements(page).found for name in given}


def test_only_the_script_of_the_page_may_run(fitted):
    model, X, y = fitted
    page = html_page(model, X, y)
    script = Elements(page).scripts[1]
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{allowed}'" in page
    assert "default-src 'none'" in page


@pytest.mark.parametrize("kind", ["univariate", "multivariate", "mixed"])
@pytest.mark.parametrize("seed", range(3))
def test_what_is_embedded_classifies_as_the_diagram_does_ties_included(seed, kind):
    diagram, metadata, X, y = drawn(seed, kind)
    data = embedded(html_page(diagram, X, y, metadata=metadata))
    assert len(data["rows"]) == len(X)
    found = [followed(data, row[3]) for row in data["rows"]]
    assert found == diagram.route(X).final_arc.tolist()
    assert [data["ends"][str(arc)]["class"] for arc in found] == diagram.predict(X).tolist()
    assert [row[2] for row in data["rows"]] == diagram.predict(X).tolist()


def test_nasty_names_change_no_element_of_the_page():
    diagram, metadata, X, y = drawn(0)
    plain = Elements(html_page(diagram, X, y, metadata=metadata, title="Title"))
    labels = NASTY[:3]
    bad = ModelMetadata(NASTY, labels, metadata.arc_weights)
    given = np.array(labels, dtype=object)[[metadata.class_labels.index(label) for label in y]]
    groups = {NASTY[1]: given}
    page = Elements(html_page(diagram, X, given, metadata=bad, title=NASTY[0], sensitive_features=groups))
    known = {(tag, tuple(attributes)) for tag, attributes in plain.found}
    assert {(tag, tuple(attributes)) for tag, attributes in page.found} <= known
    assert len(page.scripts) == len(plain.scripts) == 2
    assert page.scripts[1] == plain.scripts[1]
    assert NASTY[0] in words(html_page(diagram, X, y, metadata=metadata, title=NASTY[0]))


def test_a_half_surrogate_in_a_name_can_be_written(tmp_path):
    diagram, metadata, _, _ = drawn(1)
    odd = ModelMetadata(("\ud800", *PLAIN[1:]), metadata.class_labels, metadata.arc_weights)
    assert export_html(diagram, tmp_path / "page.html", metadata=odd).read_text(encoding="utf-8")


def test_rows_beyond_two_hundred_are_left_out_and_the_page_says_so():
    diagram, metadata, X, _ = drawn(2, n_rows=600)
    page = html_page(diagram, X, metadata=metadata)
    rows = embedded(page)["rows"]
    assert len(rows) == 200
    assert [rows[0][0], rows[-1][0]] == ["0", str(len(X) - 1)]
    assert f"200 of the {len(X)} samples, spread evenly" in words(page)
    assert all(row[1] is None for row in rows)


def test_wide_rows_stop_at_a_megabyte():
    n_features = 1000
    random = np.random.default_rng(0)
    split = MultivariateSplit(random.random(n_features), 250.0)
    diagram = DecisionDiagram((split,), [1], [2], [0], 2, n_features)
    page = html_page(diagram, random.random((200, n_features)))
    kept = len(embedded(page)["rows"])
    assert 0 < kept < 200
    assert f"{kept} of the 200 samples" in words(page)
    assert len(page) < 2 * MAX_CHARACTERS


def test_accuracy_and_confusion_are_those_of_the_model(fitted):
    model, X, y = fitted
    flipped = np.where(np.arange(len(y)) % 9 == 0, "in", y)
    page = html_page(model, X, y, X_test=X, y_test=flipped)
    right = int((model.predict(X) == flipped).sum())
    assert f"Accuracy on 80 test samples: {100 * right / len(y):.1f} %" in words(page)
    assert f"Accuracy on 80 training samples: {100 * model.score(X, y):.1f} %" in words(page)
    matrix = page.split("<caption>Confusion matrix of the test samples")[1].split("</table>")[0]
    cells = [int(count) for count in re.findall(r'class="(?:right|wrong|none)">(\d+)<', matrix)]
    labels = ["in", "out"]
    assert cells == [((flipped == a) & (model.predict(X) == b)).sum() for a in labels for b in labels]


def test_the_certificate_speaks_for_itself(fitted):
    model, X, y = fitted
    told = words(html_page(model, X, y))
    for line in model.certificate_.explain(details=True).splitlines():
        assert line.removeprefix("- ") in told


def test_a_requirement_is_told_once():
    X = np.random.default_rng(0).random((30, 2))
    wish = MaxNodes(1)
    model = OptimalDecisionDiagramClassifier("1", max_iter=2, constraints=(wish,), random_state=0)
    page = html_page(model.fit(X, X[:, 0] > 0.5))
    assert page.count(html.escape(wish.describe())) == 1
    assert page.count("Required: ") == 1


def test_a_model_without_rows_has_a_page_of_what_it_remembers(fitted):
    model, X, y = fitted
    alone, given = embedded(html_page(model)), embedded(html_page(model, X, y))
    assert alone["nodes"][0]["flow"] == given["nodes"][0]["flow"]
    assert alone["rows"] == []
    assert "No samples were given" in html_page(model)
    assert f"Accuracy on 80 training samples: {100 * model.score(X, y):.1f} %" in words(html_page(model))


def test_other_rows_than_those_of_training_are_called_samples(fitted):
    model, X, y = fitted
    assert embedded(html_page(model, X, y))["unit"] == "training samples"
    assert embedded(html_page(model, X[1:], y[1:]))["unit"] == "samples"


def test_the_constant_diagram_has_a_page():
    metadata = ModelMetadata(None, ("a", "b"), np.array([[1.0, 2.0]]))
    page = html_page(DecisionDiagram.constant(1, 2, 1), [[0.0]], ["b"], metadata=metadata)
    assert "it predicts b for every sample" in words(page)
    assert followed(embedded(page), []) == 0
    assert embedded(page)["ends"]["0"]["class"] == 1


def test_all_three_ways_write_the_same_page(fitted, tmp_path):
    model, X, y = fitted
    wanted = html_page(model, X, y, title="T")
    paths = [
        export_html(model, tmp_path / "1.html", X, y, title="T"),
        model.to_html(str(tmp_path / "2.html"), X, y, title="T"),
    ]
    assert [path.read_text(encoding="utf-8") for path in paths] == [wanted, wanted]
    bare = export_html(model.diagram_, tmp_path / "3.html", X, y, metadata=model.metadata_, title="T")
    assert embedded(bare.read_text(encoding="utf-8")) == embedded(wanted)


def test_categories_are_chosen_from_a_list_and_rows_find_their_own():
    diagram, metadata, X, y = coloured()
    page = html_page(diagram, X, y, metadata=metadata)
    data = embedded(page)
    options = re.findall(r"<option value=\"\d+\">([^<]+)</option>", page)
    assert options == ["true", "false", "red", "green", "blue", "(another)"]
    colours = data["fields"][2]
    for row in data["rows"]:
        values = [row[3][feature] for feature in colours["features"]]
        assert colours["options"].count(values) == 1


def test_missing_values_are_null_and_take_the_side_of_the_diagram():
    diagram, metadata, X, y = lacking()
    page = html_page(diagram, X, y, metadata=metadata)
    data = embedded(page)
    assert [row[3] for row in data["rows"]] == [[None if v != v else v for v in row] for row in X.tolist()]
    assert [followed(data, row[3]) for row in data["rows"]] == diagram.route(X).final_arc.tolist()
    asked = [node["sides"] for node in data["nodes"]]
    assert asked == [
        ["age is not missing", "age is missing"],
        ["age < 41 or missing", "age >= 41"],
        ["owner is not missing", "owner is missing"],
        ["pay < 2", "pay >= 2 or missing"],
    ]
    assert data["nodes"][0]["threshold"] is None
    assert page.count('placeholder="missing"') == 2
    assert re.findall(r"<option value=\"\d+\">([^<]+)</option>", page) == ["true", "false", "missing"]


def test_a_number_that_is_filled_in_may_be_missing_in_the_form():
    features = (Feature("age", fill=41.5), Feature("age", kind="missing"), Feature("pay", fill=2.0))
    diagram = DecisionDiagram((MultivariateSplit([1.0, -3.0, 0.0], 41.0),), [1], [2], [0], 2, 3)
    metadata = ModelMetadata(tuple(one.name for one in features), ("no", "yes"), np.zeros((2, 2)), features)
    data = embedded(html_page(diagram, [[30.0, 0, 1], [41.5, 1, 2]], metadata=metadata))
    (field,) = data["fields"]
    assert (field["features"], field["missing"], field["start"]) == ([0, 1], [41.5, 1], [30, 0])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"y": ["one"]}, "give X too"),
        ({"y_test": ["one"]}, "give X_test too"),
        ({"X": [[0.0, 1.0]]}, "4 columns"),
        ({"X": np.zeros((0, 4))}, "at least one"),
        ({"X": [[0, 0, 0, np.inf]]}, "infinite"),
        ({"X": np.zeros((2, 4)), "y": ["one"]}, "one label per row of X, here 2"),
        ({"X": np.zeros((1, 4)), "y": ["four"]}, "'four', which the model does not know"),
        ({"sensitive_features": ["a"]}, "give X and y too"),
        ({"X": np.zeros((1, 4)), "y": ["one"], "sensitive_features": ["a", "b"]}, "one value per row of X"),
        ({"X": np.zeros((60, 4)), "y": ["one"] * 60, "sensitive_features": range(60)}, "60 different values"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(given, said):
    diagram, metadata, _, _ = drawn(0)
    with pytest.raises(InvalidInputError, match=re.escape(said)):
        html_page(diagram, metadata=metadata, **given)


def test_a_search_over_parameters_has_the_page_of_its_choice(fitted):
    model, X, y = fitted
    search = GridSearchCV(model, {"alpha": [0.01]}, cv=2).fit(X, y)
    assert html_page(search, X, y) == html_page(search.best_estimator_, X, y)
    assert "training samples" in html_page(search, X, y)


def test_a_tuned_classifier_writes_the_page_of_its_choice(fitted, tmp_path):
    _, X, y = fitted
    tuned = OptimalDecisionDiagramClassifierCV(("1",), (0.01,), cv=2, max_iter=5, random_state=0).fit(X, y)
    path = tuned.to_html(tmp_path / "tuned.html", X, y, title="T")
    assert path.read_text(encoding="utf-8") == html_page(tuned.best_estimator_, X, y, title="T")


def test_only_fitted_models_of_ours_have_a_page(fitted):
    with pytest.raises(NotFittedError):
        html_page(OptimalDecisionDiagramClassifier())
    other = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(InvalidInputError, match="path is a ndarray: give the name of the file to write"):
        export_html(fitted[0], fitted[1], fitted[2])
    with pytest.raises(InvalidInputError, match="LogisticRegression"):
        html_page(other)
