import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton, skeleton_from_dict
from oddlearn.errors import InvalidInputError, ModelFileError


def test_text_lists_and_skeletons_are_read():
    wanted = Skeleton((1, 2, 4))
    for given in ("1-2-4", [1, 2, 4], (1, 2, 4), np.array([1, 2, 4]), wanted):
        assert Skeleton.parse(given) == wanted
    assert str(wanted) == "1-2-4"


def test_slots_are_numbered_layer_by_layer():
    skeleton = Skeleton.parse("1-2-3")
    assert skeleton.n_nodes == 6
    assert skeleton.depth == 3
    assert skeleton.first.tolist() == [0, 1, 3, 6]
    assert skeleton.layer_of.tolist() == [0, 1, 1, 2, 2, 2]


def test_a_tree_doubles_each_layer_and_forbids_merging():
    assert Skeleton.tree(3) == Skeleton((1, 2, 4), tree_only=True)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("1-3", "at most twice"),
        ("2-2", "root layer has 1"),
        ("1-x", "whole numbers"),
        ("", "whole numbers"),
        ("1--2", "whole numbers"),
        ("1-0", "at least 1"),
        ([], "empty"),
        ([1, 2.0], "whole numbers"),
        ([True, 2], "whole numbers"),
        (7, "cannot be read"),
    ],
)
def test_a_wrong_skeleton_is_refused_with_a_sentence(given, sentence):
    with pytest.raises(InvalidInputError, match=sentence):
        Skeleton.parse(given)


@pytest.mark.parametrize("depth", [0, -1, 1.5, True])
def test_a_tree_needs_a_whole_depth(depth):
    with pytest.raises(InvalidInputError, match="whole number"):
        Skeleton.tree(depth)


def test_a_damaged_skeleton_is_refused():
    assert skeleton_from_dict({"widths": [1, 2], "tree_only": True}) == Skeleton((1, 2), tree_only=True)
    assert skeleton_from_dict({"widths": [1, 2], "tree_only": False}) == Skeleton((1, 2))
    for widths in ([1, 3], [2], [1, 0], []):
        with pytest.raises(ModelFileError):
            skeleton_from_dict({"widths": widths, "tree_only": False})
