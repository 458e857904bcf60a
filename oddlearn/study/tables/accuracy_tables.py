"""Test accuracy of trees and diagrams, data set by data set, and signed-rank tests of their differences."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from oddlearn.datasets import CATALOGUE
from oddlearn.study.calibration import Results, Subject, TunedModel, calibrate, mean
from oddlearn.study.paper_results import MODELS, PAPER_P_VALUES, SEEDS, SELECTED, SPLITS, read_accuracy
from oddlearn.study.tables.report_table import MISSING, SHORT_SPLITS, Table, number_text

ACCURACY_TITLE = "Test accuracy of trees (ODT) and diagrams (ODD), tuned on the validation rows"

# pairs of model and kind of split, in the order of the paper's columns
COLUMN_PAIRS = tuple((model, split) for model in MODELS for split in SPLITS)
ACCURACY_HEADER = (
    "data set",
    *(
        f"{model} {SHORT_SPLITS[split]} {source}"
        for model, split in COLUMN_PAIRS
        for source in ("ours", "paper")
    ),
)

SIGNIFICANCE_TITLE = "Wilcoxon's signed-rank test of test accuracies"
SIGNIFICANCE_HEADER = (
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
SIGNIFICANCE_NOTES = (
    "Two-sided, equal pairs left out. Pairs are the means of the data sets, or in the last column single "
    "runs (data set and seed), which are not independent of each other.",
    f"The paper prints p = {PAPER_P_VALUES[54]} (54 data sets) and {PAPER_P_VALUES[18]} (18) for ODD against "
    "ODT with multivariate splits. Its printed means give the larger values shown here, so its pairs were "
    "probably runs.",
)

DIFFERENCE_DIGITS = 9  # decimals of a difference of means: smaller differences are ties


def build_accuracy_table(results: Results) -> Table:
    """Return the mean test accuracy of every data set, ours beside the paper's, and the overall means."""
    tuned_models = calibrate(results)
    if not tuned_models:
        return Table("accuracy", ACCURACY_TITLE, ACCURACY_HEADER)
    ours = {tuned.subject: tuned.test for tuned in tuned_models}
    names = sorted({tuned.dataset for tuned in tuned_models})
    rows = [_accuracy_row(name, ours, [name]) for name in names]
    selected = [name for name in names if name in SELECTED]
    rows.append(_accuracy_row(f"mean of {len(names)}", ours, names))
    if selected:
        rows.append(_accuracy_row(f"mean of {len(selected)} selected", ours, selected))
    notes = tuple(_accuracy_notes(tuned_models))
    return Table("accuracy", ACCURACY_TITLE, ACCURACY_HEADER, tuple(rows), notes)


def compute_means(
    ours: Mapping[Subject, float], names: Collection[str], model: str, split: str
) -> tuple[float, float] | None:
    """Return our mean and the paper's over the named data sets with results; None if there are none."""
    ran = [name for name in names if (name, split, model) in ours]
    if not ran:
        return None
    paper = mean([read_accuracy()[name, model, split] for name in ran])
    return mean([ours[name, split, model] for name in ran]), paper


def _accuracy_row(label: str, ours: Mapping[Subject, float], names: Collection[str]) -> tuple[str, ...]:
    pairs = [compute_means(ours, names, model, split) or (None, None) for model, split in COLUMN_PAIRS]
    return (label, *(number_text(value) for pair in pairs for value in pair))


def _accuracy_notes(tuned_models: Sequence[TunedModel]) -> list[str]:
    notes = ["Means over the seeds; trained on the training half alone, as in the paper."]
    ran = {pair: sum((one.model, one.split) == pair for one in tuned_models) for pair in COLUMN_PAIRS}
    short = [f"{model} {split} {count}" for (model, split), count in ran.items() if count < len(CATALOGUE)]
    if short:
        notes.append(
            f"Data sets with results, of {len(CATALOGUE)}: {', '.join(short)}. Means, including the paper's, "
            "are over these."
        )
    few = sum(len(tuned.results) < len(SEEDS) for tuned in tuned_models)
    if few:
        notes.append(
            f"{few} of {len(tuned_models)} of our accuracies are means of fewer than {len(SEEDS)} seeds."
        )
    return notes


