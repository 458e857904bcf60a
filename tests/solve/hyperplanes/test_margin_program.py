import numpy as np
import pytest

from oddlearn.solve.budget import Budget
from oddlearn.solve.hyperplanes import margin_program
from oddlearn.solve.hyperplanes.margin_program import MaxMarginLP, first_features
from oddlearn.solve.hyperplanes.max_margin import max_margin_hyperplane


@pytest.fixture
def narrow_programs(monkeypatch):
    """Programs begin with 3 features and grow by 2."""
    monkeypatch.setattr(margin_program, "MAX_WHOLE_FEATURES", 3)
    monkeypatch.setattr(margin_program, "FIRST_FEATURES", 3)
    monkeypatch.setattr(margin_program, "FEATURES_PER_ROUND", 2)


def draw(seed, n_rows=40, n_features=30, shift=0.0):
    random = np.random.default_rng(seed)
    positive = random.random(n_rows) < 0.4
    X = random.random((n_rows, n_features))
    return X + shift * positive[:, None] * (random.random(n_features) < 0.2), positive


def whole_gap(X, positive, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(margin_program, "MAX_WHOLE_FEATURES", 1_000_000)
        return max_margin_hyperplane(X, positive, 1e-6, Budget.of(None))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("n_features", "shift"), [(60, 0.0), (12, 0.3), (5, 0.0)])
def test_a_program_that_grows_by_features_is_as_good_as_the_whole(
    seed, n_features, shift, narrow_programs, monkeypatch
):
    X, positive = draw(seed, n_features=n_features, shift=shift)
    grown = max_margin_hyperplane(X, positive, 1e-6, Budget.of(None))
    whole = whole_gap(X, positive, monkeypatch)
    assert (grown.hyperplane is None) == (whole.hyperplane is None)
    assert grown.largest_gap == pytest.approx(whole.largest_gap, abs=1e-7)
    if grown.hyperplane is not None:
        assert grown.hyperplane.gap == pytest.approx(whole.hyperplane.gap, abs=1e-7)
        key = X @ grown.hyperplane.weights
        assert key[positive].min() - key[~positive].max() == pytest.approx(grown.hyperplane.gap)


def test_a_wide_program_holds_few_of_the_features():
    X, positive = draw(0, n_rows=40, n_features=20_000)
    program = MaxMarginLP(X, positive)
    program.add(np.arange(40))
    assert program.solve(Budget.of(None))
    assert program.n_written < 3000


def test_a_conflict_among_all_features_is_found_by_a_program_of_some(narrow_programs):
    X = np.repeat([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], 10, axis=1).reshape(4, -1)
    found = max_margin_hyperplane(X, np.array([True, True, False, False]), 1e-4, Budget.of(None))
    assert found.hyperplane is None
    assert set(found.conflict.tolist()) == {0, 1, 2, 3}


def test_the_hyperplane_of_an_unfinished_program_is_kept(narrow_programs, monkeypatch):
    X, positive = draw(1, n_features=60, shift=0.6)
    now = iter([0.0] * 8 + [9.0] * 1000)  # late after the first programs
    monkeypatch.setattr("oddlearn.solve.budget.time.perf_counter", lambda: next(now))
    budget = Budget(0.0, 5.0)
    found = max_margin_hyperplane(X, positive, 1e-6, budget)
    assert found.largest_gap == np.inf  # nothing is proved
    assert found.hyperplane is not None
    key = X @ found.hyperplane.weights
    assert key[positive].min() - key[~positive].max() >= 1e-6


def test_narrow_programs_begin_with_all_features():
    X, positive = draw(0)
    assert first_features(X, positive).tolist() == list(range(X.shape[1]))


def line_program(added=(0, 1, 2, 3)):
    """Return a program of rows on a line, the positive ones on the right."""
    X, positive = np.array([[0.0], [0.25], [0.75], [1.0]]), np.array([False, False, True, True])
    program = MaxMarginLP(X, positive)
    program.add(np.array(added))
    return program


def test_the_widest_gap_on_a_line_is_between_the_nearest_rows():
    program = line_program()
    assert program.solve(Budget.of(None))
    assert program.weights() == pytest.approx([1.0])
    assert program.hull_distance() == pytest.approx(0.5)
    assert program.conflict_set(0.6).tolist() == [1, 2]
    assert program.conflict_set(0.5) is None
    assert not program.misplaced_rows(program.weights()).size


def test_rows_outside_the_program_are_named_if_they_are_misplaced():
    program = line_program(added=(0, 3))
    assert program.solve(Budget.of(None))
    assert program.hull_distance() == pytest.approx(1.0)
    assert sorted(program.misplaced_rows(program.weights()).tolist()) == [1, 2]


def test_a_program_without_rows_of_one_side_names_no_conflict():
    program = line_program(added=(0, 1))
    program.solve(Budget.of(None))
    assert program.hull_distance() == np.inf
    assert program.conflict_set(1e9) is None


def test_a_program_that_was_not_solved_has_no_weights():
    with pytest.raises(ValueError, match="not solved"):
        line_program().weights()


@pytest.mark.parametrize("seed", range(3))
def test_rows_added_to_a_program_that_has_grown_have_all_its_features(seed, narrow_programs, monkeypatch):
    X, positive = draw(seed, n_features=20, shift=0.5)
    monkeypatch.setattr(margin_program, "ROWS_PER_ROUND", 3)
    program = MaxMarginLP(X, positive)
    program.add(np.array([int(np.flatnonzero(positive)[0]), int(np.flatnonzero(~positive)[0])]))
    assert program.solve(Budget.of(None))
    while True:
        misplaced = program.misplaced_rows(program.weights())
        if not misplaced.size:
            break
        has_grown = program.n_written > 3
        program.add(misplaced)
        assert program.solve(Budget.of(None))
    assert has_grown
    whole = whole_gap(X, positive, monkeypatch)
    assert program.hull_distance() == pytest.approx(whole.largest_gap, abs=1e-7)


def test_the_first_features_are_those_whose_means_differ_most(narrow_programs):
    X = np.array([[0.0, 5.0, 1.0, 0.0, 2.0], [0.1, 9.0, 1.0, 3.0, 2.0], [0.1, 9.0, 1.0, 3.0, 2.0]])
    assert first_features(X, np.array([False, True, True])).tolist() == [0, 1, 3]
    assert first_features(X, np.array([True, True, True])).tolist() == [0, 1, 2, 3, 4]


def test_the_solver_says_nothing(capfd):
    program = line_program()
    program.solve(Budget.of(None))
    assert capfd.readouterr() == ("", "")
