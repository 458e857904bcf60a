"""Gurobi, by gurobipy: its own indicators or rows with their slack; it needs a licence."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from oddlearn.errors import UnsupportedError
from oddlearn.milp.backends.contract import Ending, IndicatorKind, News, Solution, SolveOptions, missing
from oddlearn.milp.backends.teller import Teller
from oddlearn.milp.lowering import lowered, with_binary_triggers
from oddlearn.milp.model import Indicators, LinearModel

# Gurobi takes a binary this close to a whole number for whole; the default, 1e-5, is a tenth of the margin
INTEGRALITY = 1e-9

LARGEST_SEED = 2_000_000_000

# status of Gurobi -> how it ended before its work did
_STOPPED: dict[str, Ending] = {"TIME_LIMIT": "time", "MEM_LIMIT": "memory", "INTERRUPTED": "interrupted"}


class Gurobi:
    """The back end of Gurobi."""

    def objection(self, indicators: IndicatorKind) -> str | None:
        """Return, in a sentence, why it cannot work here, or None."""
        absent = missing("gurobipy", "gurobi")
        if absent is not None:
            return absent
        import gurobipy

        try:
            _quiet_environment(gurobipy).dispose()
        except gurobipy.GurobiError as error:
            return f"Gurobi has no licence that it accepts: {error}."
        return None

    def version(self) -> str:
        """Return the name and version of the solver."""
        import gurobipy

        return "Gurobi " + ".".join(str(part) for part in gurobipy.gurobi.version())

    def solve(self, model: LinearModel, options: SolveOptions, send: Callable[[News], None]) -> Solution:
        """Solve the model."""
        import gurobipy

        is_native = options.indicators == "native"
        teller = Teller(model, options, send)
        with _quiet_environment(gurobipy) as environment, gurobipy.Model(env=environment) as solver:
            _set_options(solver, options, teller.cutoff)
            rows = with_binary_triggers(model) if is_native else lowered(model)
            columns = _add_model(gurobipy, solver, rows)
            if options.start is not None and model.value(options.start) < options.cutoff:
                columns.Start = options.start
            _optimize(gurobipy, solver, columns, teller)
            return _solution(gurobipy, solver, columns, teller)


def _quiet_environment(gurobipy: Any) -> Any:  # noqa: ANN401
    return gurobipy.Env(params={"OutputFlag": 0})


def _set_options(solver: Any, options: SolveOptions, cutoff: float) -> None:  # noqa: ANN401
    settings = {
        "MIPGap": 0.0,
        "MIPGapAbs": 0.0,
        "FeasibilityTol": options.tolerance,
        "IntFeasTol": INTEGRALITY,
        "Threads": options.threads,
        "Seed": options.seed % LARGEST_SEED,
    }
    if math.isfinite(options.seconds):
        settings["TimeLimit"] = options.seconds
    if math.isfinite(cutoff):
        settings["Cutoff"] = cutoff
    for name, value in settings.items():
        solver.setParam(name, value)


def _add_model(gurobipy: Any, solver: Any, model: LinearModel) -> Any:  # noqa: ANN401
    kinds = np.where(model.integer, gurobipy.GRB.BINARY, gurobipy.GRB.CONTINUOUS)
    bounds = {"lb": model.column_lower, "ub": model.column_upper}
    columns = solver.addMVar(model.n_columns, obj=model.cost, vtype=kinds, **bounds)
    equal = model.lower == model.upper
    for chosen, sense, side in (
        (equal, "=", model.upper),
        (~equal & np.isfinite(model.upper), "<", model.upper),
        (~equal & np.isfinite(model.lower), ">", model.lower),
    ):
        rows = np.flatnonzero(chosen)
        if rows.size:
            solver.addMConstr(model.matrix[rows], columns, sense, side[rows])
    _add_indicators(gurobipy, solver, model.indicators, columns)
    return columns


def _add_indicators(gurobipy: Any, solver: Any, indicators: Indicators, columns: Any) -> None:  # noqa: ANN401
    variables, matrix = columns.tolist(), indicators.matrix
    for row, (trigger, upper) in enumerate(zip(indicators.trigger, indicators.upper, strict=True)):
        entries = slice(matrix.indptr[row], matrix.indptr[row + 1])
        parts = [variables[column] for column in matrix.indices[entries]]
        terms = gurobipy.LinExpr(matrix.data[entries].tolist(), parts)
        solver.addGenConstrIndicator(variables[trigger], True, terms, "<", float(upper))


def _optimize(gurobipy: Any, solver: Any, columns: Any, teller: Teller) -> None:  # noqa: ANN401
    codes = gurobipy.GRB.Callback

    def hear(model: Any, where: int) -> None:  # noqa: ANN401
        if where == codes.MIPSOL:
            teller.point(model.cbGet(codes.MIPSOL_OBJ), np.asarray(model.cbGetSolution(columns)))
        elif where == codes.MIP:
            teller.bound(model.cbGet(codes.MIP_OBJBND))

    try:
        solver.optimize(hear)
    except gurobipy.GurobiError as error:
        if error.errno != gurobipy.GRB.Error.SIZE_LIMIT_EXCEEDED:
            raise RuntimeError(f"Gurobi failed: {error}.") from error
        size = f"{solver.NumVars} columns and {solver.NumConstrs} rows"
        raise UnsupportedError(
            f"The model has {size}, which is too large for the licence of Gurobi found here: install one "
            "without a limit of size, or use the solver 'highs' or 'scip'."
        ) from error


def _solution(gurobipy: Any, solver: Any, columns: Any, teller: Teller) -> Solution:  # noqa: ANN401
    codes, nodes = gurobipy.GRB.Status, int(solver.NodeCount)
    if solver.SolCount:
        teller.point(solver.ObjVal, np.asarray(columns.X))
    if solver.Status == codes.OPTIMAL:
        return teller.finished(solver.ObjBound, nodes)
    if solver.Status in (codes.CUTOFF, codes.INFEASIBLE, codes.INF_OR_UNBD):
        return teller.finished(math.inf, nodes)
    for name, ending in _STOPPED.items():
        if solver.Status == getattr(codes, name):
            return teller.stopped(solver.ObjBound, ending, nodes)
    raise RuntimeError(f"Gurobi failed: its status is {solver.Status}.")
