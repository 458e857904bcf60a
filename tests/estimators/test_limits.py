"""Limits and news of a fit: time, iterations, Ctrl-C, the live line."""

import io
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from oddlearn import OptimalDecisionDiagramClassifier, OptimalDecisionDiagramClassifierCV
from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.errors import SearchInterruptedWarning
from oddlearn.estimators import base
from oddlearn.estimators.parameters import validate_parameters
from oddlearn.estimators.progress_line import PlainLines, progress
from oddlearn.estimators.reserved_time import finishing_seconds
from oddlearn.estimators.scaled_problem import scale_problem
from oddlearn.problem.events import Bounded, Improved
from oddlearn.solve.budget import Budget
from oddlearn.table.training_table import check_training_table
from tests.fakes import FixedExact, FixedSearch


def noisy(n=2000, d=10):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, d))
    return X, (X[:, 0] * X[:, 1] + random.normal(size=n) > 0).astype(int)


@pytest.mark.parametrize("split", ["univariate", "multivariate"])
def test_the_time_limit_ends_a_fit(split):
    started = time.perf_counter()
    model = OptimalDecisionDiagramClassifier(split=split, alpha=0.01, time_limit=0.5).fit(*noisy())
    assert time.perf_counter() - started < 5.0
    assert model.history_["seconds"].max() < 5.0


def test_a_tiny_time_limit_still_gives_a_model():
    model = OptimalDecisionDiagramClassifier(time_limit=1e-3).fit(*noisy(200, 3))
    assert model.predict(noisy(200, 3)[0]).shape == (200,)


@pytest.mark.parametrize("split", ["univariate", "multivariate"])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_runs_of_max_iter_repeat_exactly(split, n_jobs):
    parameters = {"split": split, "max_iter": 15, "time_limit": None, "random_state": 7, "n_jobs": n_jobs}
    model = OptimalDecisionDiagramClassifier(alpha=0.01, **parameters).fit(*noisy(300, 4))
    first, iterations = model.diagram_, model.n_iter_
    assert model.fit(*noisy(300, 4)).diagram_ == first
    assert model.n_iter_ == iterations


def test_a_search_that_has_stalled_ends_without_a_limit():
    model = OptimalDecisionDiagramClassifier("1-2", exact=None, time_limit=None, random_state=0)
    assert model.fit(*noisy(60, 2)).n_nodes_ >= 0


def test_more_rows_set_more_time_aside():
    seconds = []
    for n in (100, 1000):
        model = OptimalDecisionDiagramClassifier()
        settings = validate_parameters(model.get_params(), model._skeleton())
        prepared = scale_problem(check_training_table(model, *noisy(n), None), settings)
        seconds.append(finishing_seconds(prepared.problem, Budget.of(2.0)))
    assert 0 < seconds[0] < seconds[1] < 0.1


def test_an_interrupted_search_warns_and_keeps_its_diagram():
    diagram = DecisionDiagram.constant(1, 2, 10)
    with pytest.warns(SearchInterruptedWarning, match="best diagram"):
        model = OptimalDecisionDiagramClassifier(search=FixedSearch(diagram, interrupted=True)).fit(*noisy())
    assert model.predict(noisy()[0]).shape == (2000,)


def test_an_interrupted_proof_warns_and_keeps_the_diagram_of_the_search():
    search, prover = FixedSearch(DecisionDiagram.constant(1, 2, 10)), FixedExact(interrupted=True)
    with pytest.warns(SearchInterruptedWarning, match="The fit was interrupted: the best diagram"):
        model = OptimalDecisionDiagramClassifier(search=search, exact=prover).fit(*noisy())
    assert prover.incumbents[0].n_nodes == model.n_nodes_


@pytest.mark.skipif(
    signal.getsignal(signal.SIGINT) is not signal.default_int_handler, reason="SIGINT is ignored here"
)
def test_ctrl_c_after_the_last_step_is_not_lost(monkeypatch):
    """It was: a cross-validation of short fits went on, as each has its own handler of Ctrl-C."""
    original = base.build_certificate

    def press_ctrl_c(*given):
        signal.raise_signal(signal.SIGINT)
        return original(*given)

    monkeypatch.setattr(base, "build_certificate", press_ctrl_c)
    X, y = noisy(50, 2)
    with pytest.warns(SearchInterruptedWarning, match="The fit was interrupted"):
        model = OptimalDecisionDiagramClassifier("1", max_iter=2).fit(X, y)
    assert model.predict(X).shape == (50,)
    tuned = OptimalDecisionDiagramClassifierCV(("1",), (0.1,), cv=2, max_iter=2, exact=None)
    with pytest.raises(KeyboardInterrupt):
        tuned.fit(X, y)
    assert not hasattr(tuned, "best_estimator_")


