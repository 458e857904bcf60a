"""The log of a solve in a worker, for the certificate."""

from __future__ import annotations

from collections.abc import Mapping

from oddlearn.problem.certificate import Evidence
from oddlearn.solve.worker.messages import (
    ExitStatus,
    Message,
    ModelEnded,
    ModelSkipped,
    ModelStarted,
    NodeCount,
)
from oddlearn.solve.worker.run_worker import WorkerExit

STATUS_TEXTS: dict[ExitStatus, str] = {
    "optimal": "solved to the end",
    "cutoff": "nothing better exists",
    "infeasible": "no diagram exists",
    "time": "open when the time was up",
    "memory": "open when the memory was full",
    "interrupted": "open when it was interrupted",
    "no_diagram": "the solver's best solution is not a diagram",
}
_FINISHED: tuple[ExitStatus, ...] = ("optimal", "cutoff", "infeasible")
_STARTED = "begun and not finished"


class SolveLog:
    """A log of the models that were tried, one text for each node count.

    Parameters
    ----------
    texts : mapping
        From the exit status of a model to a text.
    tolerance : float
        Of the solver's bounds, in units of the objective; 0 for a solver that is exact.
    """

    def __init__(self, texts: Mapping[ExitStatus, str] = STATUS_TEXTS, tolerance: float = 0.0) -> None:
        self._texts, self._tolerance = texts, tolerance
        self._results: dict[NodeCount, str] = {}
        self._is_late = False
        self._nodes = 0
        self._largest = ModelStarted(None, "", 0, "")

    def record(self, message: Message) -> None:
        """Take in a message; bounds and solutions are not logged."""
        if isinstance(message, ModelStarted):
            self._largest = max(message, self._largest, key=lambda started: started.n_nonzeros)
            self._results.setdefault(message.count, _STARTED)
        elif isinstance(message, ModelSkipped):
            self._is_late |= message.is_late
            # a model that ran for a while and does not fit into the time left has still been tried
            if self._results.get(message.count, _STARTED) == _STARTED:
                self._results[message.count] = f"not tried because {message.reason}"
        elif isinstance(message, ModelEnded):
            self._nodes += message.nodes
            self._results[message.count] = self._texts[message.status]

    def evidence(
        self, solver: str, bound: float, is_optimal: bool, worker: WorkerExit, options: str
    ) -> Evidence:
        """Return the evidence of a solve whose worker has exited."""
        return Evidence(
            solver,
            bound,
            self._text(is_optimal, worker),
            worker.seconds,
            version=self._largest.version,
            options=options,
            nodes=self._nodes,
            size=self._largest.size,
            ending=self._status(is_optimal, worker),
        )

    @property
    def _is_solved_to_tolerance(self) -> bool:
        """True when every model was solved to the end by a solver that has a tolerance."""
        finished = {self._texts[status] for status in _FINISHED}
        return self._tolerance > 0 and bool(self._results) and set(self._results.values()) <= finished

    def _status(self, is_optimal: bool, worker: WorkerExit) -> str:
        if is_optimal or (worker.status == "done" and self._is_solved_to_tolerance):
            return "optimal"
        if worker.status != "done":
            return worker.status
        is_late = self._is_late or not self._results or self._texts["time"] in self._results.values()
        return "time" if is_late else "open"

    def _text(self, is_optimal: bool, worker: WorkerExit) -> str:
        parts = []
        for result in dict.fromkeys(self._results.values()):
            counts = [count for count in self._results if self._results[count] == result]
            parts.append(f"{_counts_text(counts)}: {result}")
        if worker.status != "done":
            parts.append(f"the solver's process was ended: {worker.detail}")
        elif self._is_solved_to_tolerance and not is_optimal:
            parts.append(f"the solver is exact to {self._tolerance:g}, and values may lie closer together")
        return "; ".join(parts)


def _counts_text(counts: list[NodeCount]) -> str:
    if None in counts:
        return "the whole skeleton"
    *others, last = [str(count) for count in sorted(count for count in counts if count is not None)]
    numbers = f"{', '.join(others)} and {last}" if others else last
    return f"{numbers} node" if counts == [1] else f"{numbers} nodes"
