"""Classifiers on frames of mixed columns."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import oddlearn
from oddlearn import OptimalDecisionDiagramClassifier, OptimalDecisionTreeClassifier
from oddlearn.diagram.json_checks import checksum
from oddlearn.errors import (
    IgnoredFeatureWarning,
    InvalidInputError,
    ModelFileError,
    UnknownCategoryWarning,
    VerificationError,
)
from oddlearn.streaming.dask_batches import make_batch
from oddlearn.table.column_table import ColumnTable, read_columns
from tests.table.people import FEATURES, people, slowly_encoded

FRAME, LABELS = people()


def fitted(X=FRAME, y=LABELS, sample_weight=None, **parameters):
    defaults = {"skeleton": "1-2-2", "alpha": 0.01, "max_iter": 30, "random_state": 0}
    return OptimalDecisionDiagramClassifier(**{**defaults, **parameters}).fit(X, y, sample_weight)


@pytest.mark.parametrize("split", ["univariate", "multivariate"])
def test_a_frame_is_trained_as_its_encoded_rows(split):
    model, plain = fitted(split=split), fitted(slowly_encoded(FRAME), split=split)
    assert model.diagram_ == plain.diagram_
    assert model.certificate_.digest == plain.certificate_.digest
    rows = slowly_encoded(FRAME)
    assert np.array_equal(model.encode(FRAME), rows)
    for method in ("predict", "predict_proba", "apply"):
        assert np.array_equal(getattr(model, method)(FRAME), getattr(plain, method)(rows))
    assert np.array_equal(model.decision_path(FRAME).toarray(), plain.decision_path(rows).toarray())


def test_the_users_columns_are_the_models():
    model = fitted()
    assert model.n_features_in_ == 5
    assert model.feature_names_in_.tolist() == list(FRAME.columns)
    assert [feature.name for feature in model.metadata_.features] == FEATURES
    assert model.metadata_.feature_names == tuple(FEATURES)


def test_splits_on_categories_and_booleans_lie_in_the_middle():
    model = fitted(skeleton="1-2-4-4", alpha=0.001)
    kinds = [model.metadata_.features[split.feature].kind for split in model.diagram_.splits]
    assert {"category", "boolean"} & set(kinds)
    for kind, split in zip(kinds, model.diagram_.splits, strict=True):
        assert kind == "number" or split.threshold == 0.5 or not 0 < split.threshold <= 1


def test_a_loaded_model_predicts_frames(tmp_path):
    model = fitted()
    model.save(tmp_path / "model.json")
    copy = oddlearn.load(tmp_path / "model.json")
    assert np.array_equal(copy.predict_proba(FRAME), model.predict_proba(FRAME))
    assert copy.metadata_ == model.metadata_
    assert copy.encoding_ == model.encoding_
    assert (copy.n_features_in_, list(copy.feature_names_in_)) == (5, list(FRAME.columns))
    assert copy.to_json() == model.to_json()


def test_a_model_is_verified_against_a_frame_and_against_the_same_table_from_a_file():
    model = oddlearn.from_json(fitted().to_json())
    from_file = FRAME.astype({"colour": "category", "grade": int, "smoker": object})
    for table in (FRAME, from_file):
        assert oddlearn.verify(model, table, LABELS).objective == model.objective_
    with pytest.raises(VerificationError, match="another problem"):
        oddlearn.verify(model, FRAME.assign(sex="m"), LABELS)


def test_the_order_of_rows_and_the_type_of_text_leave_no_trace():
    order = np.random.default_rng(1).permutation(len(FRAME))
    shuffled = FRAME.iloc[order].astype({"colour": "category", "sex": object})
    assert fitted(shuffled, LABELS[order]).diagram_ == fitted().diagram_


def test_a_category_of_weightless_rows_leaves_no_trace():
    frame = pd.concat([FRAME, FRAME.head(3).assign(colour="violet")], ignore_index=True)
    labels = np.concatenate([LABELS, LABELS[:3]])
    weight = np.concatenate([np.ones(len(FRAME)), np.zeros(3)])
    assert fitted(frame, labels, weight).certificate_.digest == fitted().certificate_.digest


def test_an_unknown_category_is_predicted_with_a_warning_that_points_at_the_caller():
    model = fitted()
    with pytest.warns(UnknownCategoryWarning, match="'violet'") as caught:
        predicted = model.predict(FRAME.assign(colour="violet"))
    assert caught[0].filename == __file__
    rows = slowly_encoded(FRAME)
    rows[:, 1:4] = 0
    assert np.array_equal(predicted, fitted(slowly_encoded(FRAME)).predict(rows))


def test_rows_without_names_are_read_by_place():
    model = fitted()
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        assert np.array_equal(model.predict(FRAME.values.tolist()), model.predict(FRAME))


def test_columns_without_names_are_numbered():
    frame = FRAME.set_axis(range(5), axis=1)
    model = fitted(frame)
    assert not hasattr(model, "feature_names_in_")
    assert model.metadata_.features[4].name == "x2 = m"
    copy = oddlearn.from_json(model.to_json())
    assert not hasattr(copy, "feature_names_in_")
    assert np.array_equal(copy.predict(frame), fitted().predict(FRAME))


def test_a_table_of_columns_is_a_frame_without_pandas():
    table = ColumnTable.from_mapping({name: FRAME[name].to_numpy() for name in FRAME if name != "grade"})
    frame = FRAME.drop(columns="grade")
    model = fitted(table)
    assert model.diagram_ == fitted(frame).diagram_
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert np.array_equal(model.predict(table), model.predict(frame))
    with pytest.raises(InvalidInputError, match="4 of the training data in their order: age, colour"):
        model.predict(ColumnTable(table.columns[::-1]))
    with pytest.raises(InvalidInputError, match="columns age, colour, sex: give the 4"):
        model.predict(ColumnTable(table.columns[:3]))


def test_a_model_of_numbers_takes_numbers_in_any_kind_of_frame():
    numbers = FRAME[["age"]].assign(size=np.arange(120) * 0.5)
    model = fitted(numbers)
    assert model.encoding_ is None
    assert np.array_equal(model.predict(numbers.astype(object)), model.predict(numbers))
    assert np.array_equal(model.predict(ColumnTable.from_mapping(dict(numbers))), model.predict(numbers))
    with pytest.raises(InvalidInputError, match="age held numbers in the training data and holds text"):
        model.predict(numbers.assign(age="old"))


def test_other_columns_are_refused():
    renamed, turned = FRAME.rename(columns={"age": "old"}), FRAME[FRAME.columns[::-1]]
    for other in (FRAME.drop(columns="age"), renamed, turned):
        with pytest.raises(ValueError, match="feature names should match"):
            fitted().predict(other)


def test_missing_labels_are_refused():
    frame = pd.DataFrame({"age": [1.0, np.nan, 3.0, 4.0], "size": [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(ValueError, match="y contains NaN"):
        fitted(frame[["size"]], frame.age)


def test_columns_without_names_are_counted_from_x0():
    for unnamed in (np.array([["a", 1.0], ["b", 2.0]], dtype=object), pd.DataFrame([["a", 1.0], ["b", 2.0]])):
        table = read_columns(unnamed)
        assert table.names == ("x0", "x1") and not table.has_names
    assert make_batch(np.eye(2), np.arange(2), None).X.names == ("x0", "x1")


def test_numbers_under_one_name_are_refused():
    frame = pd.DataFrame(np.arange(8.0).reshape(4, 2), columns=["a", "a"])
    with pytest.raises(InvalidInputError, match="more than one column called a"):
        fitted(frame, [0, 0, 1, 1])


@pytest.mark.parametrize(("n_rows", "message"), [(1, "1 sample"), (0, "0 sample")])
def test_frames_of_too_few_rows_are_refused(n_rows, message):
    with pytest.raises(ValueError, match=message):
        fitted(FRAME.head(n_rows), LABELS[:n_rows])


def test_frames_and_labels_of_different_length_are_refused():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        fitted(FRAME, LABELS[:-1])
    with pytest.raises(ValueError, match="0 sample"):
        fitted().predict(FRAME.head(0))
    with pytest.raises(ValueError, match="requires y"):
        fitted(FRAME, None)


def test_a_fit_on_an_array_forgets_the_columns_of_a_frame():
    model = fitted().fit(slowly_encoded(FRAME), LABELS)
    assert model.encoding_ is None
    assert model.n_features_in_ == 10
    assert not hasattr(model, "feature_names_in_")


def test_features_that_are_ignored_are_named_as_the_user_calls_them():
    far = FRAME.assign(serial=1e17 + FRAME.age)[["colour", "age", "serial"]]
    expected = r"^The features \['serial'\] lie too far from 0 .*splits\.$"  # others are left
    with pytest.warns(IgnoredFeatureWarning, match=expected):
        fitted(far, split="multivariate")


def test_clones_pickles_pipelines_and_searches_take_frames():
    model = fitted()
    assert clone(model).fit(FRAME, LABELS).diagram_ == model.diagram_
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(FRAME), model.predict(FRAME))
    pipeline = make_pipeline(FunctionTransformer(), clone(model)).fit(FRAME, LABELS)
    assert np.array_equal(pipeline.predict(FRAME), model.predict(FRAME))
    search = GridSearchCV(clone(model), {"alpha": [0.01, 1.0]}, cv=2).fit(FRAME, LABELS)
    assert search.best_params_ == {"alpha": 0.01}
    assert oddlearn.verify(search, FRAME, LABELS).objective == search.best_estimator_.objective_


def test_a_tree_takes_frames_too():
    tree = OptimalDecisionTreeClassifier(2, max_iter=20, random_state=0).fit(FRAME, LABELS)
    copy = oddlearn.from_json(tree.to_json())
    assert np.array_equal(copy.predict(FRAME), tree.predict(FRAME))


def test_a_file_whose_encoding_is_of_other_features_is_refused():
    document = json.loads(fitted().to_json())
    document["estimator"]["encoding"]["columns"][1]["categories"][0] = "black"
    document["checksum"] = checksum({name: document[name] for name in document if name != "checksum"})
    with pytest.raises(ModelFileError, match="its encoding gives other features than its metadata"):
        oddlearn.from_json(json.dumps(document))


def test_polars_frames_are_read_as_pandas_frames():
    polars = pytest.importorskip("polars")
    pandas = FRAME.astype({"grade": int})
    frame = polars.DataFrame({name: pandas[name].to_list() for name in pandas})
    model = fitted(frame, polars.Series(LABELS.tolist()))
    assert model.diagram_ == fitted(pandas).diagram_
    assert model.feature_names_in_.tolist() == list(pandas.columns)
    assert np.array_equal(model.predict(frame), model.predict(pandas))
    assert np.array_equal(oddlearn.from_json(model.to_json()).predict(frame), model.predict(frame))
