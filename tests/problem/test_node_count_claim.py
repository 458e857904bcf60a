"""Sentences by number of nodes: what they claim is what the bounds prove."""

import pytest

from oddlearn.problem.node_count_claim import NodeCountClaim


def claim(*bounds, objective=0.182, n_nodes=3, node_price=0.0, **options):
    return NodeCountClaim(objective, n_nodes, node_price, bounds, **options)


def test_more_nodes_could_save_so_much_at_most():
    given = claim(0.3, 0.25, 0.182, 0.169, 0.0, 0.0)
    assert given.unresolved == (4, 5, 6)
    assert given.resolved_clause("none") == "none with up to 3 nodes is better"
    assert given.unresolved_sentence() == (
        "With 4 nodes the training error could fall from 18.2 % to 16.9 % at most; "
        "about diagrams with 5 or more nodes nothing is proved."
    )


@pytest.mark.parametrize(
    ("bounds", "sentence"),
    [
        ((0.182, 0.1), "With 2 nodes the training error could fall from 18.2 % to 10.0 % at most."),
        ((0.1, 0.1), "With 1 or more nodes the training error could fall from 18.2 % to 10.0 % at most."),
        ((0.1, 0.1, 0.2), "With 1 to 2 nodes the training error could fall from 18.2 % to 10.0 % at most."),
        ((0.2, 0.0), "Nothing is proved about diagrams with 2 nodes."),
        ((0.2, 0.0, 0.0), "Nothing is proved about diagrams with 2 or more nodes."),
        ((0.0, 0.0, 0.0), "Nothing is proved about how much better."),
        ((0.0, 0.0, 0.2), "Nothing is proved about diagrams with 1 to 2 nodes."),
        (
            (0.15, 0.12),
            "With 1 node the training error could fall from 18.2 % to 15.0 % at most; with 2 nodes, to "
            "12.0 % at most.",
        ),
        (
            (0.15, 0.02),
            "With 1 node the training error could fall from 18.2 % to 15.0 % at most; with 2 nodes, 2.0 % is "
            "not ruled out.",
        ),
        (
            (0.02, 0.2),
            "About diagrams with 1 node it is only proved that their training error is at least 2.0 % (here "
            "18.2 %).",
        ),
    ],
)
def test_each_shape_of_bounds_has_its_sentence(bounds, sentence):
    assert claim(*bounds).unresolved_sentence() == sentence


def test_a_smaller_diagram_may_be_better_with_more_errors():
    given = claim(0.5, 0.14, 0.2, objective=0.16, n_nodes=7, node_price=0.01)
    assert given.unresolved_sentence() == (
        "A diagram with 2 nodes could be better because it is smaller than this one of 7 nodes; its training "
        "error would be at least 13.0 %, here it is 10.0 %."
    )
    beyond = {
        0.09: "With 3 or more nodes the training error could fall from 10.0 % to 9.0 % at most.",
        0.12: "With more nodes it would be at least 12.0 %.",
        0.02: "About trees with 3 or more nodes it is only proved that their training error is at least 2.0 "
        "% (here 10.0 %).",
        0.0: "Nothing is proved about trees with 3 or more nodes.",
    }
    for least, sentence in beyond.items():
        options = {"objective": 0.16, "n_nodes": 7, "node_price": 0.01, "shape": "tree"}
        told = claim(0.5, 0.14, least + 0.02, least + 0.03, **options).unresolved_sentence()
        assert told.endswith(f"here it is 10.0 %. {sentence}")


def test_decimals_tell_two_numbers_apart():
    told = claim(0.18196, objective=0.182).unresolved_sentence()
    assert told == "With 1 node the training error could fall from 18.2 % to 18.1 % at most."
    told = claim(0.18201, objective=0.18204).unresolved_sentence()
    assert told == "With 1 node the training error could fall from 18.204 % to 18.201 % at most."


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ("weighted_error", "the weighted training error could fall from 18.2 % to 15.0 %"),
        ("cost", "the mean training cost could fall from 0.182 to 0.15 at most"),
    ],
)
def test_the_measure_is_named(measure, words):
    assert words in claim(0.15, measure=measure).unresolved_sentence()
    assert "plus penalties could" in claim(0.15, measure=measure, has_penalties=True).unresolved_sentence()


def test_a_diagram_that_does_not_need_its_nodes_counts_as_a_smaller_one():
    # five nodes that need only four may cost what four do, though five that are needed cost more
    given = claim(0.2, 0.2, 0.2, 0.12, 0.15)
    assert given.least_cost(5) == pytest.approx(0.12)
    assert (
        given.unresolved_sentence()
    ) == "With 4 or more nodes the training error could fall from 18.2 % to 12.0 % at most."
