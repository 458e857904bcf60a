import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from oddlearn.diagram.features import Feature, default_features
from oddlearn.diagram.json_checks import read_record
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.errors import InvalidInputError, ModelFileError

STORED = Path(__file__).parent / "stored"


@pytest.mark.parametrize(
    ("feature", "name"),
    [
        (Feature("age"), "age"),
        (Feature("age", has_missing=True), "age"),
        (Feature("smoker", kind="boolean"), "smoker"),
        (Feature("colour", "red", "category"), "colour = red"),
        (Feature("grade", np.int64(4), "category"), "grade = 4"),
    ],
)
def test_a_feature_has_a_name_and_survives_json(feature, name):
    assert feature.name == name
    assert read_record(Feature, json.loads(json.dumps(feature.to_dict())), "feature") == feature


@pytest.mark.parametrize("wrong", [("a", "red"), ("a", None, "category"), ("a", None, "colour")])
def test_only_categories_have_a_category(wrong):
    with pytest.raises(InvalidInputError, match="kind"):
        Feature(*wrong)
    document = dict(zip(("column", "category", "kind"), (*wrong, "number"), strict=False))
    document |= {"has_missing": False, "fill": None}
    with pytest.raises(ModelFileError, match=r"valid feature|feature\.kind is"):
        read_record(Feature, document, "feature")


def metadata(names=None, features=()):
    return ModelMetadata(names, ("no", "yes"), np.zeros((2, 2)), features)


def test_notes_have_features_of_their_names():
    assert metadata(("a", "b")).features == (Feature("a"), Feature("b"))
    assert metadata(None, default_features(2)).features == (Feature("x0"), Feature("x1"))
    assert metadata().feature(3) == Feature("x3")
    assert metadata(("a", "b")).feature(1) == Feature("b")


def test_features_are_kept_with_their_names_and_replaced_by_other_names():
    red = Feature("colour", "red", "category")
    assert metadata(("colour = red",), (red,)).features == (red,)
    assert replace(metadata(None, (red,)), feature_names=("x",)).features == (Feature("x"),)


def test_notes_of_other_features_differ():
    red, one = Feature("colour", "red", "category"), Feature("colour = red")
    assert metadata(("colour = red",), (red,)) != metadata(("colour = red",), (one,))
    assert metadata(("a",)) == metadata(("a",))
