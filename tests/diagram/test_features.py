import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import oddlearn
from oddlearn.diagram.features import Feature, feature_from_dict, numbered
from oddlearn.diagram.metadata import Notes
from oddlearn.errors import InvalidInputError, ModelFileError

STORED = Path(__file__).parent / "stored"


@pytest.mark.parametrize(
    ("feature", "name"),
    [
        (Feature("age"), "age"),
        (Feature("smoker", kind="boolean"), "smoker"),
        (Feature("colour", "red", "category"), "colour = red"),
        (Feature("grade", np.int64(4), "category"), "grade = 4"),
    ],
)
def test_a_feature_has_a_name_and_survives_json(feature, name):
    assert feature.name == name
    assert feature_from_dict(json.loads(json.dumps(feature.to_dict()))) == feature


@pytest.mark.parametrize("wrong", [("a", "red"), ("a", None, "category"), ("a", None, "colour")])
def test_only_categories_have_a_category(wrong):
    with pytest.raises(InvalidInputError, match="kind"):
        Feature(*wrong)
    document = dict(zip(("column", "category", "kind"), (*wrong, "number"), strict=False))
    with pytest.raises(ModelFileError, match="valid feature"):
        feature_from_dict(document)


def notes(names=None, features=()):
    return Notes(names, ("no", "yes"), np.zeros((2, 2)), features)


def test_notes_have_features_of_their_names():
    assert notes(("a", "b")).features == (Feature("a"), Feature("b"))
    assert notes(None, numbered(2)).features == (Feature("x0"), Feature("x1"))
    assert notes().feature(3) == Feature("x3")
    assert notes(("a", "b")).feature(1) == Feature("b")


def test_features_are_kept_with_their_names_and_replaced_by_other_names():
    red = Feature("colour", "red", "category")
    assert notes(("colour = red",), (red,)).features == (red,)
    assert replace(notes(None, (red,)), feature_names=("x",)).features == (Feature("x"),)


def test_notes_of_other_features_differ():
    red, one = Feature("colour", "red", "category"), Feature("colour = red")
    assert notes(("colour = red",), (red,)) != notes(("colour = red",), (one,))
    assert notes(("a",)) == notes(("a",))


@pytest.mark.parametrize(
    ("name", "columns"), [("schema_1", ["x0", "x1"]), ("schema_1_names", ["size", "age"])]
)
def test_files_of_the_first_schema_are_read(name, columns):
    model = oddlearn.load(STORED / f"{name}.json")
    assert [feature.name for feature in model.notes_.features] == columns
    assert model.n_features_in_ == 2
    assert hasattr(model, "feature_names_in_") == (name == "schema_1_names")
    X = [[0.0, 3.0], [1.0, 1.0], [2.0, 2.0], [3.0, 0.0]]
    assert model.score(X, ["no", "no", "yes", "yes"]) == 1.0
    assert oddlearn.from_json(model.to_json()).notes_ == model.notes_
