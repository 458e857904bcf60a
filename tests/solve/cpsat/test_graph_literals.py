"""Which graphs the model allows: arcs of one node that lead to one target."""

import numpy as np

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.cpsat.context import ModelContext, rank_features
from oddlearn.solve.cpsat.diagram_literals import create_graph
from oddlearn.solve.solver import ignore
from oddlearn.solve.worker.run_worker import run_worker
from tests.solve.cpsat.proving import usable


def describe_context(n_classes, count):
    data = TrainingData.collect(np.arange(4.0).reshape(-1, 1), np.arange(4) % n_classes, n_classes)
    problem = build_problem(data, Skeleton.parse("1-2"), 0.1, "univariate")
    return ModelContext.build(problem, count, rank_features(problem), problem.cost_units, (), True)


def list_feasible(contexts, send):
    """Return for each context the slots whose two arcs may lead to one target; None if it has no graph."""
    return [find_joined_slots(context) for context in contexts]


def find_joined_slots(context):
    from ortools.sat.python import cp_model

    def is_feasible(slot=None, target=None):
        model = cp_model.CpModel()
        graph = create_graph(model, context, model.new_constant(1))
        if slot is not None:
            model.add_bool_and([graph.used[slot], *(graph.arcs[slot, side][target] for side in (0, 1))])
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        return solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)

    n_slots, n_classes = context.skeleton.n_nodes, context.problem.data.n_classes
    if not is_feasible():
        return None
    classes = range(n_slots, n_slots + n_classes)
    targets = [[*context.next_slots(slot), *classes] for slot in range(n_slots)]
    return [slot for slot in range(n_slots) if any(is_feasible(slot, target) for target in targets[slot])]


def test_only_the_root_of_a_problem_with_one_class_may_be_a_constant():
    usable()
    cases = [(n_classes, count) for n_classes in (1, 2, 3) for count in (1, 2, 3)]
    exit_ = run_worker(
        "tests.solve.cpsat.test_graph_literals:list_feasible",
        [describe_context(*case) for case in cases],
        Budget.of(60),
        ignore,
    )
    assert exit_.status == "done", exit_.detail
    joined = dict(zip(cases, exit_.result, strict=True))
    assert joined[1, 1] == [0]
    # with one class no node below the root decides anything: no graph has one
    assert joined[1, 2] is None and joined[1, 3] is None
    assert all(joined[case] == [] for case in cases if case[0] > 1)
