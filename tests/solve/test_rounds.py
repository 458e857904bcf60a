"""Searches and proofs that take turns: fake solvers on a fake clock, and real ones under several limits."""

import math
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import UnivariateSplit
from oddlearn.problem import TrainingData
from oddlearn.problem.certificate import ENDINGS
from oddlearn.problem.events import Bounded
from oddlearn.problem.training_problem import build_problem
from oddlearn.solve import rounds, schedule
from oddlearn.solve.budget import Budget
from oddlearn.solve.local_search.solver import LocalSearch
from oddlearn.solve.loop import EventLog, find_ending, run_steps, solve_problem
from oddlearn.solve.rounds import EXACT_WORK, EXACT_WORK_AFTER_SEARCH, RoundRobin, open_gap
from oddlearn.solve.schedule import AutoSchedule
from oddlearn.solve.solver import ignore
from oddlearn.solve.state import SolveState
from oddlearn.solve.step import LoopStatus, Rounds, Schedule, Step, TimeShare
from tests.fakes import tighten_all
from tests.solve.test_feasibility import Given, pairs

# the patience and the work of these tests are chosen for rounds that begin with this
FIRST_WORK = 0.004
ROUNDS = [FIRST_WORK * 2**number for number in range(12)]
# the searches of these tests find nothing, unless they are given something to find: more for early proofs
EXACT_ROUNDS = [(EXACT_WORK_AFTER_SEARCH if work < 0.05 else EXACT_WORK) * work for work in ROUNDS]


@pytest.fixture(autouse=True)
def first_round(monkeypatch):
    monkeypatch.setattr("oddlearn.solve.rounds.FIRST_WORK", FIRST_WORK)


@dataclass(frozen=True)
class Turner:
    """Does all the work it is given, at the speed of the clock, and then what a test says."""

    name: str
    clock: object
    act: object = None
    turns: int = 10**6
    is_resumable: bool = True
    given: list = field(default_factory=list)

    def unsupported_reasons(self, problem):
        return []

    def run(self, state, budget, emit):
        work = budget.remaining_work()
        self.given.append(work)
        if np.isfinite(work):
            budget.spend(work)
            self.clock.now += min(work, budget.remaining())
        state = state if self.act is None else self.act(state, len(self.given))
        goes_on = {self.name: self} if len(self.given) < self.turns else {}
        others = {name: solve for name, solve in state.resumable.items() if name != self.name}
        return replace(state, resumable={**others, **goes_on})


def stripes(n_rows=6):
    """Classes 0 1 0 1 ... along one feature: the more nodes, the fewer errors."""
    data = TrainingData.collect(np.linspace(0, 1, n_rows)[:, None], np.arange(n_rows) % 2, 2)
    return build_problem(data, Skeleton.parse("1-1-1-1"), 0.1, "univariate")


def run(rounds, budget, problem=None):
    state = SolveState.initial(stripes() if problem is None else problem)
    return run_steps(Schedule((rounds,)), state, budget, EventLog(ignore))


def shrink_gap(factor):
    """Return an act that leaves the given share of the gap after each turn."""

    def act(state, number):
        return state.tighten(tighten_all(state, state.objective * (1 - factor**number)))

    return act


def offer_at(turn):
    """Return an act that offers a better diagram at one turn."""
    better = DecisionDiagram((UnivariateSplit(0, 0.1),), [1], [2], [0], 2, 1)
    return lambda state, number: state.offer(better) if number == turn else state


def test_each_round_has_twice_the_work_of_the_last_and_a_proof_eight_times_that_of_a_search(clock):
    search, exact = Turner("search", clock, turns=4), Turner("exact", clock, turns=3)
    run(Rounds((Step(search), Step(exact, is_exact=True))), Budget.of(100.0))
    assert search.given == pytest.approx(ROUNDS[:4])
    assert exact.given == pytest.approx(EXACT_ROUNDS[:3])


def test_a_proof_has_twice_the_work_of_a_search_that_has_just_found_a_better_diagram(clock):
    search = Turner("search", clock, act=offer_at(2), turns=4)
    exact = Turner("exact", clock, turns=3)
    run(Rounds((Step(search), Step(exact, is_exact=True))), Budget.of(100.0))
    expected = [EXACT_WORK_AFTER_SEARCH, EXACT_WORK, EXACT_WORK_AFTER_SEARCH]
    assert exact.given == pytest.approx(np.multiply(expected, ROUNDS[:3]))


