import csv
import hashlib
import io
from pathlib import Path
from statistics import fmean

import pytest
from rich.console import Console
from scipy.stats import wilcoxon

from oddlearn.datasets import CATALOGUE
from oddlearn.study import paper_results
from oddlearn.study.calibration import calibrate, find_step_one_objectives
from oddlearn.study.paper_results import ALPHAS, GRID_ROWS, MIN_FLOW_SHARES, SPLITS
from oddlearn.study.tables import Table, build_tables
from oddlearn.study.tables.accuracy_tables import (
    build_accuracy_table,
    build_significance_table,
    compute_p_value,
)
from oddlearn.study.tables.choice_tables import build_monks_table, build_stability_table, build_tuning_table
from oddlearn.study.tables.proof_tables import (
    build_performance_table,
    build_proofs_table,
    count_runs,
    skeleton_name,
)
from oddlearn.study.tables.run_tables import build_coverage_table, build_long_table
from tests.stored_texts import compare_text
from tests.study.examples import chance_grid, result

NAMES = [entry.name for entry in CATALOGUE]

# two of the selected data sets and one that is not
DATASETS = ("monks2", "parkinsons", "iris")


@pytest.fixture(scope="module")
def grid():
    return chance_grid(DATASETS, kept=0.9)


def rows_of(table, *words):
    """Return the rows that begin with some words, as mappings from the header."""
    found = [row for row in table.rows if row[: len(words)] == words]
    return [dict(zip(table.header, row, strict=True)) for row in found]


def row_of(table, *words):
    (row,) = rows_of(table, *words)
    return row


def test_the_papers_numbers_give_its_totals():
    counts = paper_results.read_proof_counts().values()
    assert (sum(proved for proved, _ in counts), sum(map(sum, counts))) == (4356, 7776)
    assert sum(paper_results.read_tuning_counts().values()) == 216
    assert [len(curve) for curve in paper_results.read_sorted_accuracy().values()] == [90, 90]
    averages = {("ODT", "multivariate"): 0.799, ("ODT", "univariate"): 0.795}
    averages |= {("ODD", "multivariate"): 0.809, ("ODD", "univariate"): 0.799}
    for (model, split), average in averages.items():
        column = [paper_results.read_accuracy()[name, model, split] for name in NAMES]
        assert round(fmean(column), 3) == average
    curve = paper_results.read_sorted_accuracy()["ODD"]
    selected = [paper_results.read_accuracy()[name, "ODD", "multivariate"] for name in paper_results.SELECTED]
    assert fmean(curve) == pytest.approx(fmean(selected), abs=5e-4)


def test_the_papers_data_sets_are_those_of_the_catalogue():
    assert sorted({name for name, _, _ in paper_results.read_accuracy()}) == NAMES
    assert {entry.name for entry in CATALOGUE if entry.is_selected} == paper_results.SELECTED
    assert len(paper_results.SELECTED) == 18
    # name, samples, features, classes and selection of all 54, as the paper prints them
    sizes = [(one.name, one.n, one.d, one.classes, int(one.is_selected)) for one in CATALOGUE]
    text = "\n".join(",".join(map(str, size)) for size in sizes)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "d1919d85c4401c2d"


def test_proved_and_improved_agree_with_a_slow_count(grid):
    steps = chance_grid(DATASETS, seed=1, kept=0.8, method="construct", seconds=0.1, is_optimal=False)
    table = build_performance_table(grid + steps)
    for skeleton, model in GRID_ROWS:
        name = skeleton_name(skeleton, model)
        counts = {count: row_of(table, count, name, "ours") for count in ("proved", "improved", "either")}
        either = compared = 0
        for alpha in ALPHAS:
            proved = runs = improved = beside = 0
            for one in grid:
                trial, outcome = one.trial, one.outcome
                if (trial.skeleton, trial.model, trial.alpha) != (skeleton, model, alpha):
                    continue
                runs += 1
                proved += outcome.is_optimal
                start = [other for other in steps if is_same_task(trial, other.trial)]
                if start:
                    below = outcome.objective < start[0].outcome.objective
                    beside += 1
                    improved += below and not outcome.is_optimal
                    either += below or outcome.is_optimal
            compared += beside
            assert counts["proved"][f"alpha {alpha:g}"] == f"{proved}/{runs}"
            assert counts["improved"][f"alpha {alpha:g}"] == f"{improved}/{beside}"
        assert counts["either"]["all"] == f"{either}/{compared}"


