"""The branch and bound as a solver: the problems it takes, and solves that can be resumed."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import ClassVar

from oddlearn.diagram.skeleton import Skeleton
from oddlearn.kernels.branch_and_bound.diagram_solver import MAX_CLASSES, MAX_LEVELS
from oddlearn.problem.certificate import Evidence
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.row_structure import NodeLimits
from oddlearn.problem.training_problem import TrainingProblem
from oddlearn.solve.branch_and_bound.diagram_proof import DiagramProof
from oddlearn.solve.branch_and_bound.kernel_options import (
    MAX_MEMORY,
    KernelOptions,
    MemoryLimit,
    MemoryLimitError,
)
from oddlearn.solve.branch_and_bound.kernel_runner import KernelRunner
from oddlearn.solve.branch_and_bound.proof_progress import ProofProgress
from oddlearn.solve.branch_and_bound.tree_proofs import TreeProofs
from oddlearn.solve.budget import Budget
from oddlearn.solve.solver import Emit
from oddlearn.solve.state import MIN_SAVING, SolveState
from oddlearn.table.checks import check_int

# rows x features are sorted for every level, in 5 bytes each
MAX_CELLS = 5_000_000


@dataclass(frozen=True)
class BranchAndBound:
    """Branch and bound over trees and diagrams with univariate splits.

    Parameters
    ----------
    seed : int
        Seed of the hash of sets of rows, and of the random trees that rank rows by difficulty.
    n_jobs : int
        Threads. Each searches a part of the first splits, with its own memory. A proof that ends proves
        the same for every number of threads.
    max_memory : int, optional
        Bytes that the tables and sets of the proof may have, of all threads together; 4 GB by default. A
        proof that needs more ends, and the certificate says so.
    """

    seed: int = 0
    n_jobs: int = 1
    max_memory: int | None = None

    name: ClassVar[str] = "branch_and_bound"
    is_resumable: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_int("seed", self.seed, 0)
        check_int("n_jobs", self.n_jobs, 1)
        if self.max_memory is not None:
            check_int("max_memory", self.max_memory, 1)

    def unsupported_reasons(self, problem: TrainingProblem) -> list[str]:
        """Return, in sentences, the reasons why the solver cannot take the problem."""
        found = _unsupported_constraints(self.name, problem)
        if problem.split != "univariate":
            found.append(f'The solver "{self.name}" takes univariate splits only, not {problem.split} ones.')
        if problem.data.n_classes > MAX_CLASSES:
            found.append(
                f'The solver "{self.name}" takes up to {MAX_CLASSES} classes, not {problem.data.n_classes}.'
            )
        cells = problem.data.n_rows * problem.data.n_features
        if cells > MAX_CELLS:
            found.append(
                f'The solver "{self.name}" takes up to {MAX_CELLS:,} rows x features, not {cells:,}.'
            )
        return found

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Tighten the bounds until they meet the incumbent's objective or the budget is spent."""
        session = state.resumable.get(self.name)
        if not isinstance(session, ResumableSolve) or session.problem is not state.problem:
            memory = MemoryLimit(MAX_MEMORY if self.max_memory is None else self.max_memory)
            options = KernelOptions(self.n_jobs, memory)
            session = ResumableSolve(self.name, self.seed, state.problem, options)
        return session.run(state, budget, emit)


def _has_all_trees(skeleton: Skeleton) -> bool:
    """Return True if a skeleton holds all trees of its depth, or all with as many nodes as it has layers."""
    complete = Skeleton.tree(skeleton.depth), Skeleton.tree_of_nodes(skeleton.depth)
    return skeleton.tree_only and skeleton.widths in [trees.widths for trees in complete]


def _unsupported_constraints(name: str, problem: TrainingProblem) -> list[str]:
    """Return the reasons why the constraints cannot be satisfied: only limits on numbers of nodes can."""
    limits = NodeLimits.from_problem(problem)
    others = len(problem.rows) - len(limits.numbers)
    if others:
        return [
            f'The solver "{name}" keeps limits on numbers of nodes only; the problem has {others} rows of '
            "other constraints."
        ]
    if not limits.allows((1,)):
        return [f'The solver "{name}" needs room for one node; the constraints leave none.']
    return []


class ResumableSolve:
    """The branch and bound on one problem, in one call of ``run`` or several."""

    def __init__(self, name: str, seed: int, problem: TrainingProblem, options: KernelOptions) -> None:
        self.name, self.problem = name, problem
        self._seed, self._options = seed, options
        self._seconds = 0.0
        self._tree_proof: TreeProofs | None = None
        self._diagram_proof: DiagramProof | None = None

    def run(self, state: SolveState, budget: Budget, emit: Emit) -> SolveState:
        """Tighten the bounds until they meet the incumbent's objective or the budget is spent."""
        problem, started = self.problem, time.perf_counter()
        progress = ProofProgress(state, budget, emit)
        is_interrupted, has_memory, text = False, True, "nothing was left to prove"
        if not problem.data.spans.any():
            constant = evaluate(problem, best_constant(problem)).objective
            progress.tighten_objective(problem.skeleton.n_nodes, constant)
            text = "no feature varies, so that nothing can be split"
        elif progress.unresolved_node_counts:
            try:
                text = self._prove(progress, budget)
            except KeyboardInterrupt:
                is_interrupted, text = True, "it was interrupted"
            except MemoryLimitError:
                has_memory, text = (
                    False,
                    f"it ended early: it needs more than {self._options.memory} of memory",
                )
        if progress.objective_to_beat < progress.state.objective:
            text += f"; a first split that saves less than {MIN_SAVING:g} of all weight was left out"
        self._seconds += time.perf_counter() - started
        unfinished = "time" if budget.expired and has_memory else "unfinished"
        status = "interrupted" if is_interrupted else "optimal" if progress.state.is_resolved else unfinished
        evidence = Evidence(
            self.name, progress.lower_bound, text, self._seconds, nodes=self._n_nodes, status=status
        )
        state = progress.state.store_resumable(self.name, self if status == "time" else None)
        state = replace(state, interrupted=state.interrupted or is_interrupted)
        return state.tighten(state.bounds, evidence)

    def _prove(self, progress: ProofProgress, budget: Budget) -> str:
        """Prove as much as there is time for; return the text of the evidence."""
        problem, skeleton = self.problem, self.problem.skeleton
        if _has_all_trees(skeleton) and not progress.limits.numbers:
            if self._tree_proof is None:
                self._tree_proof = TreeProofs(problem, self._seed, self._options)
            return self._tree_proof.run(progress, budget)
        if self._diagram_proof is None:
            runner = KernelRunner(problem, min(skeleton.depth, MAX_LEVELS), self._seed, options=self._options)
            self._diagram_proof = DiagramProof(progress, runner, self._seed)
        counts = self._diagram_proof.run(progress, budget)
        return (
            f"branch and bound over diagrams: {counts.total - counts.unresolved} of {counts.total} "
            f"combination{'s' * (counts.total != 1)} of layer widths cannot do better"
        )

    @property
    def _n_nodes(self) -> int:
        """Nodes of the search: passes over sets of rows."""
        return sum(proof.n_nodes for proof in (self._tree_proof, self._diagram_proof) if proof is not None)
