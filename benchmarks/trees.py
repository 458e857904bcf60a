"""Seconds to the proof of an optimal tree, side by side in one run with other packages.

    python benchmarks/trees.py --dataset iris wine --depth 3 4 --alpha 0.1 0.5 --seconds 10
    python benchmarks/trees.py --all --output trees.csv --report trees.md     (ends and resumes at any row)

The training half of the split with seed "1", one thread each, the same limit for all; who begins changes
from row to row. Every split costs alpha / 14, at every depth: alpha is the one of a tree of depth 4. Ours is
the branch and bound alone, started from the best constant; its seconds begin with the arrays, as those of
the others do. Objectives are computed by our own evaluation. Ratios are taken over the rows where both prove
the same objective; an optimum without a split (the others charge the root as well) and one with a split
closer than our margin are those of other problems and are counted apart.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from _data import dataset_names, training_set
from _peers import PEERS, Answer, Task, missing, thresholds
from _report import markdown
from _store import Store

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.evaluate import evaluate
from oddlearn.problem.tolerances import MARGIN_TOLERANCE, OPTIMALITY_TOLERANCE
from oddlearn.problem.training_problem import TrainingProblem, build_problem
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState

# the price of a split is alpha / 14: of a tree of depth 4, whose root is free
PAID_SPLITS = 14

OURS = "oddlearn"
SAME, NO_SPLIT, CLOSER, DIFFERS, NOT_PROVED, NOT_ASKED = (
    "same",
    "no split",
    "closer than the margin",
    "DIFFERS",
    "not proved",
    "not asked",
)

KEY = ["dataset", "depth", "alpha", "limit", "peers"]
OUR_COLUMNS = ["n", "d", "thresholds", "objective", "lower_bound", "n_nodes", "proved", "seconds"]
COLUMNS = [*KEY, *OUR_COLUMNS, *(f"{peer}_{part}" for peer in PEERS for part in ("verdict", "seconds"))]

Row = dict[str, str]


def arguments() -> argparse.Namespace:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--dataset", nargs="+", metavar="NAME", help="data sets, by name")
    which.add_argument("--all", action="store_true", help="all data sets, small ones first")
    parser.add_argument("--depth", nargs="+", type=int, default=[3, 4])
    parser.add_argument("--alpha", nargs="+", type=float, default=[0.1, 0.5, 0.01], metavar="PRICE")
    parser.add_argument("--seconds", type=float, default=10.0, help="limit of each proof")
    parser.add_argument("--peer", nargs="*", choices=list(PEERS), default=list(PEERS))
    parser.add_argument("--output", type=Path, help="CSV file to write, and to resume from")
    parser.add_argument("--report", type=Path, help="markdown file to write the tables to")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    reasons = {peer: missing(peer) for peer in options.peer}
    print("\n".join(["Optimal trees, side by side.", *filter(None, reasons.values())]))
    peers = [peer for peer, reason in reasons.items() if reason is None]
    names = sorted(dataset_names(), key=size) if options.all else options.dataset
    cases = [(name, depth, alpha) for name in names for alpha in options.alpha for depth in options.depth]
    store = Store(options.output, COLUMNS, KEY)
    rows = []
    for place, case in enumerate(cases):
        rows.append(one_row(store, case, options.seconds, peers, place))
        print("  ".join(row_cells(rows[-1])), flush=True)
    print("\n".join("  ".join(f"{cell:>12s}" for cell in line) for line in summary(rows)))
    if options.report:
        options.report.write_text(written_report(rows), encoding="utf-8")


def size(name: str) -> int:
    X, _, _ = training_set(name)
    return int(X.size)


def one_row(
    store: Store, case: tuple[str, int, float], limit: float, peers: Sequence[str], place: int
) -> Row:
    key = (*case, limit, "+".join(peers))
    found = store.find(*key)
    if found is None:
        name, depth, alpha = case
        task = Task(*training_set(name), depth, alpha / PAID_SPLITS, limit)
        found = store.add(**dict(zip(KEY, key, strict=True)), **measured(task, peers, place))
    return found


def measured(task: Task, peers: Sequence[str], place: int) -> dict[str, object]:
    """Let all work on a task, in an order that changes with ``place``."""
    entrants = [OURS, *peers]
    turn = place % len(entrants)
    answers: dict[str, Answer | None] = dict.fromkeys(PEERS)
    for entrant in (*entrants[turn:], *entrants[:turn]):
        if entrant == OURS:
            problem, known, seconds = proved(task)
        else:
            answers[entrant] = PEERS[entrant](task)
    verdicts = {f"{peer}_verdict": verdict(task, problem, known, answers[peer]) for peer in PEERS}
    taken = {f"{peer}_seconds": answer.seconds if answer else "" for peer, answer in answers.items()}
    return {
        "n": task.X.shape[0],
        "d": task.X.shape[1],
        "thresholds": len(thresholds(task.X)),
        "objective": known.evaluation.objective,
        "lower_bound": known.lower_bound,
        "n_nodes": known.evaluation.n_nodes,
        "proved": known.is_optimal,
        "seconds": seconds,
        **verdicts,
        **taken,
    }


def proved(task: Task) -> tuple[TrainingProblem, SolveState, float]:
    """Return the problem, what our branch and bound knows of it in the end, and its seconds."""
    began = time.perf_counter()
    skeleton = Skeleton.tree(task.depth)
    data = TrainingData.collect(task.X, task.labels, task.n_classes)
    problem = build_problem(data, skeleton, task.price * (skeleton.n_nodes - 1), "univariate")
    known = SolveState.initial(problem)
    budget = Budget.since(began, task.limit)
    known = BranchAndBound().run(known, budget, ignore).check()
    return problem, known, time.perf_counter() - began


def verdict(task: Task, problem: TrainingProblem, known: SolveState, answer: Answer | None) -> str:
    """Compare a proved tree with ours; what contradicts our bound or our tree differs."""
    if answer is None:
        return NOT_ASKED
    if not answer.is_proved:
        return NOT_PROVED
    # without a margin: the others keep none
    value = evaluate(replace(problem, margin=0.0), answer.diagram(task))
    keeps_margin = value.smallest_margin >= problem.margin - MARGIN_TOLERANCE
    slack = OPTIMALITY_TOLERANCE + (0.0 if answer.has_split else task.price)
    is_above = known.evaluation.objective < value.objective - slack
    is_below = keeps_margin and value.objective < known.lower_bound - OPTIMALITY_TOLERANCE
    if is_above or is_below:
        return DIFFERS
    if not answer.has_split:
        return NO_SPLIT
    return SAME if keeps_margin else CLOSER


def is_proved(row: Row) -> bool:
    return row["proved"] == "True"


def peer_proves(row: Row, peer: str) -> bool:
    return row[f"{peer}_verdict"] not in (NOT_PROVED, NOT_ASKED)


def ratios(rows: Iterable[Row], peer: str) -> list[float]:
    """Return our seconds over the peer's where both prove the same objective."""
    return [
        float(row["seconds"]) / float(row[f"{peer}_seconds"])
        for row in rows
        if is_proved(row) and row[f"{peer}_verdict"] == SAME
    ]