def test_a_search_stalls_by_its_patience_or_a_quarter_of_the_proof(clock):
    search, exact = Turner("search", clock), Turner("exact", clock, turns=8)
    run(Rounds((Step(search), Step(exact, is_exact=True)), patience=0.2, gives_up=False), Budget.of(100.0))
    # 0.2 seconds without a better diagram; then a quarter of what the proof has had by the sixth round and on
    quarters = [sum(EXACT_ROUNDS[:number]) / 4 for number in (6, 7, 8)]
    assert search.given[:5] == pytest.approx(ROUNDS[:5])
    assert np.cumsum(search.given)[5:] == pytest.approx([0.2, *quarters])
    assert exact.given == pytest.approx(EXACT_ROUNDS[:8])


def test_a_search_does_not_stall_before_a_diagram_satisfies_the_constraints(clock):
    search = Turner("search", clock)
    demand = pairs(Given(0, 3, 3))  # rows that come in pairs
    run(Rounds((Step(search),), patience=0.1), Budget.of(10.0), demand)
    assert sum(search.given) >= 10.0
    endless = Turner("search", clock)
    run(Rounds((Step(endless),), patience=0.1), Budget.of(None), demand)
    assert endless.given == pytest.approx(ROUNDS[:5])


def test_a_search_that_found_something_late_has_more_patience(clock):
    search = Turner("search", clock, offer_at(5))
    run(Rounds((Step(search),), patience=0.15), Budget.of(100.0))
    # found after 0.124: one and a half times as much again is needed, and no more
    assert search.given[:6] == pytest.approx(ROUNDS[:6])
    assert sum(search.given) == pytest.approx(2.5 * sum(ROUNDS[:5]))


@pytest.mark.parametrize(("factor", "n_turns"), [(0.99, 6), (0.6, 12)])
def test_a_proof_whose_gap_hardly_shrinks_is_given_up(clock, monkeypatch, factor, n_turns):
    monkeypatch.setattr(rounds, "TIME_LIMIT", math.inf)
    exact = Turner("exact", clock, shrink_gap(factor), turns=12)
    run(Rounds((Step(exact, is_exact=True),)), Budget.of(100.0), stripes(10_000))
    assert len(exact.given) == n_turns


def test_a_longer_limit_gives_a_slow_proof_more_rounds(clock):
    short, long = (Turner("exact", clock, shrink_gap(0.85), turns=30) for _ in range(2))
    run(Rounds((Step(short, is_exact=True),)), Budget.of(10.0), stripes(10_000))
    run(Rounds((Step(long, is_exact=True),)), Budget.of(10_000.0), stripes(10_000))
    assert 7 <= len(short.given) < len(long.given)


def test_a_proof_that_was_asked_for_is_not_given_up(clock):
    exact = Turner("exact", clock)
    run(Rounds((Step(exact, is_exact=True),), gives_up=False), Budget.of(30.0))
    assert sum(exact.given) >= 30.0


def test_a_solver_without_turns_runs_once_with_its_share_of_the_time(clock):
    once, search = Turner("once", clock, is_resumable=False), Turner("search", clock, turns=4)
    run(Rounds((Step(search), Step(once, TimeShare(0.5)))), Budget.of(100.0))
    assert once.given == [np.inf]
    assert len(search.given) == 4


def test_a_step_is_not_due_while_its_condition_does_not_hold(clock):
    def after_three_rounds(status):
        return None if status.budget.meter.seconds > sum(ROUNDS[:3]) - 1e-9 else ""

    search = Turner("search", clock, turns=6)
    late = Turner("late", clock, turns=1)
    run(Rounds((Step(search), Step(late, condition=after_three_rounds))), Budget.of(100.0))
    assert late.given == pytest.approx(ROUNDS[2:3])


def test_what_has_nothing_left_to_do_is_asked_again_about_a_better_incumbent(clock):
    exact = Turner("exact", clock, turns=1)
    search = Turner("search", clock, offer_at(3), turns=5)
    run(Rounds((Step(exact, is_exact=True), Step(search))), Budget.of(100.0))
    assert exact.given == pytest.approx([EXACT_WORK * ROUNDS[0], EXACT_WORK * ROUNDS[3]])


def test_rounds_end_at_the_deadline(clock):
    search = Turner("search", clock)
    run(Rounds((Step(search),)), Budget.of(1.0))
    assert clock.now == pytest.approx(101.0)


def test_the_open_gap_adds_up_what_each_node_count_could_save():
    state = SolveState.initial(stripes())  # objective 1 / 2, and 0.1 / 3 for each node after the first
    gaps = [0.5 - 0.1 / 3 * count for count in range(4)]
    assert open_gap(state) == pytest.approx(sum(gaps))
    assert open_gap(state.tighten(state.bounds.tightened(1, 3.0))) == pytest.approx(sum(gaps[1:]))


