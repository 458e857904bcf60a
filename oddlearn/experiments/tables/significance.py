"""Signed-rank tests: diagrams against trees, and ours against the paper's."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from oddlearn.experiments.calibration import Choice, Subject, calibrated, mean
from oddlearn.experiments.printed import MODELS, PRINTED_P, SPLITS, accuracy, selected, sizes
from oddlearn.experiments.selection import Results
from oddlearn.experiments.tables.table import MISSING, SHORT, Table, number_text

TITLE = "Wilcoxon's signed-rank test of test accuracies"
HEADER = (
    "comparison",
    "split",
    "data sets",
    "mean difference",
    "higher",
    "equal",
    "lower",
    "p of data sets",
    "p of runs",
)
NOTES = (
    "Two-sided, equal pairs left out. Pairs are the means of the data sets, or in the last column single "
    "runs (data set and seed), which are not independent of each other.",
    f"The paper prints p = {PRINTED_P[54]} (54 data sets) and {PRINTED_P[18]} (18) for ODD against ODT with "
    "multivariate splits. Its printed means give the larger values shown here, so its pairs were probably "
    "runs.",
)

# differences of means are exact up to rounding: smaller ones are ties
DIGITS = 9


def significance_table(results: Results) -> Table:
    """Return every comparison over all data sets and over the selected ones."""
    choices = {choice.subject: choice for choice in calibrated(results)}
    if not choices:
        return Table("significance", TITLE, HEADER, (), ("No trial of the grid has run yet.",))
    ours = {subject: choice.test for subject, choice in choices.items()}
    paper = {(name, split, model): value for (name, model, split), value in accuracy().items()}
    rows = []
    for split in SPLITS:
        for group in (frozenset(sizes()), selected()):
            runs = signed_rank(_runs(choices, split, group))
            rows.append(_row("ODD - ODT, ours", split, group, _models(ours, split, group), runs))
            rows.append(_row("ODD - ODT, paper", split, group, _models(paper, split, group)))
            for model in MODELS:
                differences = _sources(ours, paper, split, model, group)
                rows.append(_row(f"{model}, ours - paper", split, group, differences))
    return Table("significance", TITLE, HEADER, tuple(rows), NOTES)


def signed_rank(differences: Sequence[float]) -> float | None:
    """Return the p-value that the differences are symmetric around 0; None when all are 0."""
    from scipy.stats import wilcoxon

    rounded = [round(difference, DIGITS) for difference in differences]
    if not any(rounded):
        return None
    return float(wilcoxon([one for one in rounded if one]).pvalue)


def _models(values: Mapping[Subject, float], split: str, group: Collection[str]) -> list[float]:
    """Return ODD minus ODT for the data sets of a group that have both."""
    return [
        values[name, split, "ODD"] - values[name, split, "ODT"]
        for name in sorted(group)
        if (name, split, "ODD") in values and (name, split, "ODT") in values
    ]


def _sources(
    ours: Mapping[Subject, float],
    paper: Mapping[Subject, float],
    split: str,
    model: str,
    group: Collection[str],
) -> list[float]:
    wanted = [(name, split, model) for name in sorted(group)]
    return [ours[subject] - paper[subject] for subject in wanted if subject in ours]


def _runs(choices: Mapping[Subject, Choice], split: str, group: Collection[str]) -> list[float]:
    """Return ODD minus ODT run by run."""
    differences = []
    for name in sorted(group):
        by_model = [_by_seed(choices.get((name, split, model))) for model in ("ODD", "ODT")]
        seeds = sorted(by_model[0].keys() & by_model[1].keys())
        differences += [by_model[0][seed] - by_model[1][seed] for seed in seeds]
    return differences


def _by_seed(choice: Choice | None) -> dict[int, float]:
    return {one.trial.seed: one.outcome.test for one in choice.results} if choice else {}


def _row(
    comparison: str,
    split: str,
    group: Collection[str],
    pairs: Sequence[float],
    p_of_runs: float | None = None,
) -> tuple[str, ...]:
    rounded = [round(pair, DIGITS) for pair in pairs]
    signs = [sum(map(test, rounded)) for test in (lambda x: x > 0, lambda x: x == 0, lambda x: x < 0)]
    difference = f"{mean(rounded):+.4f}" if rounded else MISSING
    numbers = (difference, *map(str, signs), _p_text(signed_rank(rounded)), _p_text(p_of_runs))
    return (comparison, SHORT[split], f"{len(rounded)} of {len(group)}", *numbers)


def _p_text(p: float | None) -> str:
    return number_text(p) if p is None or p >= 0.01 else f"{p:.2g}"
