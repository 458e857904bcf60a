"""How the seconds of a proof grow with the number of rows and of features.

    python benchmarks/growth.py --picture docs/pictures/growth.svg

The rows of one data set are drawn again and again with noise, and so are its features where more are asked
for. The branch and bound is given the best diagram of a short search; its seconds alone count. One thread; a
proof that the limit ended is drawn as an open mark at the limit.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from _data import training_set
from _report import markdown

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.problem import TrainingData
from oddlearn.problem.training_problem import TrainingProblem, build_problem
from oddlearn.solve.branch_and_bound.solver import BranchAndBound
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState

N_ROWS = (250, 500, 1000, 2000, 4000)
N_FEATURES = (2, 4, 8, 16, 32, 64)

# where the other number is varied
FIXED_ROWS = 500

# every node but the first costs alpha / 14, as in a skeleton of 15 nodes
PAID_NODES = 14

SKELETONS = {"tree of depth 3": Skeleton.tree(3), "diagram 1-2-4-8": Skeleton.parse("1-2-4-8")}

# standard deviation, as a share of the range of a feature
NOISE = 0.02

# values are kept to so many digits, as measurements are: neighbours then keep the margin
DIGITS = 3

SEARCH_SECONDS = 0.5

# marks of the axis
SECONDS = (0.01, 0.1, 1, 10)


@dataclass(frozen=True)
class Point:
    """One proof: what was varied and to which number, for which skeleton, and how it went."""

    varied: str
    number: int
    skeleton: str
    is_proved: bool
    seconds: float


def arguments() -> argparse.Namespace:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--dataset", default="pima-indians-diabetes", metavar="NAME")
    parser.add_argument("--alpha", type=float, default=0.5, help="price of all 15 nodes")
    parser.add_argument("--seconds", type=float, default=20.0, help="limit of each proof")
    parser.add_argument("--seed", type=int, default=0, help="of the noise")
    parser.add_argument("--picture", type=Path, help="file to draw the growth to")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    n_features = training_set(options.dataset)[0].shape[1]
    sizes = [("rows", n, n, n_features) for n in N_ROWS]
    sizes += [("features", d, FIXED_ROWS, d) for d in N_FEATURES]
    points = []
    for varied, number, n, d in sizes:
        data = grown(options.dataset, n, d, options.seed)
        for name, skeleton in SKELETONS.items():
            points.append(Point(varied, number, name, *measured(data, skeleton, options)))
            print(points[-1], flush=True)
    print(markdown(table(points)))
    if options.picture:
        draw(points, options)


def grown(name: str, n: int, d: int, seed: int) -> TrainingData:
    """Return rows and features of a data set, each drawn as often as needed, with noise."""
    X, labels, n_classes = training_set(name)
    random = np.random.default_rng(seed)
    rows = np.resize(random.permutation(len(X)), n)
    columns = np.resize(np.arange(X.shape[1]), d)
    noisy = X[rows][:, columns] + random.normal(0.0, NOISE, (n, d))
    return TrainingData.collect(np.clip(noisy.round(DIGITS), 0.0, 1.0), labels[rows], n_classes)


def measured(data: TrainingData, skeleton: Skeleton, options: argparse.Namespace) -> tuple[bool, float]:
    """Return whether the optimum was proved, and the seconds of the proof."""
    alpha = options.alpha / PAID_NODES * (skeleton.n_nodes - 1)
    problem = build_problem(data, skeleton, alpha, "univariate")
    known = searched(problem)
    budget = Budget.of(options.seconds)
    began = time.perf_counter()
    known = BranchAndBound().run(known, budget, ignore).check()
    seconds = time.perf_counter() - began
    return known.is_optimal, seconds


def searched(problem: TrainingProblem) -> SolveState:
    known = SolveState.initial(problem)
    engine = LocalSearch(seed=0, n_jobs=1)
    return known.offer(engine.search(problem, None, Budget.of(SEARCH_SECONDS), ignore).diagram)


def table(points: Sequence[Point]) -> list[list[str]]:
    lines = [["varied", "number", *SKELETONS]]
    for varied, number in dict.fromkeys((point.varied, point.number) for point in points):
        cells = [
            f"{point.seconds:.3f} s" if point.is_proved else "not proved"
            for point in points
            if (point.varied, point.number) == (varied, number)
        ]
        lines.append([varied, f"{number:,}", *cells])
    return lines


def draw(points: Sequence[Point], options: argparse.Namespace) -> None:
    """Draw seconds against rows and against features, both on logarithmic scales."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "growth"  # so that the same points give the same file
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
    for panel, varied in zip(panels, ("rows", "features"), strict=True):
        mine = [point for point in points if point.varied == varied]
        for (name, colour), marker in zip(
            zip(SKELETONS, ("#1b6ca8", "#c8553d"), strict=True), "os", strict=True
        ):
            draw_line(panel, [point for point in mine if point.skeleton == name], name, colour, marker)
        numbers = sorted({point.number for point in mine})
        panel.set(xscale="log", yscale="log", xlabel=f"number of {varied}")
        panel.set_xticks(numbers, [f"{number:,}" for number in numbers])
        panel.minorticks_off()
        panel.axhline(options.seconds, color="#888888", linewidth=0.8, linestyle=":")
        panel.grid(visible=True, linewidth=0.3)
    panels[0].set_yticks(SECONDS, [f"{seconds:g}" for seconds in SECONDS])
    panels[0].set_ylabel("seconds to the proof (open: not proved)")
    panels[0].legend(frameon=False)
    figure.suptitle(f"{options.dataset}, rows and features drawn with noise, alpha {options.alpha:g}")
    figure.savefig(options.picture, metadata={"Date": None} if options.picture.suffix == ".svg" else None)


def draw_line(panel: object, points: Sequence[Point], name: str, colour: str, marker: str) -> None:
    """Draw the proofs of one skeleton; those not finished as open marks."""
    numbers, seconds = [point.number for point in points], [point.seconds for point in points]
    panel.plot(numbers, seconds, color=colour, linewidth=1.2)  # type: ignore[attr-defined]
    for is_proved, fill in ((True, colour), (False, "white")):
        chosen = [k for k, point in enumerate(points) if point.is_proved == is_proved]
        panel.plot(  # type: ignore[attr-defined]
            [numbers[k] for k in chosen],
            [seconds[k] for k in chosen],
            marker,
            color=colour,
            markerfacecolor=fill,
            label=name if is_proved else None,
        )


if __name__ == "__main__":
    main()