def noisy(split):
    random = np.random.default_rng(3)
    X = random.normal(size=(120, 4)).round(2)
    y = (X[:, 0] * X[:, 1] > 0).astype(int) ^ (random.random(120) < 0.15)
    if split == "multivariate":
        X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    return build_problem(TrainingData.collect(X, y, 2), Skeleton.parse("1-2-2"), 0.2, split, 1e-4)


@pytest.mark.parametrize("split", ["univariate", "multivariate"])
def test_the_course_of_a_solve_is_the_same_under_every_limit(split, monkeypatch):
    monkeypatch.setattr(rounds, "TIME_LIMIT", math.inf)  # proofs go on longer under limits above it
    own = [rule for rule in schedule.RULES if rule.name == "branch_and_bound"]
    monkeypatch.setattr(schedule, "RULES", own)
    results = []
    for seconds in (40.0, 120.0, None):
        heard = []
        result = solve_problem(noisy(split), LocalSearch(), Budget.of(seconds), heard.append, AutoSchedule())
        bounds = [event.lower_bound for event in heard if isinstance(event, Bounded)]
        results.append((result.state.diagram, result.state.objective, bounds[:2]))
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize(
    ("changes", "seconds", "max_iter", "ending"),
    [
        ({"interrupted": True}, 0.0, None, "interrupted"),
        ({}, 0.0, None, "time"),
        ({"iterations": 3}, 9.0, 3, "iterations"),
        ({"iterations": 2, "gave_up": True}, 9.0, 3, "gave_up"),
        ({}, 9.0, None, "stalled"),
        ({}, None, None, "stalled"),
    ],
)
def test_what_ended_a_solve_is_known(changes, seconds, max_iter, ending):
    state = replace(SolveState.initial(stripes()), **changes)
    assert find_ending(state, Budget.of(seconds, max_iter)) == ending
    assert find_ending(state.tighten(tighten_all(state, state.objective)), Budget.of(0.0)) == (
        "interrupted" if ending == "interrupted" else "proved"
    )
    assert ending in ENDINGS


def test_a_fit_that_ends_just_before_the_limit_ended_for_lack_of_time(clock):
    budget, state = Budget.of(10.0), SolveState.initial(stripes())
    clock.now += 8.9
    assert find_ending(state, budget) == "stalled"
    clock.now += 0.2
    assert find_ending(state, budget) == "time"


def test_a_proof_that_was_given_up_is_in_the_state(clock):
    exact = Turner("exact", clock, shrink_gap(0.99), turns=30)
    assert run(Rounds((Step(exact, is_exact=True),)), Budget.of(10.0), stripes(10_000)).gave_up
    assert not run(Rounds((Step(exact, is_exact=True),), gives_up=False), Budget.of(1.0)).gave_up


def robin(clock, patience=0.1, seconds=100.0, gives_up=True):
    """Return a search and a proof that take turns, none of which has had one."""
    steps = (Step(Turner("search", clock)), Step(Turner("proof", clock), is_exact=True))
    rounds = Rounds(steps, TimeShare(), patience=patience, gives_up=gives_up)
    return RoundRobin(rounds, Budget.of(seconds))


@pytest.mark.parametrize(
    ("gaps", "pauses_searches", "is_searched"),
    [
        ([8.0, 0.96 * 8.0], True, True),
        ([8.0, 0.94 * 8.0], True, False),
        ([8.0, 0.94 * 8.0], False, True),
        ([8.0], True, True),
        ([], True, True),
    ],
)
def test_searches_wait_while_a_proof_shrinks_the_gap(clock, gaps, pauses_searches, is_searched):
    turns_taken = robin(clock)
    turns_taken.rounds = replace(turns_taken.rounds, pauses_searches=pauses_searches)
    search, proof = turns_taken.turns
    proof.gaps, proof.work_at = gaps, [0.1] * len(gaps)
    status = LoopStatus(SolveState.initial(stripes()), turns_taken.budget)
    assert turns_taken.is_due(search, status) == is_searched
    proof.finished_at = status.state.objective  # nothing is left to prove
    assert turns_taken.is_due(search, status)


def test_a_proof_is_given_up_after_its_own_least_work(clock, monkeypatch):
    monkeypatch.setattr(rounds, "TIME_LIMIT", math.inf)
    turns_taken = robin(clock, seconds=1023.0)
    proof = turns_taken.turns[1]
    proof.gaps, proof.work, proof.work_at = [8.0] * 4, 2.9, [0.1, 0.2, 0.3, 2.9]
    assert turns_taken._is_hopeless(proof)
    proof.step = replace(proof.step, min_work=3.0)
    assert not turns_taken._is_hopeless(proof)


