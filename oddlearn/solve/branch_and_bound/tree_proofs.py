"""Two proofs for trees, by turns: by the price of nodes, for any depth, and level by level."""

from __future__ import annotations

from oddlearn.kernels.branch_and_bound.diagram_solver import MAX_LEVELS
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.kernel_runner import KernelRunner
from oddlearn.solve.branch_and_bound.optimal_trees import TreeProof
from oddlearn.solve.branch_and_bound.price_proof import PriceProof
from oddlearn.solve.branch_and_bound.proof_progress import ProofProgress
from oddlearn.solve.budget import Budget

# work of the first turns, in seconds; each turn then has twice the work of the one before
FIRST_WORK = 0.004

# trees of few levels are proved level by level first, for so many seconds of work: small tables end there
FEW_LEVELS = 4
WORK_BY_LEVEL_ALONE = 0.3


class TreeProofs:
    """The proofs of the trees of one problem, kept between runs."""

    def __init__(self, problem: TrainingProblem, seed: int) -> None:
        self._problem, self._seed = problem, seed
        self._by_price = PriceProof(problem, seed)
        self._runner: KernelRunner | None = None
        self._by_level: TreeProof | None = None
        self._work_alone = WORK_BY_LEVEL_ALONE if problem.skeleton.depth <= FEW_LEVELS else 0.0

    @property
    def n_nodes(self) -> int:
        """Passes over sets of rows."""
        return self._by_price.n_evaluated + (0 if self._runner is None else self._runner.kernel.sweeps)

    def run(self, progress: ProofProgress, budget: Budget) -> str:
        """Tighten the bounds of trees until they reach the best one; return the text of the evidence.

        The proof by price needs no levels; it comes first where there are more than a few. Where the depth
        binds, the proof by levels ends.
        """
        work, is_done = FIRST_WORK, self._run_by_level_alone(progress, budget)
        while progress.unresolved_node_counts and not is_done and not budget.expired:
            if not self._by_price.is_finished:
                # half of what is left, if work is limited: the other proof has its turn, too
                self._by_price.run(progress, budget.limit_work(min(work, budget.remaining_work() / 2)))
            if progress.unresolved_node_counts:
                turn = budget if self._by_price.is_finished else budget.limit_work(work)
                is_done = self._prove_by_level(progress, turn)
            work *= 2
        text = "branch and bound over trees"
        text += ", not finished" if progress.unresolved_node_counts and not is_done else ""
        return text + (f"; {self._by_price.obstacle}" if self._by_price.obstacle else "")

    def _run_by_level_alone(self, progress: ProofProgress, budget: Budget) -> bool:
        """Spend what is left of the work by level before the first turn by price; return True when done."""
        if self._work_alone <= 0:
            return False
        before = budget.meter.seconds
        is_done = self._prove_by_level(progress, budget.limit_work(self._work_alone))
        self._work_alone -= budget.meter.seconds - before
        return is_done

    def _prove_by_level(self, progress: ProofProgress, budget: Budget) -> bool:
        if self._by_level is None:
            levels = min(self._problem.skeleton.depth, MAX_LEVELS)
            self._runner = KernelRunner(self._problem, levels, self._seed)
            self._by_level = TreeProof(self._runner)
        return self._by_level.run(progress, budget)
