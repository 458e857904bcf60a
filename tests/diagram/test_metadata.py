import numpy as np
import pytest

from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.errors import InvalidInputError


def test_numpy_labels_become_plain():
    metadata = ModelMetadata(("x",), tuple(np.array([1, 2])), np.zeros((2, 2)))
    assert [type(label) for label in metadata.class_labels] == [int, int]


def test_labels_that_json_cannot_hold_are_refused():
    with pytest.raises(InvalidInputError, match="label"):
        ModelMetadata(None, ((1, 2),), np.zeros((1, 1)))


def test_feature_names_become_plain_text_and_name_the_features():
    metadata = ModelMetadata(np.array(["age", 7], dtype=object), ("a",), np.zeros((1, 1)))
    assert metadata.feature_names == ("age", "7")
    assert [feature.name for feature in metadata.features] == ["age", "7"]
    assert hash(metadata) == hash(ModelMetadata(("age", "7"), ("a",), np.zeros((1, 1))))