SCRIPT = """
import sys, warnings
sys.path.insert(0, {root!r})
from tests.estimators.test_limits import noisy, OptimalDecisionDiagramClassifier
X, y = noisy(20000, 20)
warnings.simplefilter("always")
print("ready", flush=True)
model = OptimalDecisionDiagramClassifier(
    alpha=0.001, split={split!r}, time_limit=60, search={search}, n_jobs=2, verbose=1
).fit(X, y)
print("nodes", model.n_nodes_, "share", model.score(X, y), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("split", ["univariate", "multivariate"])
def test_ctrl_c_keeps_the_best_diagram(split, pytestconfig):
    search = "__import__('oddlearn').LocalSearch(patience=10**9)"
    script = SCRIPT.format(root=str(pytestconfig.rootpath), split=split, search=search)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    child = subprocess.Popen([sys.executable, "-c", script], text=True, **pipes)
    told = next(line for line in child.stdout if "nodes" in line and line.split()[-1] != "0")
    objective = float(told.split()[told.split().index("objective") + 1])
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert child.returncode == 0, err
    assert "SearchInterruptedWarning" in err
    last = out.splitlines()[-1].split()
    assert int(last[1]) > 0
    # the objective is the share of errors and the price of nodes
    assert 1 - float(last[-1]) <= objective + 1e-9


PROOF = """
import sys, warnings
sys.path.insert(0, {root!r})
from tests.estimators.test_limits import noisy, OptimalDecisionDiagramClassifier
from oddlearn import Construct
X, y = noisy(150, 8)
warnings.simplefilter("always")
model = OptimalDecisionDiagramClassifier(
    "1-2", split="multivariate", search=Construct(restarts=1), exact="milp", time_limit=60, verbose=1
)
model.fit(X, y)
print("ended", model.certificate_.evidence[-1].status, model.lower_bound_ <= model.objective_, flush=True)
"""


def solver_has_started(pid):
    """Return True if a process has started another one."""
    return any(task.read_text() for task in Path(f"/proc/{pid}/task").glob("*/children"))


@pytest.mark.skipif(sys.platform != "linux", reason="finds the solver in /proc")
def test_ctrl_c_ends_a_proof_and_keeps_what_is_known(pytestconfig):
    script = PROOF.format(root=str(pytestconfig.rootpath))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    child = subprocess.Popen([sys.executable, "-c", script], text=True, **pipes)
    assert "bound" in child.stdout.readline()
    while child.poll() is None and not solver_has_started(child.pid):
        time.sleep(0.02)  # the search takes less than a second, the proof hours
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert child.returncode == 0, err
    assert "SearchInterruptedWarning: The fit was interrupted" in err
    assert out.splitlines()[-1] == "ended interrupted True"


def test_lines_are_held_back_when_news_come_fast():
    stream = io.StringIO()
    lines = PlainLines(lambda line: stream.write(f"{line}\n"))
    events = [Bounded(0.0, 0.1), Improved(0.01, 0.5, 0), Improved(0.02, 0.4, 2), Improved(1.0, 0.2, 3)]
    for event in [*events, Improved(1.01, 0.125, 4)]:
        lines(event)
    lines.finish()
    assert stream.getvalue().splitlines() == [
        "    0.0 s  bound 0.10000",
        "    1.0 s  objective 0.20000  bound 0.10000  gap  50.0 %  nodes 3",
        "    1.0 s  objective 0.12500  bound 0.10000  gap  20.0 %  nodes 4",
    ]


def test_a_gap_above_a_half_is_not_a_percentage():
    written = []
    lines = PlainLines(written.append)
    for event in (Bounded(0.0, 0.1), Improved(1.0, 0.3, 2), Improved(2.0, 0.1, 2)):
        lines(event)
    lines.finish()
    assert [line.split("  ", 4)[-1].strip() for line in written if "gap" in line] == [
        "bound 0.10000  gap   large  nodes 2",
        "bound 0.10000  gap   0.0 %  nodes 2",
    ]


def test_silence_is_the_default(capsys):
    OptimalDecisionDiagramClassifier(max_iter=3).fit(*noisy(50, 2))
    assert capsys.readouterr().out == ""


def test_verbose_writes_plain_lines_where_there_is_no_terminal(capsys):
    OptimalDecisionDiagramClassifier(max_iter=3, verbose=1).fit(*noisy(50, 2))
    assert "objective" in capsys.readouterr().out


def test_a_terminal_gets_one_live_line(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress(1, time.perf_counter()) as report:
        report(Bounded(0.0, 0.1))
        report(Improved(0.1, 0.2, 3))
    assert "objective 0.20000" in terminal.getvalue()
