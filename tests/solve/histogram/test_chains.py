"""The order in which samples are searched: chains, and when they end."""

import pytest

from oddlearn.diagram.diagram import DecisionDiagram
from oddlearn.solve.histogram import candidates
from oddlearn.solve.histogram.candidates import Candidate, CandidateSearch
from oddlearn.solve.histogram.sample_draws import SampleDraws
from tests.solve.histogram.raw_tables import FOREVER, raw_problem

CONSTANT = DecisionDiagram.constant(0, 2, 3)
SCALES = (1, 2, 4, 8)


def test_samples_of_all_sizes_are_searched_in_turn_and_listed_before():
    draws = SampleDraws(1_000_000, 20, 0)
    searched = [draws.draw_searched(number, scale) for scale in SCALES for number in range(40)]
    listed = draws.list_searched(20)
    assert {rows.tobytes() for rows in searched} == {rows.tobytes() for rows in listed}
    assert sorted({round(rows.size, -2) for rows in searched}) == [2_500, 5_000, 10_000, 20_000]
    assert len(listed) == 16 + 8 + 4 + 2
    assert len(draws.list_searched(1_000)) < 30  # no more than may be kept


@pytest.mark.parametrize(("gains", "n_rounds"), [((), 8), ((0,), 9), ((5, 6), 15)])
def test_a_chain_goes_on_until_no_size_of_samples_gains(gains, n_rounds, monkeypatch):
    monkeypatch.setattr(candidates, "ROUNDS_PER_SCALE", 2)
    search, scales = CandidateSearch(raw_problem(1), 0, 1), []

    def search_one(start, scale, work, budget):
        scales.append(scale)
        return [Candidate(0.5 - 0.01 * sum(gain < len(scales) for gain in gains), CONSTANT)]

    monkeypatch.setattr(search, "_search", search_one)
    end = search._improve_in_chain(Candidate(0.5, CONSTANT), FOREVER)
    assert end.objective == pytest.approx(0.5 - 0.01 * len(gains))
    assert len(scales) == n_rounds and scales[-8:] == [1, 1, 2, 2, 4, 4, 8, 8]


ALIKE, TOO_MANY = [0.4, 0.35, 0.3, 0.35, 0.30001], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]


@pytest.mark.parametrize(("ends", "n_chains"), [([0.3, 0.3], 2), (ALIKE, 5), (TOO_MANY, 6)])
def test_a_search_ends_when_two_chains_end_alike_or_there_were_enough(ends, n_chains, monkeypatch):
    search, run = CandidateSearch(raw_problem(1), 0, 1), []

    def improve(present, budget):
        end = Candidate(ends[len(run)], CONSTANT)
        run.append(end)
        search.found = sorted([*search.found, end], key=lambda one: one.sort_key)
        return end

    search.found = [Candidate(1.0, CONSTANT)]
    monkeypatch.setattr(search, "_search_from_nothing", lambda budget: search.found[-1:])
    monkeypatch.setattr(search, "_improve_in_chain", improve)
    search.run(None, FOREVER)
    assert len(run) == n_chains
