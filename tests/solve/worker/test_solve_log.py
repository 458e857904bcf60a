"""The log of a solve: one text per node count, one status for all."""

import pytest

from oddlearn.solve.worker.messages import ModelEnded, ModelSkipped, ModelStarted
from oddlearn.solve.worker.run_worker import WorkerExit
from oddlearn.solve.worker.worker_solver import STATUS_TEXTS, SolveLog

DONE = WorkerExit("done", None, "", 1.0)


def started(count):
    return ModelStarted(count, "", 1, "")


def evidence(messages, is_optimal=False, exit_=DONE, **options):
    log = SolveLog(**options)
    for message in messages:
        log.record(message)
    return log.evidence("toy", 0.25, is_optimal, exit_, "")


def test_node_counts_with_the_same_result_are_named_together_in_order():
    messages = [ModelSkipped(3, "it is large"), ModelSkipped(2, "it is large"), ModelEnded(1, "cutoff", 0)]
    text = evidence(messages).text
    assert text == "2 and 3 nodes: skipped because it is large; 1 node: nothing better exists"


def test_any_number_of_nodes_is_the_whole_skeleton():
    assert evidence([ModelEnded(None, "infeasible", 0)]).text == "the whole skeleton: no diagram exists"


@pytest.mark.parametrize("status", list(STATUS_TEXTS))
def test_every_status_has_a_text(status):
    assert evidence([ModelEnded(1, status, 0)]).text == f"1 node: {STATUS_TEXTS[status]}"


def test_texts_may_be_the_solvers_own():
    assert evidence([ModelEnded(1, "time", 0)], texts={**STATUS_TEXTS, "time": "late"}).text == "1 node: late"


def test_a_model_that_never_ended_is_named():
    exit_ = WorkerExit("crashed", None, "it broke", 1.0)
    found = evidence([started(1), ModelEnded(1, "optimal", 0), started(2)], exit_=exit_)
    assert "2 nodes: begun and not finished" in found.text
    assert found.text.endswith("the solver's process was ended: it broke")
    assert found.status == "crashed"


def test_a_model_that_ran_before_and_is_then_skipped_keeps_its_result():
    messages = [started(2), ModelEnded(2, "time", 0), ModelSkipped(2, "there is no time", is_late=True)]
    assert evidence(messages).text == "2 nodes: open when the time was up"


def test_a_model_that_is_refused_after_its_start_is_skipped():
    assert "2 nodes: skipped because no" in evidence([started(2), ModelSkipped(2, "no")]).text


@pytest.mark.parametrize(
    ("messages", "is_optimal", "exit_", "tolerance", "status"),
    [
        ([], False, DONE, 0.0, "time"),
        ([], False, DONE, 1e-6, "time"),
        ([], True, DONE, 0.0, "optimal"),
        ([ModelEnded(1, "optimal", 0)], False, DONE, 0.0, "open"),
        ([ModelEnded(1, "optimal", 0), ModelEnded(2, "cutoff", 0)], False, DONE, 1e-6, "optimal"),
        ([ModelEnded(1, "optimal", 0), ModelEnded(2, "no_diagram", 0)], False, DONE, 1e-6, "open"),
        ([ModelEnded(1, "optimal", 0), ModelEnded(2, "time", 0)], False, DONE, 1e-6, "time"),
        ([ModelSkipped(1, "large")], False, DONE, 0.0, "open"),
        ([ModelSkipped(1, "late", is_late=True)], False, DONE, 0.0, "time"),
        ([ModelEnded(1, "optimal", 0)], False, WorkerExit("memory", None, "", 1.0), 1e-6, "memory"),
        ([ModelEnded(1, "optimal", 0)], True, WorkerExit("time", None, "", 1.0), 0.0, "optimal"),
    ],
)
def test_the_status_of_the_solve(messages, is_optimal, exit_, tolerance, status):
    assert evidence(messages, is_optimal, exit_, tolerance=tolerance).status == status


def test_a_tolerance_that_leaves_a_gap_is_named():
    assert "exact to 1e-06" in evidence([ModelEnded(1, "optimal", 0)], tolerance=1e-6).text
    assert "exact to" not in evidence([ModelEnded(1, "optimal", 0)], True, tolerance=1e-6).text
    assert "exact to" not in evidence([ModelEnded(1, "optimal", 0)]).text
