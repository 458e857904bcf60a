import importlib
import io
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from oddlearn.solve.budget import Budget
from oddlearn.solve.worker import child_main, child_process
from oddlearn.solve.worker.child_process import _process_memory, allowed_memory
from oddlearn.solve.worker.frames import read_frame, write_frame
from oddlearn.solve.worker.run_worker import run_worker

run_worker_module = importlib.import_module("oddlearn.solve.worker.run_worker")

ROOT = Path(__file__).parents[3]


def run(task, arguments=None, seconds=30.0, max_memory=None):
    """Return how the task ended and the messages it sent."""
    messages = []
    ended = run_worker(
        f"tests.solve.worker.tasks:{task}", arguments, Budget.of(seconds), messages.append, max_memory
    )
    return ended, messages


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] != "Z"
    except OSError:
        return False


def is_gone_soon(pid):
    until = time.perf_counter() + 5
    while is_alive(pid) and time.perf_counter() < until:
        time.sleep(0.02)
    return not is_alive(pid)


def test_a_task_returns_its_result():
    ended, _ = run("double", 21)
    assert (ended.status, ended.result, ended.detail) == ("done", 42, "")


def test_messages_arrive_in_order():
    ended, messages = run("count", 1000)
    assert messages == list(range(1000))
    assert ended.result == "counted"


def test_large_arguments_messages_and_results_pass_the_pipes():
    ended, _ = run("total", np.ones(20_000_000))
    assert ended.result == 20_000_000
    ended, messages = run("large", 5_000_000)
    assert messages[0].sum() == 5_000_000
    assert ended.result.shape == (5_000_000,)


def test_an_exception_comes_back_in_words():
    ended, messages = run("fail")
    assert ended.status == "crashed"
    assert ended.detail.startswith("ValueError: no such luck (tasks.py, line")
    assert messages == ["before"]


def test_an_unknown_task_comes_back_in_words():
    ended, _ = run("nothing")
    assert ended.status == "crashed"
    assert "AttributeError" in ended.detail


@pytest.mark.parametrize("task", ["sleep", "spin"])
def test_a_child_is_ended_at_the_deadline(task):
    started = time.perf_counter()
    ended, messages = run(task, 60, seconds=2.0)
    assert time.perf_counter() - started < 2.6
    assert (ended.status, ended.result) == ("time", None)
    assert is_gone_soon(messages[0])


def test_a_spent_budget_starts_nothing():
    ended, messages = run("double", 1, seconds=0.0)
    assert (ended.status, messages) == ("time", [])


def test_a_child_that_eats_too_much_is_ended():
    ended, messages = run("eat", max_memory=300 << 20)
    assert ended.status == "memory"
    assert "0.29 GB" in ended.detail
    assert messages == ["hungry"]


def test_a_child_that_runs_out_of_memory_says_so():
    ended, _ = run("run_out")
    assert ended.status == "memory"
    assert "all gone" in ended.detail


# signal 40 has no name
@pytest.mark.parametrize("name", ["SIGSEGV", "SIGABRT", "SIGKILL", "40"])
def test_a_crash_names_its_signal_and_keeps_what_was_sent(name):
    ended, messages = run("stop_by_signal", name)
    assert ended.status == "crashed"
    assert f"killed by signal {name}" in ended.detail
    assert ("lack of memory" in ended.detail) == (name == "SIGKILL")
    assert messages == ["before"]


def test_the_last_words_of_a_process_that_left_are_told():
    ended, _ = run("leave")
    assert ended.status == "crashed"
    assert "code 3" in ended.detail
    assert "last words" in ended.detail


@pytest.mark.parametrize("executable", ["no_such_python", "", None])
def test_a_process_that_cannot_be_started_is_told(monkeypatch, executable):
    monkeypatch.setattr(sys, "executable", executable)
    ended, _ = run("double", 1)
    assert ended.status == "crashed"
    assert "no process could be started" in ended.detail


