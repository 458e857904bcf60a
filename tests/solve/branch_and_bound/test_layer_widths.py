"""Shapes and patterns against their enumeration."""

from itertools import pairwise, product

import pytest

from oddlearn.solve.branch_and_bound.layer_widths import covers, pattern_of, shapes, shapes_within

SKELETONS = [(1,), (1, 1, 1), (1, 2), (1, 2, 2), (1, 2, 4, 3), (1, 2, 2, 2, 2), (1, 1, 2, 4)]


def is_shape(widths, limits):
    """The root is one node, no layer in use lies below one that is not, and no layer is more than doubled."""
    used = [width for width in widths if width]
    return (
        list(widths[: len(used)]) == used
        and all(width <= limit for width, limit in zip(widths, limits, strict=True))
        and all(after <= 2 * before for before, after in pairwise(used))
    )


@pytest.mark.parametrize("limits", SKELETONS, ids=str)
def test_every_shape_of_a_skeleton_comes_once(limits):
    expected = {
        tuple(width for width in widths if width)
        for widths in product([1], *(range(limit + 1) for limit in limits[1:]))
        if is_shape(widths, limits)
    }
    listed = [shape for count in range(1, sum(limits) + 1) for shape in shapes(count, limits)]
    assert len(listed) == len(set(listed))
    assert set(listed) == expected


def test_shapes_have_the_nodes_that_were_asked_for():
    for count in range(1, 16):
        assert all(sum(shape) == count for shape in shapes(count, (1, 2, 4, 8)))
    assert list(shapes(16, (1, 2, 4, 8))) == []


def test_a_pattern_tells_one_node_from_several():
    assert pattern_of((1,)) == ()
    assert pattern_of((1, 2, 1, 2, 4)) == (2, 1, 2, 2)


def trees_of(pattern):
    """Return all trees of a pattern as nested pairs: a split has at most one split below it at a 1."""
    if not pattern:
        return {None, (None, None)}
    below = trees_of(pattern[1:])
    pairs = set(product(below, repeat=2))
    if pattern[0] == 1:
        pairs = {pair for pair in pairs if None in pair}
    return {None} | pairs


def test_a_pattern_covers_another_when_it_has_all_its_trees():
    patterns = [pattern for length in range(4) for pattern in product((1, 2), repeat=length)]
    for pattern, other in product(patterns, repeat=2):
        assert covers(pattern, other) == (trees_of(other) <= trees_of(pattern))


@pytest.mark.parametrize("shape", [(1,), (1, 2, 1), (1, 2, 2, 1), (1, 1, 2, 4), (1, 2, 3)], ids=str)
def test_within_a_shape_is_what_fewer_nodes_leave_of_it(shape):
    expected = {
        tuple(width for width in widths if width)
        for widths in product([1], *(range(width + 1) for width in shape[1:]))
        if is_shape(widths, shape)
    }
    listed = shapes_within(shape)
    assert len(listed) == len(expected) and set(listed) == expected
    assert listed[-1] == shape and [sum(part) for part in listed] == sorted(map(sum, listed))