def summary(rows: Sequence[Row]) -> list[list[str]]:
    """Return a line per peer and depth, and one for all depths."""
    header = ["peer", "depth", "rows", "ours proves", "peer proves", "only ours", "only peer"]
    table = [[*header, "same, both", "ratio", "we lose", "no split", "closer", "differs"]]
    depths = sorted({row["depth"] for row in rows})
    for peer in PEERS:
        for group in (depths, *([depth] for depth in depths)):
            asked = [row for row in rows if row["depth"] in group and row[f"{peer}_verdict"] != NOT_ASKED]
            if asked:
                table.append([peer, "+".join(group), *counts(asked, peer)])
    return table


def counts(rows: Sequence[Row], peer: str) -> list[str]:
    both = ratios(rows, peer)
    mean = math.exp(sum(map(math.log, both)) / len(both)) if both else math.nan
    verdicts = [row[f"{peer}_verdict"] for row in rows]
    numbers = (
        len(rows),
        sum(map(is_proved, rows)),
        sum(peer_proves(row, peer) for row in rows),
        sum(is_proved(row) and not peer_proves(row, peer) for row in rows),
        sum(not is_proved(row) and peer_proves(row, peer) for row in rows),
        len(both),
    )
    lost = sum(ratio > 1 for ratio in both)
    endings = (lost, *(verdicts.count(kind) for kind in (NO_SPLIT, CLOSER, DIFFERS)))
    return [*map(str, numbers), f"{mean:.3f}", *map(str, endings)]


def row_cells(row: Row) -> list[str]:
    place = [row[name] for name in ("dataset", "depth", "alpha", "n", "d", "thresholds")]
    seconds = f"{float(row['seconds']):.3f}" if is_proved(row) else "-"
    cells = [*place, f"{float(row['objective']):.5f}", seconds]
    for peer in PEERS:
        cells.append(f"{float(row[f'{peer}_seconds']):.3f}" if peer_proves(row, peer) else "-")
        cells.append(row[f"{peer}_verdict"])
    return cells


def row_table(rows: Sequence[Row]) -> list[list[str]]:
    header = ["data set", "depth", "alpha", "n", "d", "thresholds", "objective", "ours, s"]
    return [[*header, *(f"{peer}{part}" for peer in PEERS for part in (", s", ""))], *map(row_cells, rows)]


def written_report(rows: Sequence[Row]) -> str:
    """Return both tables as markdown."""
    limits = ", ".join(sorted({f"{float(row['limit']):g} s" for row in rows}))
    parts = [
        "# Optimal trees, side by side",
        f'Written by `benchmarks/trees.py`, limit {limits}; seed "1", training halves, one thread each.',
        "## In short",
        markdown(summary(rows)),
        "## Every row",
        markdown(row_table(rows)),
    ]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