def is_same_task(trial, other):
    names = ("dataset", "seed", "skeleton", "is_tree", "alpha", "split")
    return all(getattr(trial, name) == getattr(other, name) for name in names)


def test_without_step_one_nothing_is_called_improved(grid):
    table = build_performance_table(grid)
    assert row_of(table, "improved", "all", "ours")["alpha 0.1"] == "-"
    assert row_of(table, "either", "share", "ours")["all"] == "-"
    assert any("Step 1 alone has not run" in note for note in table.notes)


def test_a_run_worse_than_step_one_is_told_of():
    steps = [result(seed=seed, method="construct", seconds=0.1, objective=0.2) for seed in (1, 2, 3)]
    ours = [result(seed=seed, objective=value) for seed, value in [(1, 0.1), (2, 0.2 + 1e-12), (3, 0.3)]]
    notes = " ".join(build_performance_table(steps + ours).notes)
    assert "1 of 3 runs are below its objective (33.3 %), 1 equal, 1 above" in notes


def test_a_whole_grid_is_counted_as_the_paper_counts():
    # every second data set is proved, so that all counts are known: 27 x 5 x 2 of 540
    whole = chance_grid(NAMES, seeds=(1, 2, 3, 4, 5), is_optimal=False)
    proved = set(NAMES[::2])
    whole = [
        result(**vars(one.trial), is_optimal=one.trial.dataset in proved, solver="branch_and_bound")
        for one in whole
    ]
    table = build_performance_table(whole)
    assert row_of(table, "proved", "IV", "ours")["alpha 0.5"] == "270"
    assert row_of(table, "proved", "all", "ours")["alpha 0.5"] == "1350"
    assert row_of(table, "proved", "share", "ours")["all"] == "50.0 %"
    assert row_of(table, "proved", "IV", "paper")["alpha 0.5"] == "178"
    assert row_of(table, "either", "IV", "paper")["all"] == "1655"
    assert row_of(table, "either", "all", "paper")["all"] == "7776"
    assert any("6750 of 13500 runs, 50.0 %; the paper 4356 of 13500, 32.3 %" in note for note in table.notes)
    assert not any("have finished" in note for note in table.notes)


def test_proofs_by_kind_of_split_agree_with_a_slow_count(grid):
    table = build_proofs_table(grid)
    for split in SPLITS:
        ran = [one for one in grid if one.trial.split == split and one.trial.is_tree]
        proved = [one for one in ran if one.outcome.is_optimal]
        row = row_of(table, split, "ODT")
        assert (row["runs"], row["all"]) == (str(len(ran)), f"{100 * len(proved) / len(ran):.1f} %")
    count = sum(one.outcome.solver == "branch_and_bound" for one in grid)
    assert f"branch and bound {count}" in table.notes[0]


def test_tuning_counts_every_choice_once(grid):
    table = build_tuning_table(grid)
    choices = calibrate(grid)
    for skeleton, model in GRID_ROWS:
        row = row_of(table, skeleton, model, "ours")
        mine = [choice for choice in choices if (choice.skeleton, choice.model) == (skeleton, model)]
        for alpha in ALPHAS:
            assert row[f"alpha {alpha:g}"] == str(sum(choice.alpha == alpha for choice in mine))
    assert row_of(table, "all", "both", "ours")["all"] == str(len(choices)) == "12"
    assert row_of(table, "1-2-4-8", "ODT", "paper")["alpha 0.01"] == "37"
    assert "12 of 216" in table.notes[-1]


def test_step_one_counts_with_the_time_that_most_of_its_trials_had():
    own = [result("iris", objective=0.2, is_optimal=False), result("wine", objective=0.2, is_optimal=False)]
    step = {"method": "construct", "seconds": 0.05}
    starts = [result("iris", objective=0.3, **step), result("wine", objective=0.3, **step)]
    longer = result("iris", objective=0.1, method="construct", seconds=0.5)
    assert set(find_step_one_objectives([*own, *starts, longer]).values()) == {0.3}
    assert sum(tally["improved"] for tally in count_runs([*own, *starts, longer]).values()) == 2


