"""Gurobi, by gurobipy: its own indicators or big-M rows; it needs a licence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from oddlearn.errors import UnsupportedError
from oddlearn.solve.milp.backends.backend import (
    IndicatorKind,
    SendEvent,
    Solution,
    SolveOptions,
    SolverCallback,
    install_hint,
)
from oddlearn.solve.milp.linear_model import (
    Indicators,
    LinearModel,
    linearise_indicators,
    make_triggers_binary,
)
from oddlearn.solve.worker.messages import ExitStatus

# distance of a binary to an integer that Gurobi accepts; the default, 1e-5, is a tenth of the margin
INTEGRALITY = 1e-9

LARGEST_SEED = 2_000_000_000

# status of Gurobi -> exit status of a solve that was stopped
_STOPPED: dict[str, ExitStatus] = {"TIME_LIMIT": "time", "MEM_LIMIT": "memory", "INTERRUPTED": "interrupted"}


class Gurobi:
    """The back end of Gurobi."""

    def unavailable_reason(self, indicators: IndicatorKind) -> str | None:
        """Return, in a sentence, the reason why it cannot work here, or None."""
        absent = install_hint("gurobipy", "oddlearn[gurobi]")
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

    def solve(self, model: LinearModel, options: SolveOptions, send: SendEvent) -> Solution:
        """Solve the model."""
        import gurobipy

        is_native = options.indicators == "native"
        callback = SolverCallback(model, options, send)
        with _quiet_environment(gurobipy) as environment, gurobipy.Model(env=environment) as solver:
            _set_options(solver, options, callback.cutoff)
            rows = make_triggers_binary(model) if is_native else linearise_indicators(model)
            columns = _add_model(gurobipy, solver, rows)
            if options.start is not None and model.value(options.start) < options.cutoff:
                columns.Start = options.start
            _optimize(gurobipy, solver, columns, callback)
            return _solution(gurobipy, solver, columns, callback)


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
        "TimeLimit": options.seconds,
        "Cutoff": cutoff,
    }
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


def _optimize(gurobipy: Any, solver: Any, columns: Any, callback: SolverCallback) -> None:  # noqa: ANN401
    codes = gurobipy.GRB.Callback

    def on_event(model: Any, where: int) -> None:  # noqa: ANN401
        if where == codes.MIPSOL:
            callback.on_solution(model.cbGet(codes.MIPSOL_OBJ), np.asarray(model.cbGetSolution(columns)))
        elif where == codes.MIP:
            callback.on_bound(model.cbGet(codes.MIP_OBJBND))

    try:
        solver.optimize(on_event)
    except gurobipy.GurobiError as error:
        if error.errno != gurobipy.GRB.Error.SIZE_LIMIT_EXCEEDED:
            raise RuntimeError(f"Gurobi failed: {error}.") from error
        size = f"{solver.NumVars} columns and {solver.NumConstrs} rows"
        raise UnsupportedError(
            f"The model has {size}, which is too large for the licence of Gurobi found here: install one "
            "without a limit of size, or use the solver 'highs' or 'scip'."
        ) from error


def _solution(gurobipy: Any, solver: Any, columns: Any, callback: SolverCallback) -> Solution:  # noqa: ANN401
    codes, nodes = gurobipy.GRB.Status, int(solver.NodeCount)
    if solver.SolCount:
        callback.on_solution(solver.ObjVal, np.asarray(columns.X))
    if solver.Status == codes.OPTIMAL:
        return callback.on_finish(solver.ObjBound, nodes)
    if solver.Status in (codes.CUTOFF, codes.INFEASIBLE, codes.INF_OR_UNBD):
        return callback.on_finish(math.inf, nodes)
    for name, status in _STOPPED.items():
        if solver.Status == getattr(codes, name):
            return callback.on_stop(solver.ObjBound, status, nodes)
    raise RuntimeError(f"Gurobi failed: its status is {solver.Status}.")
