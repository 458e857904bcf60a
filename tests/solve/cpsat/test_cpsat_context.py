"""Features by rank: their distinct values in ascending order."""

from dataclasses import replace

import numpy as np

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.cost_units import scale_rows
from oddlearn.problem.ranked_columns import RankedColumns
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.cpsat.context import ModelContext, RankedFeature, rank_features


def test_every_value_has_a_rank_however_close():
    values = [0.5, np.nextafter(0.5, 1.0), 1.0]
    column = np.array([values[2], values[0], values[1], values[0]])
    made = RankedFeature.from_columns(RankedColumns(column[:, None]), 0)
    assert made.values.tolist() == values


def test_every_row_has_its_rank():
    made = RankedFeature.from_columns(RankedColumns(np.array([[10.0, 0.0, 1.0, 10.0]]).T), 0)
    assert [sorted(rows.tolist()) for rows in made.rows] == [[1], [2], [0, 3]]


def test_features_that_part_no_rows_or_the_same_are_left_out():
    X = np.array([[0.0, 0.0, 0.5, 1.0], [0.3, 0.6, 0.5, 0.5], [1.0, 1.0, 0.5, 0.0]])
    data = TrainingData.collect(X, np.array([0, 1, 0]), 2)
    problem = build_problem(data, Skeleton.parse("1"), 0.1, "univariate")
    assert [made.index for made in rank_features(problem)] == [0, 3]


def test_nodes_are_ordered_unless_a_row_tells_the_slots_of_a_layer_apart():
    data = TrainingData.collect(np.arange(4.0).reshape(-1, 1), np.array([0, 1, 0, 1]), 2)
    problem = build_problem(data, Skeleton.parse("1-2-2"), 0.01, "univariate")
    layout = problem.layout
    slot, side, used, given = (np.zeros(layout.size) for _ in range(4))
    slot[layout.reached[0, 1]] = side[layout.positive[3, 4]] = used[layout.used[1]] = 1.0
    given[layout.assigned[0]] = given[layout.root_splits] = 1.0
    for chosen, is_ordered in [
        ([], True),
        ([used], True),
        ([given], True),
        ([slot], False),
        ([side], False),
        ([used, slot], False),
        ([side, given], False),
    ]:
        matrix = np.array(chosen).reshape(-1, layout.size)
        limits = np.zeros(len(chosen)), np.ones(len(chosen))
        limited = replace(problem, rows=LinearRows(matrix, *limits, ("row",) * len(chosen)))
        rows = tuple(scale_rows(limited.rows))
        for asks in (True, False):
            context = ModelContext.build(limited, 3, rank_features(limited), limited.cost_units, rows, asks)
            assert context.orders_nodes == (asks and is_ordered)
            assert context.skeleton.n_nodes <= 5 and context.count == 3


def test_the_entries_of_a_model_are_estimated_from_rows_features_and_arcs():
    X = np.column_stack([np.arange(6.0), np.arange(6.0) ** 2 % 5])
    data = TrainingData.collect(X, np.arange(6) % 2, 2)
    problem = build_problem(data, Skeleton.parse("1-2-3"), 0.01, "univariate")
    context = ModelContext.build(problem, 6, rank_features(problem), None, (), True)
    assert [list(context.next_slots(slot)) for slot in range(6)] == [[1, 2], [3, 4, 5], [3, 4, 5], [], [], []]
    # 6 rows: 2 entries per feature and slot, 8 per slot and arc to a slot
    assert context.n_entries == 6 * (2 * 2 * 6 + 8 * (6 + 2 + 3 + 3))