def test_accuracies_are_means_over_seeds_then_data_sets(grid):
    table = build_accuracy_table(grid)
    tests = {
        choice.dataset: fmean(one.outcome.test for one in choice.results)
        for choice in calibrate(grid)
        if (choice.model, choice.split) == ("ODD", "univariate")
    }
    for name, value in tests.items():
        row = row_of(table, name)
        assert row["ODD uni ours"] == f"{value:.3f}"
        assert row["ODD uni paper"] == f"{paper_results.read_accuracy()[name, 'ODD', 'univariate']:.3f}"
    assert row_of(table, "mean of 3")["ODD uni ours"] == f"{fmean(tests.values()):.3f}"
    both = fmean([tests["monks2"], tests["parkinsons"]])
    assert row_of(table, "mean of 2 selected")["ODD uni ours"] == f"{both:.3f}"


def test_means_are_over_the_same_data_sets_for_the_paper():
    table = build_accuracy_table([result("iris", test=0.5)])
    row = row_of(table, "mean of 1")
    assert (row["ODD uni ours"], row["ODD uni paper"]) == ("0.500", "0.958")
    assert row["ODT uni ours"] == row["ODT uni paper"] == "-"
    assert "ODT univariate 0" in table.notes[1]
    assert "1 of 1" in table.notes[2]


def test_signed_rank_is_scipys_without_the_ties():
    differences = [0.01, -0.02, 0.03, 0.04, 0.0, 0.05, 1e-14, 0.07]
    assert compute_p_value(differences) == wilcoxon([0.01, -0.02, 0.03, 0.04, 0.05, 0.07]).pvalue
    assert compute_p_value([0.0, 1e-14]) is compute_p_value([]) is None


def test_comparisons_count_higher_and_lower(grid):
    table = build_significance_table(grid)
    tests = {choice.subject: choice for choice in calibrate(grid)}
    for split, short in zip(SPLITS, ("multi", "uni"), strict=True):
        differences = [
            round(tests[name, split, "ODD"].test - tests[name, split, "ODT"].test, 9) for name in DATASETS
        ]
        row = rows_of(table, "ODD - ODT, ours", short)[0]
        assert (row["data sets"], row["mean difference"]) == ("3 of 54", f"{fmean(differences):+.4f}")
        assert row["higher"] == str(sum(value > 0 for value in differences))
        assert row["lower"] == str(sum(value < 0 for value in differences))
        for model in ("ODD", "ODT"):
            printed = paper_results.read_accuracy()
            differences = [tests[name, split, model].test - printed[name, model, split] for name in DATASETS]
            row = rows_of(table, f"{model}, ours - paper", short)[0]
            assert (row["data sets"], row["mean difference"]) == ("3 of 54", f"{fmean(differences):+.4f}")
    all_54, only_18 = rows_of(table, "ODD - ODT, paper", "multi")
    assert (all_54["p of data sets"], only_18["p of data sets"]) == ("0.0045", "0.0031")


def test_more_time_is_compared_run_by_run():
    short = [result(seed=seed, objective=0.2) for seed in (1, 2, 3, 4)]
    long = [
        result(seed=seed, seconds=60.0, objective=objective, is_optimal=seed == 1)
        for seed, objective in [(1, 0.1), (2, 0.2), (3, 0.3)]
    ]
    row = row_of(build_long_table(short + long), "both", "60")
    assert (row["runs"], row["better"], row["equal"], row["worse"]) == ("3", "1", "1", "1")
    assert (row["proved, short"], row["proved, long"]) == ("0.0 %", "33.3 %")
    assert (row["mean objective, short"], row["mean objective, long"]) == ("0.2000", "0.2000")


def test_stability_is_of_chosen_parameters_and_of_runs_with_all_shares():
    free = [result("parkinsons", seed, test=0.8) for seed in (1, 2)]
    wanted = [
        result("parkinsons", seed, stability=share, test=test)
        for share, test in zip(MIN_FLOW_SHARES, (0.8, 0.7, 0.6, 0.5), strict=True)
        for seed in (1, 2)
        if (seed, share) != (2, 0.2)
    ]
    other = [result("parkinsons", stability=share, alpha=0.5, test=0.1) for share in MIN_FLOW_SHARES]
    unselected = [result("iris"), *(result("iris", stability=share, test=0.1) for share in MIN_FLOW_SHARES)]
    table = build_stability_table(free + wanted + other + unselected)
    row = row_of(table, "univariate", "ours")
    assert list(row.values())[2:] == ["0.800", "0.800", "0.700", "0.600", "0.500", "1"]
    paper = row_of(table, "univariate", "paper")
    assert (paper["no minimum"], paper["S = 0.05n"]) == ("0.857", "0.840")
    assert "90 runs" in table.notes[-1]


