"""Two proofs for trees, by turns: by the price of nodes, for any depth, and level by level."""

from __future__ import annotations

import math

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.kernels.branch_and_bound.diagram_solver import MAX_LEVELS
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.kernel_options import KernelOptions
from oddlearn.solve.branch_and_bound.kernel_runner import MAX_SHARE_OF_FEW, KernelRunner
from oddlearn.solve.branch_and_bound.optimal_trees import TreeProof
from oddlearn.solve.branch_and_bound.price_proof import PriceProof
from oddlearn.solve.branch_and_bound.proof_progress import ProofProgress
from oddlearn.solve.budget import Budget

# work of the first turns if work is not limited, in seconds; each turn has twice the work of the one before
FIRST_WORK = 0.02

# the share of the work by price, for trees of few levels and of more: there the levels seldom end the proof
SHARE_BY_PRICE_OF_FEW, SHARE_BY_PRICE = 0.5, 0.8

# ... and of trees that only the price limits
SHARE_BY_PRICE_OF_FREE = 0.95

# trees of so few levels take turns of equal work
FEW_LEVELS = 4

# the proof that comes first, see `levels_come_first`, has so many seconds of work: small tables end there
WORK_BY_LEVEL_ALONE, WORK_BY_PRICE_ALONE = 0.3, 0.03

# where only the price limits trees, no depth binds, and the proof by price ends those of more levels first.
# Eleven fits of three and four levels took 0.06 to 1.2 of the time (ionosphere at 0.05 8 ms, not 120), ten of
# two levels 1.2
FEW_LEVELS_BY_PRICE = 2

# nodes that could pay for themselves up to which the proof by price comes first, by depth
MAX_PAYING = {3: 0.5, 4: 2.0}


class TreeProofs:
    """The proofs of the trees of one problem, kept between runs."""

    def __init__(self, problem: TrainingProblem, seed: int, options: KernelOptions | None = None) -> None:
        self._problem, self._seed = problem, seed
        self._options = KernelOptions() if options is None else options
        self._by_price: PriceProof | None = None
        self._runner: KernelRunner | None = None
        self._by_level: TreeProof | None = None
        # what is left of the first proof's work before the first turn of the other; inf before the first run
        self._work_alone, self._is_by_level_alone = math.inf, False
        is_flat = problem.skeleton.depth <= (FEW_LEVELS if _has_depth(problem) else FEW_LEVELS_BY_PRICE)
        share = SHARE_BY_PRICE if _has_depth(problem) else SHARE_BY_PRICE_OF_FREE
        self._share_by_price = SHARE_BY_PRICE_OF_FEW if is_flat else share

    @property
    def n_nodes(self) -> int:
        """Passes over sets of rows."""
        by_price = 0 if self._by_price is None else self._by_price.n_evaluated
        return by_price + (0 if self._runner is None else self._runner.sweeps)

    def run(self, progress: ProofProgress, budget: Budget) -> str:
        """Tighten the bounds of trees until they reach the best one; return the text of the evidence.

        The proof by price needs no levels; it comes first where few nodes can pay for themselves. Where the
        depth binds, the proof by levels ends.
        """
        if math.isinf(self._work_alone):
            self._is_by_level_alone = levels_come_first(progress)
            self._work_alone = WORK_BY_LEVEL_ALONE if self._is_by_level_alone else WORK_BY_PRICE_ALONE
        work, is_done = FIRST_WORK, self._run_alone(progress, budget)
        while progress.unresolved_node_counts and not is_done and not budget.expired:
            by_price = self._prove_by_price(progress, budget, work)
            if progress.unresolved_node_counts:
                is_limited = math.isfinite(budget.remaining_work())
                share = 2 * work * (1 - self._share_by_price)
                turn = budget if by_price.is_finished or is_limited else budget.limit_work(share)
                is_done = self._prove_by_level(progress, turn)
            work *= 2
        text = "branch and bound over trees"
        text += ", not finished" if progress.unresolved_node_counts and not is_done else ""
        obstacle = "" if self._by_price is None else self._by_price.obstacle
        return text + (f"; {obstacle}" if obstacle else "")

    def _prove_by_price(self, progress: ProofProgress, budget: Budget, work: float) -> PriceProof:
        """Prove by price with a share of the work, or of all that is left if it is limited."""
        left = budget.remaining_work()
        share = self._share_by_price * (left if math.isfinite(left) else 2 * work)
        return self._run_by_price(progress, budget.limit_work(share))

    def _run_by_price(self, progress: ProofProgress, budget: Budget) -> PriceProof:
        if self._by_price is None:
            self._by_price = PriceProof(self._problem, self._seed, self._options.memory)
        if not self._by_price.is_finished:
            self._by_price.run(progress, budget)
        return self._by_price

    def _run_alone(self, progress: ProofProgress, budget: Budget) -> bool:
        """Spend what is left of the first proof's work; return True when done."""
        if self._work_alone <= 0:
            return False
        before, is_done = budget.meter.seconds, False
        part = budget.limit_work(self._work_alone)
        if self._is_by_level_alone:
            is_done = self._prove_by_level(progress, part)
        elif self._run_by_price(progress, part).is_finished:
            self._work_alone = 0.0  # nothing, or too little, was left to do
        self._work_alone -= budget.meter.seconds - before
        return is_done

    def _prove_by_level(self, progress: ProofProgress, budget: Budget) -> bool:
        if self._by_level is None:
            levels = min(self._problem.skeleton.depth, MAX_LEVELS)
            self._runner = KernelRunner(self._problem, levels, self._seed, options=self._options)
            self._by_level = TreeProof(self._runner)
        return self._by_level.run(progress, budget)


def levels_come_first(progress: ProofProgress) -> bool:
    """Return True if the proof by level is likely to end before that by price.

    It is where more nodes could pay for themselves than the depth has room for. On columns of few values the
    search by price is fast. Else, of 47 fits of three and four levels, it was so only where next to none
    could pay; it took 0.2 to 0.5 of the time there, and up to 14 times as long on others.
    """
    problem = progress.problem
    depth = problem.skeleton.depth
    if not _has_depth(problem):
        return depth <= FEW_LEVELS_BY_PRICE
    if depth < min(MAX_PAYING) or problem.node_price <= 0:
        return True
    n_paying = (progress.objective_to_beat - progress.lower_bound) / problem.node_price
    n_thresholds = float(problem.data.spans.sum())  # columns are ranks
    is_few = depth > min(MAX_PAYING) and n_thresholds <= MAX_SHARE_OF_FEW * problem.data.X.size
    return n_paying > (2.0**depth if is_few else MAX_PAYING.get(depth, 2.0**depth))


def _has_depth(problem: TrainingProblem) -> bool:
    """Return True if the skeleton holds all trees of its depth, so that the depth may bind."""
    return problem.skeleton.widths == Skeleton.tree(problem.skeleton.depth).widths
