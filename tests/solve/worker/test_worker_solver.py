"""The parent's side of a worker, with fake children and fake clocks; and the task of every real solver."""

import math
import pickle
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from scipy.sparse import csr_array

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.errors import InvalidInputError
from oddlearn.problem import LinearRows, TrainingData
from oddlearn.problem.evaluate import best_constant, evaluate
from oddlearn.problem.events import Bounded, Improved
from oddlearn.problem.node_count_bounds import NodeCountBounds
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve.budget import Budget
from oddlearn.solve.cpsat.solver import CpSat
from oddlearn.solve.milp.solver import Milp
from oddlearn.solve.worker import worker_solver
from oddlearn.solve.worker.messages import BoundImproved, ModelEnded, ModelStarted, SolutionFound, SolveJob
from oddlearn.solve.worker.run_worker import WorkerExit, run_worker
from oddlearn.solve.worker.worker_solver import WorkerSolver
from tests.fakes import run_exact
from tests.solve.worker.here import START, WALL_START, asked_of_the_child

DONE = WorkerExit("done", None, "", 0.5)


def problem_of_two():
    """Two classes that one split at 0.5 separates."""
    data = TrainingData.collect(np.array([[0.0], [1.0]]), np.array([0, 1]), 2)
    return build_problem(data, Skeleton.parse("1-2"), 0.1, "univariate")


def diagram_of(first, threshold=0.5):
    """One split; its negative side is the class ``first``."""
    heads = (np.array([1 + first]), np.array([2 - first]))
    return DecisionDiagram((UnivariateSplit(0, threshold),), *heads, np.array([0]), 2, 1)


@dataclass(frozen=True)
class Toy(WorkerSolver):
    """A solver whose child sends what the test says; contents are functions that return a diagram."""

    name: ClassVar[str] = "toy"
    task: ClassVar[str] = "tests.solve.worker.tasks:sleep"

    size: int = 3

    def unsupported_reasons(self, problem):
        return []

    def decode(self, problem, message, budget):
        return message.content() if callable(message.content) else message.content


@pytest.fixture
def solve(monkeypatch):
    """Return a function that runs the toy on messages and an exit, and gives the proof and the events."""

    def run(messages, exit_=DONE, seconds=10.0, made=Toy()):
        def fake(task, job, budget, on_message, max_memory):
            for message in messages:
                on_message(message)
            return exit_

        monkeypatch.setattr(worker_solver, "run_worker", fake)
        events, problem = [], problem_of_two()
        bounds = NodeCountBounds(np.zeros(3))
        budget = Budget.of(seconds)
        return run_exact(made, problem, best_constant(problem), bounds, budget, events.append), events

    return run


def bounds(*costs):
    return BoundImproved(NodeCountBounds(np.array(costs)))


def test_bounds_are_merged_and_told_only_when_the_least_grows(solve):
    proof, events = solve([bounds(0.5, 0, 0), bounds(0, 1, 1), bounds(0.25, 0, 0), bounds(1, 0, 0)])
    assert proof.bounds.cost.tolist() == [1, 1, 1]
    told = [event.lower_bound for event in events]
    assert all(isinstance(event, Bounded) for event in events)
    assert told == sorted(set(told)) and told[-1] == proof.bounds.lower_bound(problem_of_two())


def test_a_better_diagram_is_told_with_its_own_value_and_no_other_is_returned(solve):
    better, worse = diagram_of(0), diagram_of(1)
    proof, events = solve([SolutionFound(1, worse), SolutionFound(1, better), SolutionFound(1, worse)])
    assert proof.diagram is better
    assert [(type(event), event.objective) for event in events] == [(Improved, 0.0)]
    assert proof.evidence[0].status == "optimal"  # nothing is below 0


def test_a_diagram_that_does_not_fit_the_problem_is_dropped(solve):
    wrong = DecisionDiagram.constant(0, 3, 1)
    proof, events = solve([SolutionFound(1, wrong)])
    assert (proof.diagram, events) == (None, [])


def test_a_solution_without_a_diagram_is_dropped(solve):
    proof, _ = solve([SolutionFound(1, lambda: None)])
    assert proof.diagram is None


def test_a_solution_whose_decoding_was_interrupted_is_decoded_at_the_end(monkeypatch):
    calls = []

    def decode_once_interrupted():
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return diagram_of(0)

    def fake(task, job, budget, on_message, max_memory):
        try:
            on_message(SolutionFound(1, decode_once_interrupted))
        except KeyboardInterrupt:
            return WorkerExit("interrupted", None, "it was interrupted from the keyboard", 0.1)

    monkeypatch.setattr(worker_solver, "run_worker", fake)
    problem = problem_of_two()
    bounds = NodeCountBounds(np.zeros(3))
    proof = run_exact(Toy(), problem, best_constant(problem), bounds, Budget.of(10.0))
    assert proof.interrupted and len(calls) == 2
    assert evaluate(problem, proof.diagram).objective == 0.0
    assert proof.evidence[0].status == "optimal"  # no bound is needed for an objective of 0


