"""What a run of the solvers has to say for itself, for the certificate."""

from __future__ import annotations

from oddlearn.isolation import Ended
from oddlearn.milp.exactness import SOLVER_TOLERANCE
from oddlearn.milp.job import Began, Count, Message, Refused, Solved
from oddlearn.milp.size import Size
from oddlearn.problem.certificate import Evidence

# how a solver ended -> what that says of a number of nodes
_WORDS = {
    "optimal": "solved to the end",
    "cutoff": "nothing better exists",
    "infeasible": "no diagram exists",
    "time": "open when the time was up",
    "memory": "open when the memory was full",
    "interrupted": "open when it was interrupted",
}
_FINISHED = ("optimal", "cutoff", "infeasible")
_BEGUN = "begun and not finished"
_NO_DIAGRAM = "the solver's best point is within its tolerances only, no diagram keeps the margin there"
_NO_PRINTED_DIAGRAM = "the printed form's best point has weights that add up to more than 1, a smaller margin"


class Account:
    """Gathers, from the messages of the solver's process, what was tried and how it ended."""

    def __init__(self) -> None:
        self._said: dict[Count, str] = {}
        self._nodes = 0
        self._largest = Size(0, 0, 0)
        self._version = ""

    def hear(self, message: Message) -> None:
        """Take in a message; only beginnings and ends matter here."""
        if isinstance(message, Began):
            self._version = message.version
            self._largest = max(self._largest, message.size, key=lambda size: size.nonzeros)
            self._said.setdefault(message.count, _BEGUN)
        elif isinstance(message, Refused):
            self._said[message.count] = f"not tried because {message.why}"
        elif isinstance(message, Solved):
            self._nodes += message.nodes
            self._said[message.count] = _words(message)

    def evidence(self, bound: float, is_proved: bool, ended: Ended, options: str) -> Evidence:
        """Return the evidence of a run that has ended."""
        size = self._largest
        shown = f"{size.columns:,} columns, {size.rows:,} rows, {size.nonzeros:,} coefficients"
        return Evidence(
            "milp",
            bound,
            self._text(is_proved, ended),
            ended.seconds,
            version=self._version,
            options=options,
            nodes=self._nodes,
            size=shown if size.columns else "",
            ending=self._ending(is_proved, ended),
        )

    def _ending(self, is_proved: bool, ended: Ended) -> str:
        if is_proved or (ended.how == "done" and self._is_solved):
            return "optimal"
        if ended.how != "done":
            return ended.how
        return "time" if _WORDS["time"] in self._said.values() else "open"

    @property
    def _is_solved(self) -> bool:
        return set(self._said.values()) <= {_WORDS[ending] for ending in _FINISHED}

    def _text(self, is_proved: bool, ended: Ended) -> str:
        words = dict.fromkeys(self._said.values())
        parts = [f"{_listed([c for c in self._said if self._said[c] == word])}: {word}" for word in words]
        if ended.how != "done":
            parts.append(f"the solver's process was ended: {ended.detail}")
        elif self._is_solved and not is_proved:
            parts.append(f"the solver is exact to {SOLVER_TOLERANCE:g}, and values may lie closer together")
        return "; ".join(parts)


def _words(solved: Solved) -> str:
    if solved.is_reproduced:
        return _WORDS[solved.ending]
    return _NO_PRINTED_DIAGRAM if solved.count is None else _NO_DIAGRAM


def _listed(counts: list[Count]) -> str:
    if None in counts:
        return "the whole skeleton"
    *others, last = [str(count) for count in counts]
    numbers = f"{', '.join(others)} and {last}" if others else last
    return f"{numbers} node" if counts == [1] else f"{numbers} nodes"