def test_chatter_does_not_reach_the_terminal(capfd):
    ended, _ = run("chatter")
    assert ended.result == "quiet"
    assert capfd.readouterr() == ("", "")


def test_the_child_looks_for_modules_where_its_parent_does():
    assert run("paths")[0].result == sys.path


def test_children_of_many_threads_do_not_meet():
    results = {}

    def one(number):
        results[number] = run("double", number)[0].result

    threads = [threading.Thread(target=one, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: 2 * number for number in range(4)}


def test_a_child_can_be_started_from_a_worker_of_joblib():
    from joblib import Parallel, delayed
    from joblib.externals.loky import get_reusable_executor

    done = Parallel(n_jobs=2)(delayed(run)("double", number) for number in range(2))
    get_reusable_executor().shutdown(wait=True)
    assert [ended.result for ended, _ in done] == [0, 2]


def test_an_error_of_the_listener_ends_the_child():
    pids = []

    def refuse(message):
        pids.append(message)
        raise KeyError("not wanted")

    with pytest.raises(KeyError):
        run_worker("tests.solve.worker.tasks:sleep", 60, Budget.of(30), refuse)
    assert is_gone_soon(pids[0])


def test_no_pipes_are_left_open():
    run("double", 1)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        run("double", 1)
        run("sleep", 60, seconds=0.3)
    assert len(os.listdir("/proc/self/fd")) <= before


# a script without a __main__ guard, as users write them
SCRIPT = """
from oddlearn.solve.budget import Budget
from oddlearn.solve.worker.run_worker import run_worker
print(run_worker("tests.solve.worker.tasks:{task}", 60, Budget.of(60), lambda m: print(m, flush=True)).status)
"""


def script(task):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", SCRIPT.format(task=task)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, env=environment, start_new_session=True, **pipes)


@pytest.mark.parametrize("task", ["sleep", "spin"])
def test_a_child_dies_with_its_parent(task):
    parent = script(task)
    pid = int(parent.stdout.readline())
    assert is_alive(pid)
    parent.kill()
    assert is_gone_soon(pid)
    parent.communicate()


@pytest.mark.parametrize("task", ["sleep", "spin"])
def test_an_interrupt_from_the_keyboard_ends_the_child_and_is_reported(task):
    parent = script(task)
    pid = int(parent.stdout.readline())
    os.killpg(parent.pid, signal.SIGINT)  # as a terminal does: the child is told, too
    out, errors = parent.communicate(timeout=10)
    assert out.strip() == "interrupted"
    assert errors == ""
    assert is_gone_soon(pid)


def test_a_child_may_use_half_of_what_is_available_unless_it_is_told(monkeypatch):
    monkeypatch.setattr(child_process, "available_bytes", lambda: 1001)
    assert (allowed_memory(None), allowed_memory(7)) == (500, 7)


def test_the_memory_of_a_process_is_read_and_that_of_none_is_0():
    own = _process_memory(os.getpid())
    assert 1 << 20 < own < 1 << 45 and own % os.sysconf("SC_PAGE_SIZE") == 0
    assert _process_memory(-1) == 0


def test_a_frame_that_was_cut_off_is_no_frame():
    pipe = io.BytesIO()
    write_frame(pipe, b"content")
    whole = pipe.getvalue()
    assert read_frame(io.BytesIO(whole)) == b"content"
    assert [read_frame(io.BytesIO(whole[:size])) for size in range(len(whole))] == [None] * len(whole)


def test_a_task_begins_with_its_limit_of_memory(monkeypatch):
    limits = []
    monkeypatch.setattr(child_main, "limit_memory", limits.append)
    order = pickle.dumps((sys.path[:], "tests.solve.worker.tasks:double", 12345))
    assert child_main.run_task(order, pickle.dumps(4), None) == ("result", 8)
    assert limits == [12345]


class FakeChild:
    """A child whose packets are given; None where it is silent."""

    def __init__(self, packets, remaining=(), memory=0):
        self.packets, self.remaining, self.memory = list(packets), list(remaining), memory
        self.killed = 0

    def next_packet(self, seconds):
        return self.packets.pop(0)

    def remaining_packets(self):
        return iter(self.remaining)

    def kill(self):
        self.killed += 1


def watch(child, seconds=30.0, limit=1 << 30):
    messages = []
    return run_worker_module._watch_child(child, Budget.of(seconds), messages.append, limit), messages


def test_messages_are_delivered_until_the_last_packet():
    child = FakeChild([("message", 1), None, ("message", 2), ("result", 3), ("message", 4)])
    assert watch(child) == (("done", 3, ""), [1, 2])
    assert child.killed == 0
    assert watch(FakeChild([("gone", "it died")]))[0] == ("crashed", None, "it died")
    assert watch(FakeChild([("memory", "too much")]))[0] == ("memory", None, "too much")


def test_what_a_late_child_had_sent_is_still_delivered():
    child = FakeChild([], [("message", 1), ("message", 2)])
    assert watch(child, seconds=0.0) == (("time", None, "its time was up"), [1, 2])
    assert child.killed == 1
    child = FakeChild([], [("message", 1), ("result", 7), ("message", 2)])
    assert watch(child, seconds=0.0) == (("done", 7, ""), [1])


def test_a_child_that_uses_more_than_it_may_is_ended():
    child = FakeChild([("result", 1)], memory=3 << 30)
    outcome = watch(child, limit=2 << 30)[0]
    assert outcome == ("memory", None, "it used 3 GB of memory; 2 GB were allowed")
    assert watch(FakeChild([("result", 1)], memory=2 << 30), limit=2 << 30)[0] == ("done", 1, "")


def test_an_interrupt_while_watching_delivers_what_was_sent(monkeypatch):
    child, messages = FakeChild([], [("message", 5)]), []

    def interrupt(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(run_worker_module, "ChildProcess", lambda frames: child)
    monkeypatch.setattr(run_worker_module, "_watch_child", interrupt)
    outcome = run_worker_module._run_child([], Budget.of(1.0), messages.append, 1)
    assert outcome == ("interrupted", None, "it was interrupted from the keyboard")
    assert messages == [5] and child.killed
    monkeypatch.setattr(run_worker_module, "ChildProcess", interrupt)
    assert run_worker_module._run_child([], Budget.of(1.0), messages.append, 1) == outcome


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (3, "the process exited with code 3 and without a result"),
        (0, "the process exited with code 0 and without a result"),
        (None, "the process exited with code None and without a result"),
        (-9, "the process was killed by signal SIGKILL, perhaps by the system for lack of memory"),
        (-11, "the process was killed by signal SIGSEGV"),
        (-500, "the process was killed by signal 500"),
    ],
)
def test_the_cause_of_death_is_a_sentence(code, text):
    assert child_process._exit_code_text(code) == text


def test_an_error_is_told_with_its_line():
    for error, text in ((KeyError("a"), "KeyError: 'a' ("), (ValueError(), "ValueError (")):
        try:
            raise error
        except (KeyError, ValueError) as caught:
            told = child_main.error_text(caught)
        assert told.startswith(text + "test_run_worker.py, line ")


@pytest.mark.parametrize(
    ("most", "hard", "wanted"),
    [(100, 50, (50, 50)), (40, 50, (40, 50)), (40, -1, (40, -1)), (None, 50, None)],
)
def test_memory_is_limited_where_the_parent_cannot_see_it(monkeypatch, most, hard, wanted):
    set_to = []
    monkeypatch.setattr(child_main.os.path, "exists", lambda path: False)
    monkeypatch.setattr("resource.RLIM_INFINITY", -1)
    monkeypatch.setattr("resource.getrlimit", lambda what: (0, hard))
    monkeypatch.setattr("resource.setrlimit", lambda what, limit: set_to.append(limit))
    child_main.limit_memory(most)
    assert set_to == ([] if wanted is None else [wanted])
    monkeypatch.setattr(child_main.os.path, "exists", lambda path: True)
    child_main.limit_memory(1)
    assert len(set_to) == (wanted is not None)