@pytest.mark.parametrize(
    ("seconds", "work", "is_hopeless"),
    [(10.0, 0.5, True), (60.0, 49.9, False), (60.0, 50.0, True), (math.inf, 0.5, True)],
)
def test_a_limit_above_the_default_gives_a_proof_more_time(clock, seconds, work, is_hopeless):
    turns_taken = robin(clock, seconds=seconds)
    proof = turns_taken.turns[1]
    proof.gaps, proof.work, proof.work_at = [8.0] * 4, work, [0.01, 0.02, 0.03, work]
    assert turns_taken._is_hopeless(proof) == is_hopeless


@pytest.mark.parametrize(
    ("gaps", "work", "is_hopeless"),
    [
        ([8.0, 8.0, 8.0, 8.0], 0.49, False),  # too early to tell
        ([8.0, 8.0, 8.0], 5.0, False),
        ([8.0, 8.0, 8.0, 8.0], 0.5, True),
        ([8.0, 8.0, 8.0, 0.7 * 8.0], 5.0, True),
        ([8.0, 1.0, 8.0, 8.0, 2.0], 5.0, True),  # more than three turns ago
        # 3 rounds leave half: of the 10 that fit into 1,023 times the work, 2 ** (-10 / 3) of 4 is left
        ([8.0, 7.0, 6.0, 4.0], 5.0, False),
        ([0.7, 7.0, 6.0, 5.0, 4.0, 3.0], 5.0, True),  # 3 * 2 ** (-10 / 3) = 0.298 is more than 0.4 * 0.7
        ([0.8, 7.0, 6.0, 5.0, 4.0, 3.0], 5.0, False),
        ([np.inf, np.inf, np.inf, np.inf], 5.0, True),
        ([np.inf, np.inf, np.inf, 1.0], 5.0, False),
    ],
)
def test_a_proof_is_hopeless_by_its_last_rounds_and_the_time_left(
    clock, monkeypatch, gaps, work, is_hopeless
):
    monkeypatch.setattr(rounds, "TIME_LIMIT", math.inf)
    turns_taken = robin(clock, seconds=1023.0)
    turns_taken.work = 1.0
    proof = turns_taken.turns[1]
    # rounds that double the work
    work_at = [work / 2**number for number in reversed(range(len(gaps)))]
    proof.gaps, proof.work, proof.work_at = gaps, work, work_at
    assert turns_taken._is_hopeless(proof) == is_hopeless
    state = SolveState.initial(stripes())
    status = LoopStatus(state, turns_taken.budget)
    assert turns_taken.is_due(proof, status) == (not is_hopeless) and proof.gave_up == is_hopeless
    patient = robin(clock, gives_up=False)
    patient.turns[1].gaps, patient.turns[1].work, patient.turns[1].work_at = gaps, work, work_at
    assert patient.is_due(patient.turns[1], status) and not patient.turns[1].gave_up


def test_work_without_a_better_diagram_stalls_a_search(clock):
    turns_taken = robin(clock, patience=0.1)
    search, proof = turns_taken.turns
    state = SolveState.initial(stripes())
    for work, improved_at, proof_work, left in [
        (0.0, 0.0, 0.0, 0.1),
        (0.04, 0.0, 0.0, 0.06),
        (0.1, 0.0, 0.0, 0.0),
        (1.0, 0.5, 0.0, 0.25),  # 1.5 times what the best one took
        (0.3, 0.0, 2.0, 0.2),  # a quarter of the proof
        (0.5, 0.0, 2.0, 0.0),
    ]:
        search.work, search.improved_at, proof.work = work, improved_at, proof_work
        assert turns_taken._work_to_stall(search) == pytest.approx(left)
        turns_taken.work = 10.0
        assert turns_taken.work_of(search, state) == pytest.approx(left)
        assert turns_taken.work_of(proof, state) == 20.0
        turns_taken.work = 0.001
        assert turns_taken.work_of(search, state) == pytest.approx(min(left, 0.001))
        assert turns_taken.is_due(search, LoopStatus(state, turns_taken.budget)) == (left > 0)


def test_a_turn_is_recorded_with_its_gain(clock):
    turns = robin(clock).turns[0]
    before = SolveState.initial(stripes())
    better = before.offer(DecisionDiagram((UnivariateSplit(0, 0.1),), [1], [2], [0], 2, 1))
    turns.record(before, before, 2.0)
    assert (turns.work, turns.improved_at, turns.finished_at) == (2.0, 0.0, before.objective)
    turns.record(before, replace(better, resumable={"search": 1}), 3.0)
    assert (turns.work, turns.improved_at, turns.finished_at) == (5.0, 5.0, None)
    turns.record(better, better, 1.0)
    assert (turns.work, turns.improved_at, turns.finished_at) == (6.0, 5.0, better.objective)
    assert turns.gaps == [open_gap(before), open_gap(better), open_gap(better)]
