"""HiGHS, by highspy: no indicators of its own, so they become big-M rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from oddlearn.solve.milp.backends.backend import (
    IndicatorKind,
    SendEvent,
    Solution,
    SolveOptions,
    SolverCallback,
    install_hint,
)
from oddlearn.solve.milp.linear_model import LinearModel, linearise_indicators
from oddlearn.solve.worker.messages import ExitStatus

ABSOLUTE_GAP = 1e-9  # HiGHS calls a gap closed when it is at most this, in units of the objective

# status of HiGHS -> exit status of a solve that was stopped
_STOPPED: dict[str, ExitStatus] = {
    "kTimeLimit": "time",
    "kMemoryLimit": "memory",
    "kInterrupt": "interrupted",
}

# status of HiGHS when there is nothing, or nothing below the cutoff
_NOTHING = ("kInfeasible", "kUnboundedOrInfeasible", "kObjectiveBound")


class Highs:
    """The back end of HiGHS."""

    def unavailable_reason(self, indicators: IndicatorKind) -> str | None:
        """Return, in a sentence, the reason why it cannot work here, or None."""
        if indicators == "native":
            return "HiGHS has no indicators: give indicators='big-m', or the solver 'scip' or 'gurobi'."
        return install_hint("highspy", "highspy")

    def version(self) -> str:
        """Return the name and version of the solver."""
        import highspy

        return f"HiGHS {highspy.Highs().version()}"  # type: ignore[no-untyped-call]

    def solve(self, model: LinearModel, options: SolveOptions, send: SendEvent) -> Solution:
        """Solve the model."""
        import highspy

        rows = linearise_indicators(model)
        solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        callback = SolverCallback(model, options, send)
        _set_options(solver, options, callback.cutoff)
        _pass_model(highspy, solver, rows)
        if options.start is not None and model.value(options.start) < options.cutoff:
            columns = np.arange(rows.n_columns, dtype=np.int32)
            solver.setSolution(rows.n_columns, columns, np.asarray(options.start, dtype=np.float64))
        _register_callback(highspy, solver, callback)
        _run(highspy, solver, options.threads)
        return _solution(highspy, solver, callback)


def _set_options(solver: Any, options: SolveOptions, cutoff: float) -> None:  # noqa: ANN401
    settings = {
        "output_flag": False,
        "mip_rel_gap": 0.0,
        "mip_abs_gap": ABSOLUTE_GAP,
        "mip_feasibility_tolerance": options.tolerance,
        "primal_feasibility_tolerance": options.tolerance,
        "threads": options.threads,
        "parallel": "off" if options.threads == 1 else "on",
        "random_seed": options.seed,
        "time_limit": options.seconds,
        "objective_bound": cutoff,
    }
    for name, value in settings.items():
        solver.setOptionValue(name, value)


def _pass_model(highspy: Any, solver: Any, rows: LinearModel) -> None:  # noqa: ANN401
    matrix = rows.matrix
    status = solver.passModel(
        rows.n_columns,
        rows.n_rows,
        matrix.nnz,
        int(highspy.MatrixFormat.kRowwise),
        int(highspy.ObjSense.kMinimize),
        0.0,
        rows.cost,
        rows.column_lower,
        rows.column_upper,
        rows.lower,
        rows.upper,
        matrix.indptr.astype(np.int32),
        matrix.indices.astype(np.int32),
        matrix.data,
        rows.integer.astype(np.int32),
    )
    if status == highspy.HighsStatus.kError:
        raise RuntimeError("HiGHS did not take the model.")


def _register_callback(highspy: Any, solver: Any, callback: SolverCallback) -> None:  # noqa: ANN401
    kinds = highspy.cb.HighsCallbackType

    def on_event(kind: int, message: str, state: Any, answer: Any, data: Any) -> None:  # noqa: ANN401
        if int(kind) == int(kinds.kCallbackMipImprovingSolution):
            callback.on_solution(state.objective_function_value, state.mip_solution)
        callback.on_bound(state.mip_dual_bound)

    solver.setCallback(on_event, None)
    for kind in (kinds.kCallbackMipImprovingSolution, kinds.kCallbackMipInterrupt):
        solver.startCallback(kind)


def _run(highspy: Any, solver: Any, threads: int) -> None:  # noqa: ANN401
    # the threads of HiGHS belong to the process; it refuses to run with another number than the first
    if threads > 1:
        highspy.Highs.resetGlobalScheduler(True)
    solver.run()
    if threads > 1:
        highspy.Highs.resetGlobalScheduler(True)


def _solution(highspy: Any, solver: Any, callback: SolverCallback) -> Solution:  # noqa: ANN401
    status, info = solver.getModelStatus().name, solver.getInfo()
    nodes = max(0, int(info.mip_node_count))
    if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
        callback.on_solution(info.objective_function_value, solver.getSolution().col_value)
    if status == "kOptimal" and info.objective_function_value < callback.cutoff:
        return callback.on_finish(min(info.mip_dual_bound, info.objective_function_value), nodes)
    if status == "kOptimal" or status in _NOTHING:
        return callback.on_finish(math.inf, nodes)
    if status in _STOPPED:
        return callback.on_stop(info.mip_dual_bound, _STOPPED[status], nodes)
    raise RuntimeError(f"HiGHS failed: {solver.modelStatusToString(solver.getModelStatus())}.")
