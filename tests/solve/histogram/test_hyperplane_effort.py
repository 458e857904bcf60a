"""The effort of a search for hyperplanes in large tables: rounds, pairs, sample sizes, shares of the time."""

from types import SimpleNamespace

import numpy as np
import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.diagram.skeleton import Skeleton
from oddlearn.diagram.splits import MultivariateSplit
from oddlearn.solve.budget import Budget
from oddlearn.solve.histogram import hyperplane_search
from oddlearn.solve.histogram.candidates import MIN_GAIN, Candidate
from oddlearn.solve.histogram.hyperplane_search import HyperplaneSearch
from oddlearn.solve.solver import ignore

FOREVER = Budget.of(None)
STUMP = DecisionDiagram(
    (MultivariateSplit(np.array([1.0, 1.0]), 0.5),), np.array([1]), np.array([2]), [0], 2, 2
)


class Candidates:
    """Candidates of which each is better than the last by a gain."""

    gain, objective, n_added, n_improved, runs = 0.01, 1.0, 0, 0, ()
    raw_sample = None

    def __init__(self, problem, seed, n_jobs, n_counted):
        self.found, self.iterations, self.interrupted = [], 5, False

    def list_samples(self):
        return []

    def run(self, start, budget):
        type(self).runs = (*self.runs, budget.remaining())

    def add(self, diagram, budget):
        Candidates.objective -= Candidates.gain
        Candidates.n_added += 1
        new = Candidate(Candidates.objective, diagram)
        self.found = sorted([*self.found, new], key=lambda one: one.sort_key)

    def improve_on_all(self, candidate, budget):
        Candidates.objective -= Candidates.gain
        Candidates.n_improved += 1
        return Candidate(Candidates.objective, candidate.diagram, is_of_all=True)


@pytest.fixture
def regressions(monkeypatch):
    """Replace candidates and regressions; return the regressions asked for: True for those on all rows."""
    asked = []

    def regress(own, diagram, budget, *, on_all=False):
        asked.append((on_all, budget.remaining()))
        return None, np.zeros((1, 3))

    for name, value in {"gain": 0.01, "objective": 1.0, "n_added": 0, "n_improved": 0, "runs": ()}.items():
        monkeypatch.setattr(Candidates, name, value)
    monkeypatch.setattr(hyperplane_search, "CandidateSearch", Candidates)
    monkeypatch.setattr(hyperplane_search, "add_columns", lambda *given: None)
    monkeypatch.setattr(hyperplane_search, "to_raw_weights", lambda *given: np.zeros((0, 2)))
    monkeypatch.setattr(HyperplaneSearch, "_regress", regress)
    return asked


def make_search(n_features=2, n_rows=1000, totals=(1.0, 1.0)):
    source = SimpleNamespace(pass_seconds=0.5, prepare_samples=lambda samples: None)
    data = SimpleNamespace(
        n_features=n_features,
        n_rows=n_rows,
        n_classes=len(totals),
        class_totals=np.array(totals),
        source=source,
    )
    problem = SimpleNamespace(skeleton=Skeleton.parse("1-2"), term_limit=None)
    return HyperplaneSearch(problem, data, 0, 1)


def begin(search, diagrams=(STUMP,)):
    search._compare(list(diagrams), FOREVER)
    Candidates.n_added = 0
    return search


def test_directions_are_renewed_on_the_sample_while_they_gain(regressions):
    begin(make_search())._refine_on_sample(FOREVER)
    assert regressions == [(False, np.inf)] * 8
    assert Candidates.n_added == 8


@pytest.mark.parametrize(("gain", "is_kept"), [(MIN_GAIN / 2, True), (0.0, True), (-0.01, False)])
def test_directions_that_do_not_gain_are_the_last_and_worse_ones_are_taken_back(regressions, gain, is_kept):
    search = begin(make_search())
    before = search._candidates
    Candidates.gain = gain
    search._refine_on_sample(FOREVER)
    assert len(regressions) == 1
    assert (search._candidates is not before) == is_kept


def test_directions_are_renewed_on_all_rows_while_they_gain(regressions):
    search, events = begin(make_search()), []
    search._improve_on_all(FOREVER, events.append)
    assert regressions == [(True, np.inf)] * 2
    assert Candidates.n_improved == 3
    assert [event.objective for event in events] == pytest.approx([0.98, 0.97, 0.96])
    assert search.objective == events[-1].objective and search.best == STUMP


def test_what_gains_nothing_on_all_rows_is_the_last(regressions):
    search = begin(make_search())
    search.objective, Candidates.gain = Candidates.objective + MIN_GAIN / 2, 0.0
    search._improve_on_all(FOREVER, ignore)
    assert (regressions, Candidates.n_improved) == ([], 1)


def test_tables_of_very_many_columns_have_no_regressions(regressions):
    assert not make_search(n_features=300)._is_wide
    assert make_search(n_features=301)._is_wide


def test_each_pair_of_the_four_heaviest_classes_has_a_regression(monkeypatch):
    pairs = []
    monkeypatch.setattr(HyperplaneSearch, "_fit_pair", lambda own, pair, budget: pairs.append(pair))
    assert make_search(totals=(5.0, 1.0, 4.0, 2.0, 3.0))._fit_classes(FOREVER) == []
    assert pairs == [(0, 2), (0, 3), (0, 4), (2, 3), (2, 4), (3, 4)]
    assert make_search(n_features=301)._fit_classes(FOREVER) == [] and len(pairs) == 6


@pytest.mark.parametrize(
    ("n_features", "n_rows", "count"),
    [(10, 1_000_000, 10_000), (100, 1_000_000, 2_000), (500, 1_000_000, 1_000), (100, 1500, 1500)],
)
def test_hyperplanes_are_searched_on_even_samples_of_so_many_values(n_features, n_rows, count):
    rows = make_search(n_features, n_rows)._sample_rows
    assert rows.size == count
    assert (rows[0], rows[-1]) == (0, n_rows - 1) and np.ptp(np.diff(rows)) <= 1


def test_a_step_on_all_rows_needs_time_for_its_products_and_a_pass(clock):
    search = make_search(n_features=90, n_rows=1_000_000)
    seconds = 2 * (3e-10 * 1_000_000 * 2 * 100**2 + 0.5)
    assert search._has_time_for_step(Budget.of(1.001 * seconds))
    assert not search._has_time_for_step(Budget.of(0.999 * seconds))


def test_shares_of_the_time_go_to_regressions_candidates_and_a_search(regressions, monkeypatch, clock):
    given = {}

    def note(name):
        return lambda own, budget: given.setdefault(name, budget.remaining()) and []

    monkeypatch.setattr(HyperplaneSearch, "_fit_classes", note("regressions"))
    monkeypatch.setattr(HyperplaneSearch, "_search_sample", note("search"))
    search = make_search()
    search.run(STUMP, Budget.of(10.0), ignore)
    assert given == {"regressions": pytest.approx(2.0), "search": pytest.approx(4.0)}
    assert Candidates.runs == (pytest.approx(4.0),)
    assert search.iterations == 5