def build_significance_table(results: Results) -> Table:
    """Return every comparison over all data sets and over the selected ones."""
    tuned = {one.subject: one for one in calibrate(results)}
    if not tuned:
        return Table("significance", SIGNIFICANCE_TITLE, SIGNIFICANCE_HEADER)
    ours = {subject: one.test for subject, one in tuned.items()}
    paper = {(name, split, model): value for (name, model, split), value in read_accuracy().items()}
    rows = []
    for split in SPLITS:
        for names in (frozenset(entry.name for entry in CATALOGUE), SELECTED):
            p_of_runs = compute_p_value(_subtract_runs(tuned, split, names))
            differences = _subtract_models(ours, split, names)
            rows.append(_significance_row("ODD - ODT, ours", split, names, differences, p_of_runs))
            differences = _subtract_models(paper, split, names)
            rows.append(_significance_row("ODD - ODT, paper", split, names, differences))
            for model in MODELS:
                differences = _subtract_sources(ours, paper, split, model, names)
                rows.append(_significance_row(f"{model}, ours - paper", split, names, differences))
    return Table("significance", SIGNIFICANCE_TITLE, SIGNIFICANCE_HEADER, tuple(rows), SIGNIFICANCE_NOTES)


def compute_p_value(differences: Sequence[float]) -> float | None:
    """Return the two-sided p-value of Wilcoxon's signed-rank test; None if all differences are 0."""
    from scipy.stats import wilcoxon

    rounded = [round(difference, DIFFERENCE_DIGITS) for difference in differences]
    if not any(rounded):
        return None
    return float(wilcoxon([one for one in rounded if one]).pvalue)


def _subtract_models(values: Mapping[Subject, float], split: str, names: Collection[str]) -> list[float]:
    """Return ODD minus ODT for the named data sets that have both."""
    return [
        values[name, split, "ODD"] - values[name, split, "ODT"]
        for name in sorted(names)
        if (name, split, "ODD") in values and (name, split, "ODT") in values
    ]


def _subtract_sources(
    ours: Mapping[Subject, float],
    paper: Mapping[Subject, float],
    split: str,
    model: str,
    names: Collection[str],
) -> list[float]:
    subjects = [(name, split, model) for name in sorted(names)]
    return [ours[subject] - paper[subject] for subject in subjects if subject in ours]


def _subtract_runs(tuned: Mapping[Subject, TunedModel], split: str, names: Collection[str]) -> list[float]:
    """Return ODD minus ODT run by run."""
    differences = []
    for name in sorted(names):
        odd, odt = (_test_by_seed(tuned.get((name, split, model))) for model in ("ODD", "ODT"))
        differences += [odd[seed] - odt[seed] for seed in sorted(odd.keys() & odt.keys())]
    return differences


def _test_by_seed(tuned: TunedModel | None) -> dict[int, float]:
    return {one.trial.seed: one.outcome.test for one in tuned.results} if tuned else {}


def _significance_row(
    comparison: str,
    split: str,
    names: Collection[str],
    differences: Sequence[float],
    p_of_runs: float | None = None,
) -> tuple[str, ...]:
    rounded = [round(difference, DIFFERENCE_DIGITS) for difference in differences]
    signs = [sum(map(test, rounded)) for test in (lambda x: x > 0, lambda x: x == 0, lambda x: x < 0)]
    mean_text = f"{mean(rounded):+.4f}" if rounded else MISSING
    numbers = (mean_text, *map(str, signs), _p_text(compute_p_value(rounded)), _p_text(p_of_runs))
    return (comparison, SHORT_SPLITS[split], f"{len(rounded)} of {len(names)}", *numbers)


def _p_text(p: float | None) -> str:
    return number_text(p) if p is None or p >= 0.01 else f"{p:.2g}"
