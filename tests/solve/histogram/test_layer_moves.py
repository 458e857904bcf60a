"""Moves on histograms against every threshold, every side of missing values and every pair of targets."""

import itertools

import numpy as np
import pytest

from oddlearn.constraints import MaxNodes, MinFlow, MinFlowPerArc
from oddlearn.problem.evaluate import evaluate
from oddlearn.solve.histogram.layer_polish import StructureLimits
from oddlearn.solve.histogram.layer_sums import sum_layer
from oddlearn.streaming import row_source
from tests.solve.histogram.raw_tables import FOREVER, bin_all, random_diagram, raw_problem, start_polish

SEEDS = range(12)


def objective_of(problem, table, diagram):
    return evaluate(problem, diagram.to_diagram(problem, table)).objective


def try_all_changes(problem, table, diagram, slot):
    """Return the best objective when one node gets any split of any column and any two targets."""
    skeleton, n_slots = problem.skeleton, problem.skeleton.n_nodes
    following = np.flatnonzero(diagram.active & (skeleton.layer_of == skeleton.layer_of[slot] + 1)).tolist()
    if skeleton.tree_only:
        following = [target for target in following if target in diagram.child[slot]]
    targets = [*following, *range(n_slots, n_slots + problem.data.n_classes)]
    best = np.inf
    for column, n_bins in enumerate(table.n_bins.tolist()):
        splits = [(low, high) for low in range(n_bins + 1) for high in (254, 255)]
        for (low, high), pair in itertools.product(splits, itertools.permutations(targets, 2)):
            if (low, high) == (0, 255) or (low == n_bins and not (high == 255 and table.has_missing[column])):
                continue  # all rows on one side
            changed = diagram.copy()
            changed.column[slot], changed.low[slot], changed.high[slot] = column, low, high
            changed.child[slot] = pair
            changed.drop_unreachable()
            best = min(best, objective_of(problem, table, changed))
    return best


@pytest.mark.parametrize("seed", SEEDS)
def test_the_objective_on_bins_is_that_of_plain_evaluation(seed):
    problem = raw_problem(seed, n_rows=3000)
    table = bin_all(problem)
    polish = start_polish(problem, table, seed)
    assert polish.objective() == pytest.approx(objective_of(problem, table, polish.diagram), abs=1e-12)


