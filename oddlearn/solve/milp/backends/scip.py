"""SCIP, by pyscipopt: indicators as big-M rows, or its own. It works in one thread."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from oddlearn.diagram.arrays import FloatArray
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

# status of SCIP -> exit status of a solve that was stopped
_STOPPED: dict[str, ExitStatus] = {"timelimit": "time", "memlimit": "memory", "userinterrupt": "interrupted"}


class Scip:
    """The back end of SCIP."""

    def unavailable_reason(self, indicators: IndicatorKind) -> str | None:
        """Return, in a sentence, the reason why it cannot work here, or None."""
        return install_hint("pyscipopt", "oddlearn[scip]")

    def version(self) -> str:
        """Return the name and version of the solver."""
        import pyscipopt

        return f"SCIP {pyscipopt.Model().version()}"

    def solve(self, model: LinearModel, options: SolveOptions, send: SendEvent) -> Solution:
        """Solve the model."""
        import pyscipopt

        solver = pyscipopt.Model()
        callback = SolverCallback(model, options, send)
        _set_options(solver, options, callback.cutoff)
        is_native = options.indicators == "native"
        rows = make_triggers_binary(model) if is_native else linearise_indicators(model)
        columns = _add_columns_and_rows(pyscipopt, solver, rows)
        slacks = _add_indicators(pyscipopt, solver, rows.indicators, columns)
        if options.start is not None and model.value(options.start) < options.cutoff:
            _add_start(solver, columns + slacks, _append_slacks(rows.indicators, options.start))
        _register_callback(pyscipopt, solver, columns, callback)
        solver.optimizeNogil()
        return _solution(solver, columns, callback)


def _set_options(solver: Any, options: SolveOptions, cutoff: float) -> None:  # noqa: ANN401
    solver.hideOutput()
    # an interrupt from the keyboard is handled by the parent process
    solver.setParam("misc/catchctrlc", False)
    solver.setParam("randomization/randomseedshift", options.seed)
    solver.setParam("numerics/feastol", options.tolerance)
    if math.isfinite(options.seconds):
        solver.setParam("limits/time", options.seconds)
    if math.isfinite(cutoff):
        solver.setObjlimit(cutoff)


def _add_columns_and_rows(pyscipopt: Any, solver: Any, model: LinearModel) -> list[Any]:  # noqa: ANN401
    kinds = np.where(model.integer, "B", "C").tolist()
    bounds = zip(model.column_lower.tolist(), model.column_upper.tolist(), strict=True)
    columns = [
        solver.addVar(vtype=kind, lb=lower, ub=upper, obj=cost)
        for kind, (lower, upper), cost in zip(kinds, bounds, model.cost.tolist(), strict=True)
    ]
    limits = zip(model.lower.tolist(), model.upper.tolist(), strict=True)
    for terms, (lower, upper) in zip(_sums(pyscipopt, model.matrix, columns), limits, strict=True):
        solver.addCons(_limit(terms, lower, upper))
    return columns


def _add_indicators(pyscipopt: Any, solver: Any, indicators: Indicators, columns: list[Any]) -> list[Any]:  # noqa: ANN401
    """Add the indicators and return the slack columns that SCIP gives them."""
    limits = zip(indicators.trigger.tolist(), indicators.upper.tolist(), strict=True)
    added = [
        solver.addConsIndicator(terms <= upper, binvar=columns[trigger])
        for terms, (trigger, upper) in zip(_sums(pyscipopt, indicators.matrix, columns), limits, strict=True)
    ]
    return [solver.getSlackVarIndicator(indicator) for indicator in added]


def _sums(pyscipopt: Any, matrix: Any, columns: list[Any]) -> Iterator[Any]:  # noqa: ANN401
    """Yield each row of a sparse matrix as SCIP's sum of terms."""
    starts, indices, values = matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.tolist()
    for row in range(matrix.shape[0]):
        entries = range(starts[row], starts[row + 1])
        yield pyscipopt.quicksum(values[entry] * columns[indices[entry]] for entry in entries)


def _limit(terms: Any, lower: float, upper: float) -> Any:  # noqa: ANN401
    if lower == upper:
        return terms == upper
    if math.isinf(lower):
        return terms <= upper
    return terms >= lower if math.isinf(upper) else (lower <= (terms <= upper))


def _append_slacks(indicators: Indicators, start: FloatArray) -> FloatArray:
    violation = np.asarray(indicators.matrix @ start) - indicators.upper
    return np.concatenate([start, np.maximum(0.0, violation)])


def _add_start(solver: Any, columns: list[Any], start: FloatArray) -> None:  # noqa: ANN401
    point = solver.createSol()
    for column, value in zip(columns, start.tolist(), strict=True):
        solver.setSolVal(point, column, value)
    solver.addSol(point)


def _register_callback(pyscipopt: Any, solver: Any, columns: list[Any], callback: SolverCallback) -> None:  # noqa: ANN401
    kinds = pyscipopt.SCIP_EVENTTYPE
    watched = kinds.BESTSOLFOUND | kinds.NODEFOCUSED | kinds.LPSOLVED

    class EventHandler(pyscipopt.Eventhdlr):  # type: ignore[misc]
        def eventinit(self) -> None:
            self.model.catchEvent(watched, self)

        def eventexit(self) -> None:
            self.model.dropEvent(watched, self)

        def eventexec(self, event: Any) -> None:  # noqa: ANN401
            if event.getType() == kinds.BESTSOLFOUND:
                _send_best(self.model, columns, callback)
            callback.on_bound(self.model.getDualbound())

    solver.includeEventhdlr(EventHandler(), "oddlearn", "reports better points and larger bounds")


def _send_best(solver: Any, columns: list[Any], callback: SolverCallback) -> None:  # noqa: ANN401
    best = solver.getBestSol()
    values = np.array([solver.getSolVal(best, column) for column in columns])
    callback.on_solution(solver.getSolObjVal(best), values)


def _solution(solver: Any, columns: list[Any], callback: SolverCallback) -> Solution:  # noqa: ANN401
    status, nodes = solver.getStatus(), int(solver.getNTotalNodes())
    if solver.getNSols():
        _send_best(solver, columns, callback)
    if status == "optimal":
        return callback.on_finish(solver.getDualbound(), nodes)
    if status in ("infeasible", "inforunbd"):
        return callback.on_finish(math.inf, nodes)
    if status in _STOPPED:
        return callback.on_stop(solver.getDualbound(), _STOPPED[status], nodes)
    raise RuntimeError(f"SCIP failed: its status is {status!r}.")
