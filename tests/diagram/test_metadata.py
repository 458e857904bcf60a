import numpy as np
import pytest

from oddlearn.diagram.metadata import ModelMetadata, metadata_from_dict
from oddlearn.errors import InvalidInputError, ModelFileError


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


@pytest.mark.parametrize(
    ("weights", "options", "sentence"),
    [
        (np.zeros((2, 3)), {}, "2 columns"),
        (np.zeros(2), {}, "2 columns"),
        (np.array([[1.0, -1.0]]), {}, "not negative"),
        (np.array([[1.0, np.nan]]), {}, "finite"),
        (np.array([[1.0, np.inf]]), {}, "finite"),
        (np.zeros((2, 2)), {"class_weights": (1.0,)}, "Class weights"),
        (np.zeros((2, 2)), {"class_weights": (1.0, -1.0)}, "Class weights"),
        (np.zeros((2, 2)), {"class_weights": (1.0, np.inf)}, "Class weights"),
        (np.zeros((2, 2)), {"favourable_class": 2}, "favourable"),
        (np.zeros((2, 2)), {"favourable_class": -1}, "favourable"),
    ],
)
def test_numbers_that_cannot_be_are_refused(weights, options, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        ModelMetadata(None, ("a", "b"), weights, **options)


def test_limits_of_what_is_allowed():
    for favourable in (0, 1, None):
        assert ModelMetadata(None, ("a", "b"), np.zeros((2, 2)), favourable_class=favourable)
    assert not ModelMetadata(None, ("a", "b"), np.array([[1.0, 2.0]])).is_weighted
    assert ModelMetadata(None, ("a", "b"), np.array([[1.0, 2.5]])).is_weighted
    assert ModelMetadata(None, ("a", "b"), np.array([[1.0, 2.0]]), is_weighted=True).is_weighted


def test_a_file_whose_arcs_have_different_numbers_of_classes_is_damaged():
    document = ModelMetadata(None, ("a", "b"), np.zeros((2, 2))).to_dict()
    with pytest.raises(ModelFileError, match=r"metadata\.arc_weights needs one number per class"):
        metadata_from_dict({**document, "arc_weights": [[0.0, 0.0], [0.0]]})


@pytest.mark.parametrize("favourable", [-1, 2, 3, 1.0, True])
def test_a_file_with_a_favourable_class_that_is_none_is_damaged(favourable):
    document = ModelMetadata(None, ("a", "b"), np.zeros((2, 2)), favourable_class=1).to_dict()
    assert metadata_from_dict(document).favourable_class == 1
    with pytest.raises(ModelFileError, match="favourable"):
        metadata_from_dict({**document, "favourable_class": favourable})