@pytest.mark.parametrize("tree_only", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_a_node_gets_the_best_of_all_splits_and_targets(seed, tree_only):
    problem = raw_problem(seed, n_rows=25, tree_only=tree_only, values=3)
    table = bin_all(problem)
    polish = start_polish(problem, table, seed)
    layer = seed % problem.skeleton.depth
    sums = sum_layer(problem, table, polish.diagram, layer, FOREVER, grows=False)
    for place, slot in enumerate(sums.groups):
        before = polish.objective()
        best = try_all_changes(problem, table, polish.diagram, slot)
        polish._improve_node(sums, place, slot)
        polish.diagram.drop_unreachable()
        assert objective_of(problem, table, polish.diagram) == pytest.approx(min(before, best), abs=1e-9)
        break  # a second node is improved on what the first one left


@pytest.mark.parametrize("seed", SEEDS)
def test_a_descent_never_makes_a_diagram_worse_and_ends_where_no_layer_gains(seed):
    problem = raw_problem(seed, n_rows=500)
    table = bin_all(problem)
    polish = start_polish(problem, table, seed)
    last = polish.objective()
    for layer in (2, 1, 0, 2, 1, 0):
        polish.improve_layer(layer, FOREVER)
        assert polish.objective() <= last + 1e-9
        last = polish.objective()
    assert polish.run(FOREVER)
    assert last >= polish.objective()
    assert polish.objective() == pytest.approx(objective_of(problem, table, polish.diagram), abs=1e-12)
    assert not any(polish.improve_layer(layer, FOREVER) for layer in range(3))


def test_a_node_grows_on_an_arc_where_it_saves_more_than_its_price():
    problem = raw_problem(1, n_rows=400)
    table = bin_all(problem)
    polish = start_polish(problem, table, 1)
    n_slots = problem.skeleton.n_nodes
    polish.diagram.child[:] = n_slots, n_slots + 1
    polish.diagram.drop_unreachable()
    assert polish.diagram.active.sum() == 1
    before = polish.objective()
    assert polish.improve_layer(1, FOREVER) and polish.diagram.active.sum() > 1
    assert objective_of(problem, table, polish.diagram) < before


@pytest.mark.parametrize("seed", range(3))
def test_threads_find_the_same_sums(seed, monkeypatch):
    monkeypatch.setattr(row_source, "PART_ROWS", 1000)
    problem = raw_problem(seed, n_rows=5000)
    table = bin_all(problem)
    diagram = random_diagram(problem, table, seed)
    one, two = (sum_layer(problem, table, diagram, 1, FOREVER, n_jobs).sums for n_jobs in (1, 2))
    assert np.array_equal(one, two)
    assert table.scale.amount_type is (np.int64 if seed % 3 == 2 else np.int32)


@pytest.mark.parametrize("constraint", [MaxNodes(3), MinFlow(40), MinFlowPerArc(30)], ids=repr)
@pytest.mark.parametrize("seed", range(4))
def test_every_descent_keeps_the_limits_of_its_start(constraint, seed):
    problem = raw_problem(seed, n_rows=300, constraints=(constraint,))
    limits = StructureLimits.from_problem(problem)
    table = bin_all(problem, flow=limits.row_flow)
    polish = start_polish(problem, table, seed)
    polish.diagram.child[:] = problem.skeleton.n_nodes, problem.skeleton.n_nodes + 1
    polish.diagram.drop_unreachable()
    polish.diagram.column[0], polish.diagram.low[0] = 0, 2
    assert polish.run(FOREVER)
    assert evaluate(problem, polish.diagram.to_diagram(problem, table)).violation == 0


@pytest.mark.parametrize("tree_only", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_prices_of_targets_are_those_of_the_nodes_that_are_left(seed, tree_only):
    """Each pair of targets is put in, the unreachable nodes dropped, and the others counted."""
    problem = raw_problem(3 * seed + 1, n_rows=60, tree_only=tree_only)
    table = bin_all(problem)
    polish = start_polish(problem, table, seed)
    n_slots, layer_of = problem.skeleton.n_nodes, problem.skeleton.layer_of
    if seed % 2:  # every slot is reached: some targets are those of another node
        polish.diagram.child[:] = n_slots, n_slots + 1
        polish.diagram.child[:3] = [[1, 2], [3, 4], [5, n_slots]]
        polish.diagram.active[:] = 1
    for slot in np.flatnonzero(polish.diagram.active).tolist():
        following = np.flatnonzero(polish.diagram.active & (layer_of == layer_of[slot] + 1)).tolist()
        targets = (*following, *range(n_slots, n_slots + problem.data.n_classes))
        prices = polish._pair_prices(targets, slot)
        for (one, first), (other, second) in itertools.product(enumerate(targets), repeat=2):
            changed = polish.diagram.copy()
            changed.child[slot] = first, second
            changed.drop_unreachable()
            own = polish.diagram.child[slot].tolist()
            is_foreign = any(target < n_slots and target not in own for target in (first, second))
            if first == second or (tree_only and is_foreign):
                assert prices[one, other] == np.inf
            else:
                assert prices[one, other] == pytest.approx(polish.price * changed.active.sum())


@pytest.mark.parametrize("tree_only", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_a_new_node_saves_what_it_says(seed, tree_only):
    """Nodes of the last layer that nothing leads to any more are no free targets."""
    problem = raw_problem(seed, n_rows=200, tree_only=tree_only)
    table = bin_all(problem)
    polish = start_polish(problem, table, seed)
    n_slots = problem.skeleton.n_nodes
    sums = sum_layer(problem, table, polish.diagram, 1, FOREVER)
    # the layer is cut off after the sums were taken: the root leads to classes alone
    before = polish.diagram.copy()
    for cut in (False, True):
        polish.diagram = before.copy()
        if cut:
            arcs = polish.diagram.child[0] < n_slots
            polish.diagram.child[0][arcs] = n_slots + np.flatnonzero(arcs)
        for place, group in enumerate(sums.groups):
            if group >= 0 or (
                cut and polish.diagram.child.ravel()[-1 - group] != before.child.ravel()[-1 - group]
            ):
                continue
            saving, split, arc = polish._new_node(sums, place, 1)
            targets = [target for target in split.targets if target < n_slots]
            reached = polish.diagram.reachable()
            assert saving == 0.0 or all(reached >> target & 1 and not tree_only for target in targets)
            if saving > 0 and not cut and not polish.diagram.active[1]:
                old = objective_of(problem, table, polish.diagram)
                polish._set(1, split)
                polish.diagram.active[1] = 1
                polish.diagram.child.ravel()[arc] = 1
                new = objective_of(problem, table, polish.diagram)
                assert (old - new) * table.total_weight == pytest.approx(saving, rel=1e-6, abs=1e-6)
                break