def test_monks_are_shown_only_with_corrected_trials():
    assert build_monks_table([result("monks1")]) is None
    table = build_monks_table([result("monks1"), result("monks1", target="corrected", test=0.99, n_nodes=5)])
    assert table.rows == (("monks1", "ODD", "univariate", "0.476", "0.700", "0.990", "5.0"),)


def test_what_ran_is_listed_sort_by_sort(grid):
    long = [result(seconds=60.0, fit_seconds=3600.0)]
    table = build_coverage_table(
        [*grid, *long, result(method="construct", seconds=0.1), result(stability=0.1)]
    )
    assert sum(int(row["multi"]) for row in rows_of(table, "grid", "1")) == sum(
        one.trial.split == "multivariate" for one in grid
    )
    assert row_of(table, "grid", "60")["hours"] == "1.00"
    assert row_of(table, "step 1 alone", "0.1")["uni"] == "1"
    assert row_of(table, "grid, nodes with 10 % or more", "1")["seeds"] == "1"


@pytest.fixture
def made_up_paper(monkeypatch):
    """Replace the paper's numbers by others: none of them is to be stored."""
    for module, name, values in (
        ("proof_tables", "read_proof_counts", lambda place: (2 * place + 1, place + 5)),
        ("choice_tables", "read_tuning_counts", lambda place: place + 3),
        ("choice_tables", "read_stability", lambda place: 0.5 + place / 100),
        ("accuracy_tables", "read_accuracy", lambda place: 0.5 + (7 * place % 31) / 100),
        ("choice_tables", "read_accuracy", lambda place: 0.5 + (7 * place % 31) / 100),
    ):
        fake = {key: values(place) for place, key in enumerate(getattr(paper_results, name)())}
        monkeypatch.setattr(f"oddlearn.study.tables.{module}.{name}", lambda fake=fake: fake)


def test_tables_say_what_they_said(grid, made_up_paper):
    results = [
        *grid,
        *(result(seed=seed, seconds=60.0, fit_seconds=3600.0, is_optimal=seed == 2) for seed in (1, 2)),
        *chance_grid(["iris", "wine"], seeds=(1,), seed=1, method="construct", seconds=0.1),
        *(result(model, stability=0.1) for model in ("iris", "wine")),
        result("monks1"),
        result("monks1", target="corrected", test=0.99, n_nodes=5),
        result("wine", scaling="all"),
    ]
    for name, given in (("tables", results), ("no_tables", [])):
        texts = [f"{table.name}\n{table.markdown()}" for table in build_tables(given)]
        compare_text(Path(__file__).with_name(f"{name}.txt"), "\n\n".join(texts))


def test_a_table_without_trials_says_so_in_a_sentence():
    tables = build_tables([])
    assert [table.name for table in tables].count("monks") == 0
    for table in tables:
        assert table.rows == ()
        assert len(table.notes) == 1 and table.notes[0].endswith(".")
        assert table.notes[0] in table.markdown()


@pytest.mark.parametrize("given", [{}, {"is_tree": True}, {"method": "construct"}, {"stability": 0.1}])
def test_one_trial_of_any_sort_breaks_no_table(given):
    for table in build_tables([result("monks2", **given)]):
        assert all(len(row) == len(table.header) for row in table.rows)
        assert table.notes


def test_a_table_is_written_in_three_ways():
    table = Table("name", "A title", ("what", "many"), (("a|b", "1"), ("c, d", "-")), ("A note.",))
    lines = table.markdown().splitlines()
    assert lines[2:6] == ["| what | many |", "| --- | ---: |", r"| a\|b | 1 |", "| c, d | - |"]
    assert (lines[0], lines[-1]) == ("### A title", "A note.")
    assert list(csv.reader(io.StringIO(table.csv()))) == [["what", "many"], ["a|b", "1"], ["c, d", "-"]]
    assert "a|b" in shown(table, 60)
    counts = Table("name", "A title", ("what", "many"), (("a", "1"), ("b", "200")), ())
    lines = [line.rstrip() for line in shown(counts, 60).splitlines()]
    assert [line for line in lines if line.endswith(("1", "200"))] == [" a       1", " b     200"]


def shown(table, width):
    console = Console(file=io.StringIO(), width=width)
    console.print(table.rich())
    return console.file.getvalue()


def test_every_table_of_numbers_fits_into_eighty_columns(grid):
    for table in build_tables(grid)[1:]:
        text = shown(table, 80)
        assert "…" not in text
        assert all(cell in text for row in table.rows for cell in row)