def test_the_last_solution_that_came_too_late_is_still_decoded(solve):
    seen = []

    def decode(diagram):
        return lambda: seen.append(diagram) or diagram

    first, last = diagram_of(1), diagram_of(0)
    messages = [SolutionFound(1, decode(first)), SolutionFound(1, decode(last))]
    proof, _ = solve(messages, WorkerExit("time", None, "its time was up", 1.0), seconds=0.0)
    assert seen == [last] and proof.diagram is last


def test_an_incumbent_that_violates_a_constraint_has_no_objective(monkeypatch):
    problem = problem_of_two()
    matrix = np.zeros((1, problem.layout.size))
    matrix[0, problem.layout.assigned[0, 1]] = matrix[0, problem.layout.assigned[1, 0]] = 1.0
    rows = LinearRows(csr_array(matrix), [-np.inf], [0.0], ("no error",))
    job, _, _ = asked_of_the_child(monkeypatch, Toy(), replace(problem, rows=rows), 5.0)
    assert math.isinf(job.objective)
    assert len(job.problem.rows) == 1 and job.problem.constraint_blocks == ()


@pytest.mark.parametrize(("made", "is_killed_early"), [(Milp(), True), (CpSat(), False), (Toy(), False)])
@pytest.mark.parametrize("seconds", [0.4, 30.0])
def test_the_child_is_given_its_deadlines(monkeypatch, made, is_killed_early, seconds):
    reserve = min(0.1, 0.05 * seconds)
    job, budget, _ = asked_of_the_child(monkeypatch, made, problem_of_two(), seconds)
    assert job.deadline == pytest.approx(WALL_START + seconds - reserve, abs=1e-9)
    killed_at = START + seconds - (reserve if is_killed_early else 0.0)
    assert budget.deadline == pytest.approx(killed_at, abs=1e-9)


def test_the_child_is_given_the_solver_with_its_options_and_its_memory(monkeypatch):
    made = Toy(seed=7, n_jobs=2, max_memory=123)
    job, _, memory = asked_of_the_child(monkeypatch, made, problem_of_two(), 5.0)
    assert job.solver == made and pickle.loads(pickle.dumps(job)).solver == made
    assert memory == job.max_memory == 123
    job, _, memory = asked_of_the_child(monkeypatch, Toy(), problem_of_two(), 5.0)
    assert memory == job.max_memory > 1 << 20


@pytest.mark.parametrize("options", [{"n_jobs": 0}, {"seed": -1}, {"seed": 1.5}, {"max_memory": 0}])
@pytest.mark.parametrize("kind", [Toy, Milp, CpSat])
def test_bad_shared_options_are_refused(kind, options):
    with pytest.raises(InvalidInputError, match=next(iter(options))):
        kind(**options)


def test_the_evidence_names_the_solver_its_options_and_the_largest_model(solve):
    messages = [
        ModelStarted(1, "small", 10, "Toy 1"),
        ModelEnded(1, "optimal", 5),
        ModelStarted(2, "large", 20, "Toy 1"),
        ModelEnded(2, "time", 6),
        bounds(1.0, 0.0, 0.0),
    ]
    (evidence,) = solve(messages, made=Toy(seed=3))[0].evidence
    assert (evidence.solver, evidence.version, evidence.nodes) == ("toy", "Toy 1", 11)
    assert evidence.size == "large" and "seed=3" in evidence.options and "size=3" in evidence.options
    assert evidence.status == "time" and evidence.seconds == 0.5
    assert evidence.text == "1 node: solved to the end; 2 nodes: open when the time was up"


@pytest.mark.parametrize("made", [Milp(), CpSat()], ids=lambda made: made.name)
def test_the_task_of_every_solver_starts_in_a_child(made):
    problem = problem_of_two()
    reasons = made.unsupported_reasons(problem)
    if reasons:
        pytest.skip(" ".join(reasons))
    job = SolveJob(
        made, problem, best_constant(problem), 0.5, NodeCountBounds(np.zeros(3)), math.inf, 1 << 31
    )
    messages = []
    exit_ = run_worker(made.task, job, Budget.of(60.0), messages.append)
    assert exit_.status == "done", exit_.detail
    assert {ModelStarted, ModelEnded} <= {type(message) for message in messages}
