"""How a solve of HiGHS, SCIP or Gurobi ended, in the words that all back ends share."""

import math
from types import SimpleNamespace

import pytest

from oddlearn.solve.milp.backends import gurobi, highs, scip
from oddlearn.solve.milp.backends.backend import SolveOptions, SolverCallback

POINT = [0.0, 1.0]


def callback(cutoff=math.inf):
    options = SolveOptions(1.0, cutoff, None, "big-m")
    return SolverCallback(SimpleNamespace(offset=100.0), options, lambda event: None)


def end_highs(status, has_point, cutoff=math.inf):
    """Return the solution of a HiGHS that found the point of value 5 and proved 4, or found none."""
    kinds = SimpleNamespace(kSolutionStatusFeasible=2)
    info = SimpleNamespace(
        mip_node_count=7,
        primal_solution_status=2 if has_point else 0,
        objective_function_value=5.0 if has_point else math.inf,
        mip_dual_bound=4.0,
    )
    solver = SimpleNamespace(
        getModelStatus=lambda: SimpleNamespace(name=status),
        getInfo=lambda: info,
        getSolution=lambda: SimpleNamespace(col_value=POINT),
        modelStatusToString=lambda given: given.name,
    )
    return highs._solution(SimpleNamespace(SolutionStatus=kinds), solver, callback(cutoff))


def end_scip(status, has_point, cutoff=math.inf):
    """Return the solution of a SCIP that found the point of value 5 and proved 4, or found none."""
    solver = SimpleNamespace(
        getStatus=lambda: status,
        getNTotalNodes=lambda: 7,
        getNSols=lambda: int(has_point),
        getBestSol=lambda: None,
        getSolVal=lambda solution, column: POINT[column],
        getSolObjVal=lambda solution: 5.0,
        getDualbound=lambda: 4.0,
    )
    return scip._solution(solver, [0, 1], callback(cutoff))


STOPPED = [
    (end_highs, "kTimeLimit", "time"),
    (end_highs, "kMemoryLimit", "memory"),
    (end_highs, "kInterrupt", "interrupted"),
    (end_scip, "timelimit", "time"),
    (end_scip, "memlimit", "memory"),
    (end_scip, "userinterrupt", "interrupted"),
]


@pytest.mark.parametrize(("end", "status", "expected"), STOPPED)
@pytest.mark.parametrize("has_point", [True, False])
def test_a_solve_that_was_stopped_keeps_its_point_and_its_bound(end, status, expected, has_point):
    solution = end(status, has_point)
    assert (solution.status, solution.bound, solution.nodes) == (expected, 104.0, 7)
    assert (None if solution.values is None else list(solution.values)) == (POINT if has_point else None)


@pytest.mark.parametrize(
    ("end", "status"),
    [
        (end_highs, "kInfeasible"),
        (end_highs, "kUnboundedOrInfeasible"),
        (end_highs, "kObjectiveBound"),
        (end_scip, "infeasible"),
        (end_scip, "inforunbd"),
    ],
)
def test_a_model_without_a_point_is_infeasible_or_has_none_below_the_cutoff(end, status):
    assert (end(status, False).status, end(status, False).bound) == ("infeasible", math.inf)
    solution = end(status, False, cutoff=106.0)
    assert (solution.status, solution.bound) == ("cutoff", 106.0)


@pytest.mark.parametrize(("end", "status"), [(end_highs, "kOptimal"), (end_scip, "optimal")])
def test_an_optimum_has_its_point_and_its_bound(end, status):
    solution = end(status, True)
    assert (solution.status, solution.bound, list(solution.values)) == ("optimal", 104.0, POINT)


def test_an_optimum_of_highs_above_the_cutoff_is_none():
    assert end_highs("kOptimal", True, cutoff=104.5).status == "cutoff"


@pytest.mark.parametrize(("end", "status"), [(end_highs, "kSolveError"), (end_scip, "unknown")])
def test_any_other_end_is_an_error(end, status):
    with pytest.raises(RuntimeError, match=f"failed: .*{status}"):
        end(status, False)


def test_gurobi_is_stopped_by_the_same_limits():
    expected = {"TIME_LIMIT": "time", "MEM_LIMIT": "memory", "INTERRUPTED": "interrupted"}
    assert expected == gurobi._STOPPED
