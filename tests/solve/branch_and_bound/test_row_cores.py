"""What is refuted on a core of rows is refuted on all of them, and nothing else is."""

from unittest.mock import patch

import numpy as np
import pytest

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.branch_and_bound import diagram_proof, row_cores
from oddlearn.solve.branch_and_bound.row_cores import RowCore, refine_root_splits
from oddlearn.solve.branch_and_bound.weighted_items import WeightedItems
from oddlearn.solve.budget import Budget
from tests.oracles.check_row_cores import build_core, check_problem
from tests.solve.branch_and_bound.drawn import checkered_problem, drawn_problem, varies
from tests.solve.branch_and_bound.oracle import least_at_most
from tests.solve.branch_and_bound.test_branch_and_bound import check_proof

SMALL = {"FIRST_ROWS": 1, "MORE_ROWS": 0, "MAX_ROW_SHARE": 1.0}


@pytest.mark.parametrize("seed", range(60))
def test_layer_widths_are_refuted_up_to_what_their_best_diagram_costs(seed):
    check_problem(seed)


def test_nodes_that_only_rows_outside_the_core_need_do_not_refute_layer_widths():
    """One row needs no node: the kernel finds no diagram with two, but the best one costs nothing."""
    problem = on_a_line([0, 1, 2, 3], [0, 0, 1, 0])
    core, items = build_core(problem, np.random.default_rng(0), SMALL)
    made = core._build_runner(items.select_rows(np.arange(4) == 0))
    assert made.search((1, 1), 1.0, Budget.of(60.0)) is None and made.is_done
    assert least_at_most(problem, (1, 1)) == 0
    with patch.multiple(row_cores, **SMALL):
        is_refuted, found = core.refutes((1, 1), 1.0, Budget.of(60.0))
    assert not is_refuted and found is not None


def on_a_line(values, codes):
    data = TrainingData.collect(np.array(values, dtype=float)[:, None] / 5, np.array(codes), 2)
    return build_problem(data, Skeleton.parse("1"), 0.1, "univariate")


def test_a_core_without_time_or_with_too_many_rows_refutes_nothing():
    problem = on_a_line([0, 1, 2, 3, 4, 5], [0, 1, 0, 1, 0, 1])
    core, _ = build_core(problem, np.random.default_rng(0), SMALL)
    with patch.multiple(row_cores, **SMALL):
        assert core.refutes((1, 1), 1.0, Budget.of(0.0)) == (False, None)
    with patch.multiple(row_cores, **{**SMALL, "MAX_ROW_SHARE": 0.1}):
        assert core.refutes((1, 1), 1.0, Budget.of(60.0)) == (False, None)


@pytest.mark.parametrize("seed", range(20))
def test_refined_splits_divide_the_few_rows_as_the_splits_before(seed):
    random = np.random.default_rng(seed)
    problem = drawn_problem(seed, 12)
    if not varies(problem):
        return
    items = WeightedItems.from_problem(problem)
    is_more = random.random(problem.data.n_rows) < 0.8
    is_more[random.integers(is_more.size)] = True
    is_few = is_more & (random.random(is_more.size) < 0.6)
    is_few[np.flatnonzero(is_more)[0]] = True
    few, more = items.select_rows(is_few), items.select_rows(is_more)
    for feature in range(items.features.size):
        for rank in np.unique(few.rank[feature])[:-1].tolist():
            refined = refine_root_splits([(feature, rank, 2), (-1, 0, 0)], few, more)
            sides = few.rank[feature] <= rank
            alike = [
                (feature, other, 2)
                for other in np.unique(more.rank[feature]).tolist()
                if ((few.rank[feature] <= other) == sides).all()
            ]
            assert refined == [*alike, (-1, 0, 0)]


def test_proofs_by_cores_end_at_the_optimum():
    """Whatever the rows are: the order is random, cores begin with one row, all is tried on them first."""
    refuted = []
    refutes = RowCore.refutes

    def watch(self, widths, cutoff, budget):
        found = refutes(self, widths, cutoff, budget)
        refuted.append(found[0])
        return found

    settings = {"FIRST_SHARE": 0.0, "SUBSET_CUTOFF": np.inf, "CORES_CUTOFF": np.inf, "MIN_ROWS": 1}
    with (
        patch.multiple(row_cores, **SMALL),
        patch.multiple(diagram_proof, **settings, rank_rows_by_difficulty=shuffle_rows),
        patch.object(diagram_proof.DiagramProof, "_try_trees", lambda self: None),
        patch.object(diagram_proof.DiagramProof, "_bound_by_trees", lambda self, **given: None),
        patch.object(RowCore, "refutes", watch),
    ):
        for seed in range(12):
            check_proof(drawn_problem(seed + 9000, 6, "1-2-2-1", (0.0, 0.05, 0.3)[seed % 3]))
            check_proof(checkered_problem(seed, "1-2-2", 0.1))
    assert any(refuted) and not all(refuted)


def shuffle_rows(X, gain, seed, budget):
    return np.random.default_rng(len(X)).permutation(len(X))
