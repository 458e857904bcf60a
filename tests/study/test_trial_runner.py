"""Only what is missing is run, once, to the last trial, and a failure costs no other trial."""

import signal

import pytest

from oddlearn.errors import BrokenProofError, NoFeasibleDiagramError, StoreError, StudyError
from oddlearn.study import trial_runner
from oddlearn.study.result_store import ResultStore
from oddlearn.study.trial import Result, Trial
from oddlearn.study.trial_runner import find_missing, run_trials
from tests.study.examples import result


def trials(*seeds, **given):
    return [result(seed=seed, **given).trial for seed in seeds]


@pytest.fixture
def store(tmp_path):
    with ResultStore.open(tmp_path / "study.sqlite") as opened:
        yield opened


@pytest.fixture
def asked(monkeypatch):
    """Return the trials that were carried out; nothing is trained, and seeds above 90 raise."""
    found = []
    problems = {
        91: NoFeasibleDiagramError("Nothing found\nin time."),
        92: BrokenProofError("bound above"),
        93: MemoryError(),
        94: KeyboardInterrupt(),
        95: TypeError("a mistake"),
    }

    def fake(trial, directory):
        found.append((trial, directory))
        if trial.seed in problems:
            raise problems[trial.seed]
        return result(objective=trial.seed / 100).outcome, f"model {trial.seed}"

    monkeypatch.setattr(trial_runner, "run_trial", fake)
    return found


def test_only_missing_trials_run_each_once_in_their_order(store, asked, tmp_path):
    store.add(result(seed=2), "earlier")
    summary = run_trials([*trials(3, 2, 1), *trials(1, 3)], store, tmp_path)
    assert [(trial.seed, place) for trial, place in asked] == [(3, tmp_path), (1, tmp_path)]
    assert (summary.ran, summary.failures) == (2, ())
    assert {one.trial.seed: one.outcome.objective for one in store.results()} == {1: 0.01, 2: 0.2, 3: 0.03}
    assert store.model(trials(2)[0].key) == "earlier"
    assert store.model(trials(3)[0].key) == "model 3"


def test_a_second_run_has_nothing_to_do(store, asked):
    run_trials(trials(1, 2), store)
    asked.clear()
    assert run_trials(trials(1, 2), store).ran == 0
    assert asked == []
    assert find_missing(trials(1, 2, 3), store) == trials(3)


def test_every_result_is_told_after_it_was_written(store, asked):
    told = []

    def tell(done, total, one):
        assert one in store.results()
        told.append((done, total, one.trial.seed))

    run_trials(trials(5, 6, 7), store, on_result=tell)
    assert told == [(1, 3, 5), (2, 3, 6), (3, 3, 7)]


def test_a_trial_that_fails_costs_no_other_and_is_tried_again(store, asked):
    told = []
    summary = run_trials(trials(91, 1, 92, 2, 93), store, on_result=lambda *given: told.append(given[:2]))
    assert summary.ran == 2
    assert [failure.trial.seed for failure in summary.failures] == [91, 92, 93]
    assert [failure.reason for failure in summary.failures] == [
        "NoFeasibleDiagramError: Nothing found in time.",
        "BrokenProofError: bound above",
        "MemoryError:",
    ]
    assert told == [(2, 5), (4, 5)]
    assert {one.trial.seed for one in store.results()} == {1, 2}
    assert find_missing(trials(91, 1, 92, 2, 93), store) == trials(91, 92, 93)


@pytest.mark.parametrize(("seed", "problem"), [(94, KeyboardInterrupt), (95, TypeError)])
def test_the_keyboard_and_mistakes_of_the_program_end_the_run(store, asked, seed, problem):
    with pytest.raises(problem):
        run_trials(trials(1, seed, 2), store)
    assert {one.trial.seed for one in store.results()} == {1}


def test_a_store_that_cannot_be_written_ends_the_run(store, asked, monkeypatch, recwarn):
    def full(*_):
        raise StoreError("full")

    monkeypatch.setattr(store, "add", full)
    with pytest.raises(StoreError, match="full"):
        run_trials(trials(1, 2, 3), store)
    assert len(asked) == 1
    assert list(recwarn) == []


def short(*seeds):
    """Return trials that end by proof."""
    return [Trial("iris", seed, "1-2", False, 1.0, "multivariate", "auto", 30.0) for seed in seeds]


def test_two_processes_give_what_one_gives(tmp_path):
    found = []
    for jobs in (1, 2):
        with ResultStore.open(tmp_path / f"{jobs}.sqlite") as store:
            assert run_trials(short(1, 2, 3), store, n_jobs=jobs).ran == 3
            assert all(one.outcome.is_optimal for one in store.results())
            found.append([(one.trial, one.outcome.objective) for one in store.results()])
    assert found[0] == found[1]
    assert [trial for trial, _ in found[0]] == short(1, 2, 3)


def die(trial, directory):
    import os

    os._exit(9)


def test_a_process_that_is_ended_from_outside_is_told(store, monkeypatch, recwarn):
    store.add(Result(short(1)[0], result().outcome), "{}")
    monkeypatch.setattr(trial_runner, "_try_trial", die)
    with pytest.raises(StudyError, match=r"was killed, .*: start again with fewer jobs"):
        run_trials(short(1, 2, 3, 4), store, n_jobs=2)
    assert len(store.keys()) == 1
    assert [str(warning.message) for warning in recwarn if "tasks" in str(warning.message)] == []


@pytest.mark.parametrize("own", [signal.default_int_handler, signal.SIG_IGN, lambda number, frame: None])
def test_ctrl_c_is_ignored_while_processes_start_and_then_handled_as_before(own):
    before = signal.signal(signal.SIGINT, own)
    try:
        with pytest.raises(ValueError, match="broken"), trial_runner.ignore_interrupts():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            raise ValueError("broken")
        assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, before)
