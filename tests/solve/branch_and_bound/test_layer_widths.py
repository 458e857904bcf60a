"""Layer widths and tree relaxations against their enumeration."""

from itertools import pairwise, product

import pytest

from oddlearn.solve.branch_and_bound.layer_widths import (
    enumerate_layer_widths,
    includes,
    list_layer_widths_within,
    relax_to_trees,
)

SKELETONS = [(1,), (1, 1, 1), (1, 2), (1, 2, 2), (1, 2, 4, 3), (1, 2, 2, 2, 2), (1, 1, 2, 4)]


def are_layer_widths(widths, limits):
    """The root is one node, no layer in use lies below one that is not, and no layer is more than doubled."""
    used = [width for width in widths if width]
    return (
        list(widths[: len(used)]) == used
        and all(width <= limit for width, limit in zip(widths, limits, strict=True))
        and all(after <= 2 * before for before, after in pairwise(used))
    )


@pytest.mark.parametrize("limits", SKELETONS, ids=str)
def test_all_layer_widths_of_a_skeleton_come_once(limits):
    expected = {
        tuple(width for width in candidate if width)
        for candidate in product([1], *(range(limit + 1) for limit in limits[1:]))
        if are_layer_widths(candidate, limits)
    }
    found = [
        widths for count in range(1, sum(limits) + 1) for widths in enumerate_layer_widths(count, limits)
    ]
    assert len(found) == len(set(found))
    assert set(found) == expected


def test_layer_widths_have_the_nodes_that_were_asked_for():
    for count in range(1, 16):
        assert all(sum(widths) == count for widths in enumerate_layer_widths(count, (1, 2, 4, 8)))
    assert list(enumerate_layer_widths(16, (1, 2, 4, 8))) == []


def test_a_relaxation_tells_one_node_from_several():
    assert relax_to_trees((1,)) == ()
    assert relax_to_trees((1, 2, 1, 2, 4)) == (2, 1, 2, 2)


def trees_of(relaxation):
    """Return all trees of a relaxation as nested pairs: a split has at most one split below it at a 1."""
    if not relaxation:
        return {None, (None, None)}
    below = trees_of(relaxation[1:])
    pairs = set(product(below, repeat=2))
    if relaxation[0] == 1:
        pairs = {pair for pair in pairs if None in pair}
    return {None} | pairs


def test_a_relaxation_includes_another_when_it_has_all_its_trees():
    relaxations = [relaxation for length in range(4) for relaxation in product((1, 2), repeat=length)]
    for relaxation, other in product(relaxations, repeat=2):
        assert includes(relaxation, other) == (trees_of(other) <= trees_of(relaxation))


@pytest.mark.parametrize("widths", [(1,), (1, 2, 1), (1, 2, 2, 1), (1, 1, 2, 4), (1, 2, 3)], ids=str)
def test_within_layer_widths_is_what_fewer_nodes_leave_of_it(widths):
    expected = {
        tuple(width for width in candidate if width)
        for candidate in product([1], *(range(width + 1) for width in widths[1:]))
        if are_layer_widths(candidate, widths)
    }
    found = list_layer_widths_within(widths)
    assert len(found) == len(expected) and set(found) == expected
    assert found[-1] == widths and [sum(part) for part in found] == sorted(map(sum, found))
