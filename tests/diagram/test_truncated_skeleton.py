from itertools import pairwise, product

import pytest

from oddlearn.diagram.skeleton import Skeleton, cut_to, needed

SKELETONS = ["1", "1-1", "1-2", "1-2-4", "1-2-3-3", "1-2-4-8", "1-2-2-2-2", "1-1-2-4", "1-2-1-2", "1-2-4-4"]


def fillings(skeleton, most):
    """Every number of nodes in each layer that a diagram with at most so many nodes can have."""
    for counts in product(*(range(width + 1) for width in skeleton.widths)):
        is_reached = all(below <= 2 * above for above, below in pairwise(counts))
        if counts[0] == 1 and is_reached and sum(counts) <= most:
            yield counts


@pytest.mark.parametrize("text", SKELETONS)
def test_the_cut_skeleton_is_the_smallest_that_holds_every_diagram(text):
    skeleton = Skeleton.parse(text)
    for most in range(1, skeleton.n_nodes + 1):
        widest = [max(layer) for layer in zip(*fillings(skeleton, most), strict=True)]
        assert list(cut_to(skeleton, most).widths) == [width for width in widest if width], most


@pytest.mark.parametrize("text", SKELETONS)
def test_all_nodes_leave_the_skeleton_whole(text):
    skeleton = Skeleton.parse(text)
    assert cut_to(skeleton, skeleton.n_nodes) == skeleton
    assert cut_to(skeleton, skeleton.n_nodes + 7) == skeleton


def test_trees_stay_trees():
    assert cut_to(Skeleton.tree(4), 3) == Skeleton((1, 2, 1), tree_only=True)


def test_many_nodes_of_a_layer_need_half_as_many_above():
    assert [needed(3, count) for count in (1, 2, 3, 4, 5, 8)] == [4, 5, 7, 8, 11, 15]
