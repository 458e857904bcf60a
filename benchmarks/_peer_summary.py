"""What the rows of ``peers.py`` say: proofs, times, memory, trees at the limit, and what contradicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

Row = dict[str, str]
Pair = tuple[Row, Row]

OURS = "oddlearn"
KEY = ("dataset", "price", "depth", "limit", "clock", "package", "label")
TASK = KEY[:5]

# objectives closer than this are equal
TOLERANCE = 1e-9


def is_proved(row: Row) -> bool:
    return row["is_proved"] == "True" and float(row["cpu"]) <= float(row["limit"])


def objective(row: Row) -> float:
    """Return the objective, infinite where there is no tree."""
    value = float(row["objective"] or "nan")
    return math.inf if math.isnan(value) else value


def describe(rows: Sequence[Row]) -> list[str]:
    """Return the lines of a summary: ours beside each other package, and what contradicts."""
    tasks: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in rows:
        tasks.setdefault(tuple(row[name] for name in TASK), {})[row["package"]] = row
    lines = []
    for package in dict.fromkeys(row["package"] for row in rows if row["package"] != OURS):
        both = [(task[OURS], task[package]) for task in tasks.values() if {OURS, package} <= set(task)]
        asked = [pair for pair in both if not pair[1]["status"].startswith(("no ", "too "))]
        if asked:
            lines += compare_by_depth(package, asked)
    return [*lines, *(line for key, task in tasks.items() for line in list_misses(key, task))]


def compare_by_depth(package: str, pairs: Sequence[Pair]) -> list[str]:
    """Return a line for all tasks, and one for each depth with and without a price."""
    groups: dict[str, list[Pair]] = {"all": list(pairs)}
    for pair in pairs:
        price = "no price" if float(pair[0]["price"]) == 0 else "priced"
        groups.setdefault(f"depth {pair[0]['depth']}, {price}", []).append(pair)
    return [f"{package}, {name}: {compare(group)}" for name, group in sorted(groups.items())]


def compare(pairs: Sequence[Pair]) -> str:
    """Return proofs of both, trees at the limit, and ratios of time and memory where both prove."""
    proved = [(a, b) for a, b in pairs if is_proved(a) and is_proved(b)]
    ratios = [float(a["cpu"]) / float(b["cpu"]) for a, b in proved]
    memory = geometric_mean(
        max(float(a["megabytes"]), 1.0) / max(float(b["megabytes"]), 1.0) for a, b in proved
    )
    return (
        f"{len(pairs)} tasks; proved {count(pairs, lambda a, _: is_proved(a))} to "
        f"{count(pairs, lambda _, b: is_proved(b))} "
        f"({count(pairs, lambda a, b: is_proved(b) and not is_proved(a))} that ours does not); trees better "
        f"{count(pairs, lambda a, b: objective(a) < objective(b) - TOLERANCE)}, worse "
        f"{count(pairs, lambda a, b: objective(a) > objective(b) + TOLERANCE)}; both prove {len(ratios)}: "
        f"time {geometric_mean(ratios):.3f}, memory {memory:.2f} of its (geometric means), slower on "
        f"{sum(ratio > 1 for ratio in ratios)}"
    )


def count(pairs: Sequence[Pair], claim: Callable[[Row, Row], bool]) -> int:
    return sum(claim(a, b) for a, b in pairs)


def geometric_mean(values: Iterable[float]) -> float:
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def list_misses(key: tuple[str, ...], task: dict[str, Row]) -> list[str]:
    """Return a line for each wrong claim of an optimum, and one if ours is not the best tree."""
    best = min(map(objective, task.values()), default=math.inf)
    lines = [
        f"CONTRADICTION {' '.join(key)}: {name} claims {row['objective']}, {best} was found"
        for name, row in task.items()
        if row["is_proved"] == "True" and objective(row) > best + TOLERANCE
    ]
    ours = objective(task[OURS]) if OURS in task else best
    provers = [name for name, row in task.items() if is_proved(row) and objective(row) < ours - TOLERANCE]
    if provers:
        lines.append(f"MISSED {' '.join(key)}: {best} proved by {', '.join(provers)}, ours is {ours}")
    elif ours > best + TOLERANCE:
        lines.append(f"WORSE {' '.join(key)}: {best} was found, ours is {ours}")
    return lines
