"""Run a function in a child process until it is done, out of time, out of memory or broken."""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from oddlearn.engine import Budget
from oddlearn.isolation.memory import allowed_memory
from oddlearn.isolation.process import Child, News

How = Literal["done", "time", "memory", "crashed", "interrupted"]

# seconds between two looks at the clock and at the child's memory
POLL = 0.05

# the last word of a child -> how it ended
_LAST_WORDS: dict[str, How] = {"result": "done", "memory": "memory", "failed": "crashed", "gone": "crashed"}


@dataclass(frozen=True)
class Ended:
    """How a child process ended.

    Attributes
    ----------
    how : "done", "time", "memory", "crashed" or "interrupted"
    result : object
        What the function returned; None unless done.
    detail : str
        Why, in words; empty when done.
    seconds : float
    """

    how: How
    result: Any
    detail: str
    seconds: float


def run_isolated(
    task: str,
    arguments: object,
    budget: Budget,
    on_message: Callable[[Any], None],
    most_memory: int | None = None,
) -> Ended:
    """Call ``function(arguments, send)`` in a child process and wait for it.

    Parameters
    ----------
    task : str
        ``"package.module:function"``; the function must be found by importing the module.
    arguments : object
        Anything that can be pickled.
    budget : Budget
        The child is ended at its deadline.
    on_message : callable
        Called in this thread with everything the function hands to ``send``, in order. What was sent by a
        child that then broke, or was ended, is still delivered.
    most_memory : int, optional
        Bytes the child may use; half of the available memory by default.

    Returns
    -------
    Ended
    """
    started = time.perf_counter()
    limit = allowed_memory(most_memory)
    if budget.expired:
        return Ended("time", None, "there was no time left to begin", 0.0)
    order = (sys.path, task, limit)
    frames = [pickle.dumps(part, protocol=pickle.HIGHEST_PROTOCOL) for part in (order, arguments)]
    how, result, detail = _started_and_watched(frames, budget, on_message, limit)
    return Ended(how, result, detail, time.perf_counter() - started)


def _started_and_watched(
    frames: list[bytes], budget: Budget, on_message: Callable[[Any], None], limit: int
) -> tuple[How, Any, str]:
    child: Child | None = None
    try:
        try:
            child = Child(frames)
        except OSError as error:
            return "crashed", None, f"no process could be started: {error}"
        return _watched(child, budget, on_message, limit)
    except KeyboardInterrupt:
        if child is not None:
            child.end()
            _delivered(child, on_message)
        return "interrupted", None, "it was interrupted from the keyboard"
    finally:
        if child is not None:
            child.end()


def _watched(
    child: Child, budget: Budget, on_message: Callable[[Any], None], limit: int
) -> tuple[How, Any, str]:
    """Pass on messages until the last word of the child, or until there is a reason to end it."""
    while (reason := _reason_to_end(child, budget, limit)) is None:
        news = child.news(min(POLL, budget.remaining()))
        if news is not None and news[0] != "message":
            return _last_word(news)
        if news is not None:
            on_message(news[1])
    child.end()
    last = _delivered(child, on_message)
    return reason if last is None else _last_word(last)


def _reason_to_end(child: Child, budget: Budget, limit: int) -> tuple[How, None, str] | None:
    if budget.expired:
        return "time", None, "its time was up"
    used = child.memory
    if used > limit:
        return "memory", None, f"it held {used / 2**30:.2g} GB of memory; {limit / 2**30:.2g} GB were allowed"
    return None


def _delivered(child: Child, on_message: Callable[[Any], None]) -> News | None:
    """Pass on what a child had sent before it was ended; return its last word, if it came to that."""
    for news in child.rest():
        if news[0] != "message":
            return news
        on_message(news[1])
    return None


def _last_word(news: News) -> tuple[How, Any, str]:
    kind, content = news
    return (_LAST_WORDS[kind], content, "") if kind == "result" else (_LAST_WORDS[kind], None, content)
