"""Ctrl-C as a signal: wherever it comes, the fit ends with what it has."""

import signal
import threading
from dataclasses import dataclass

import pytest

from oddlearn.problem.events import Bounded, Improved
from oddlearn.solve.budget import Budget
from oddlearn.solve.interrupt import InterruptHandler, handle_interrupts
from oddlearn.solve.loop import record_state, run_guarded, solve
from oddlearn.solve.state import SolveState
from oddlearn.solve.step import Schedule, Step
from tests.fakes import FixedSearch, tighten_all
from tests.solve.test_loop import striped, two_splits

pytestmark = pytest.mark.skipif(
    signal.getsignal(signal.SIGINT) is not signal.default_int_handler, reason="SIGINT is ignored here"
)


def press_ctrl_c(*ignored):
    signal.raise_signal(signal.SIGINT)


@dataclass(frozen=True)
class Busy:
    """A solver that is interrupted while it works and does not handle it."""

    name = "busy"

    def unsupported_reasons(self, problem):
        return []

    def run(self, state, budget, emit):
        press_ctrl_c()
        raise AssertionError("the solver went on")


@dataclass(frozen=True)
class Quiet:
    """A solver that improves diagram and bound and emits nothing itself."""

    name = "quiet"

    def unsupported_reasons(self, problem):
        return []

    def run(self, state, budget, emit):
        return state.offer(two_splits()).tighten(tighten_all(state, 0.05))


def test_a_signal_between_two_steps_keeps_the_first_and_skips_the_second():
    def condition(status):
        press_ctrl_c()

    schedule = Schedule((Step(FixedSearch(two_splits())), Step(Busy(), condition=condition)))
    state = solve(striped(), schedule, Budget.of(5.0)).state
    assert state.interrupted
    assert state.diagram == two_splits()


def test_a_signal_in_a_solver_keeps_what_was_there_before():
    schedule = Schedule((Step(FixedSearch(two_splits())), Step(Busy())))
    state = solve(striped(), schedule, Budget.of(5.0)).state
    assert state.interrupted
    assert state.diagram == two_splits()


@pytest.mark.parametrize("kind", [Bounded, Improved])
def test_a_signal_while_an_event_is_recorded_loses_no_step(kind):
    def emit(event):
        if isinstance(event, kind):
            press_ctrl_c()

    state = solve(striped(), Schedule((Step(Quiet()),)), Budget.of(5.0), emit).state
    assert state.interrupted
    assert state.diagram == two_splits()


def test_the_handler_before_comes_back():
    with handle_interrupts() as outer, handle_interrupts() as inner:
        assert inner is outer is signal.getsignal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_the_program_is_left_alone():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    try:
        with handle_interrupts() as handler:
            press_ctrl_c()
        assert (heard, handler.requested) == ([1], False)
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_change_no_handler():
    found = []

    def look():
        with handle_interrupts() as handler:
            found.append((handler, signal.getsignal(signal.SIGINT)))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert isinstance(found[0][0], InterruptHandler)
    assert found[0][1] is signal.default_int_handler


@pytest.mark.parametrize("when", ["before", "after"])
def test_ctrl_c_between_two_steps_keeps_what_is_known(when):
    state = SolveState.initial(striped())
    ran = []

    class Works:
        name = "works"

        def run(self, state, budget, emit):
            ran.append(state)
            if when == "after":
                emit("pressed")
            return state

    log = press_ctrl_c if when == "after" else None
    with handle_interrupts() as interrupt:
        interrupt.requested = when == "before"
        after = run_guarded(Works(), state, Budget.of(1.0), log)
    assert after.interrupted and after.diagram is state.diagram
    assert len(ran) == (when == "after")


@pytest.mark.parametrize("is_pressed", [False, True])
def test_ctrl_c_while_a_solver_is_imported_is_ctrl_c(is_pressed):
    """pybind11 modules raise ImportError in the place of KeyboardInterrupt."""

    class Imports:
        name = "imports"

        def run(self, state, budget, emit):
            try:
                if is_pressed:
                    press_ctrl_c()
            finally:
                raise ImportError("initialization failed")

    state = SolveState.initial(striped())
    if is_pressed:
        assert run_guarded(Imports(), state, Budget.of(1.0), None).interrupted
    else:
        with pytest.raises(ImportError):
            run_guarded(Imports(), state, Budget.of(1.0), None)


def test_a_receiver_of_events_that_asks_to_stop_interrupts_the_solve():
    class Stops:
        def record(self, state, seconds):
            raise KeyboardInterrupt

    class Listens:
        def record(self, state, seconds):
            return None

    state = SolveState.initial(striped())
    assert record_state(state, Budget.of(1.0), Stops()).interrupted
    assert record_state(state, Budget.of(1.0), Listens()) is state
