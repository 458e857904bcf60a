"""What a run of the solver has to say for itself, for the certificate."""

from __future__ import annotations

from oddlearn.cpsat.job import Began, Message, Refused, Solved
from oddlearn.isolation import Ended
from oddlearn.problem.certificate import Evidence

_SOLVED = "solved to the end"
_OPEN = "open when the time was up"
_BEGUN = "begun and not finished"


class Account:
    """Gathers, from the messages of the solver's process, what was tried and how it ended."""

    def __init__(self) -> None:
        self._said: dict[int, str] = {}
        self._n_branches = 0
        self._size = (0, 0)
        self._version = ""

    def hear(self, message: Message) -> None:
        """Take in a message; only beginnings and ends matter here."""
        if isinstance(message, Began):
            self._version = message.version
            self._size = max(self._size, (message.n_literals, message.n_clauses))
            self._said[message.count] = _BEGUN
        elif isinstance(message, Refused):
            self._said.setdefault(message.count, f"not tried because {message.why}")
        elif isinstance(message, Solved):
            self._n_branches += message.n_branches
            self._said[message.count] = _SOLVED if message.is_finished else _OPEN

    def evidence(self, bound: float, is_proved: bool, ended: Ended, options: str) -> Evidence:
        """Return the evidence of a run that has ended."""
        n_literals, n_clauses = self._size
        return Evidence(
            "cpsat",
            bound,
            self._text(ended),
            ended.seconds,
            version=self._version,
            options=options,
            nodes=self._n_branches,
            size=f"{n_literals:,} literals, {n_clauses:,} constraints" if n_literals else "",
            ending=self._ending(is_proved, ended),
        )

    def _ending(self, is_proved: bool, ended: Ended) -> str:
        if is_proved:
            return "optimal"
        if ended.how != "done":
            return ended.how
        return "time" if {_OPEN, _BEGUN} & set(self._said.values()) else "open"

    def _text(self, ended: Ended) -> str:
        words = dict.fromkeys(self._said.values())
        parts = [f"{_listed([c for c in self._said if self._said[c] == word])}: {word}" for word in words]
        if ended.how != "done":
            parts.append(f"the solver's process was ended: {ended.detail}")
        return "; ".join(parts)


def _listed(counts: list[int]) -> str:
    *others, last = [str(count) for count in sorted(counts)]
    numbers = f"{', '.join(others)} and {last}" if others else last
    return f"{numbers} node" if counts == [1] else f"{numbers} nodes"
