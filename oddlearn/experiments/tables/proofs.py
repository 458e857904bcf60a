"""Shares of runs proved by kind of split, which Table 1 adds up, and the bounds that proved them."""

from __future__ import annotations

from collections import Counter, defaultdict

from oddlearn.experiments.printed import ALPHAS, MODELS, SPLITS
from oddlearn.experiments.selection import Results, main_results
from oddlearn.experiments.tables.table import Table, share_text
from oddlearn.experiments.trial import Result

TITLE = "Runs proved, by kind of split"
HEADER = ("split", "model", *(f"alpha {alpha:g}" for alpha in ALPHAS), "all", "runs")


def proofs_table(results: Results) -> Table:
    """Return our share of runs proved per kind of split, model and alpha; the paper does not print it."""
    main = main_results(results)
    if not main:
        return Table("proofs", TITLE, HEADER, (), ("No trial of the grid has run yet.",))
    groups: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for one in main:
        groups[one.trial.split, one.trial.model].append(one)
    wanted = [(split, model) for split in SPLITS for model in MODELS if groups[split, model]]
    rows = [(split, model, *_shares(groups[split, model])) for split, model in wanted]
    rows.append(("both", "both", *_shares(main)))
    return Table("proofs", TITLE, HEADER, tuple(rows), (_provers(main),))


def _shares(ran: list[Result]) -> list[str]:
    shares = []
    for alpha in ALPHAS:
        proved = [one.outcome.is_optimal for one in ran if one.trial.alpha == alpha]
        shares.append(share_text(sum(proved), len(proved)))
    return [*shares, share_text(sum(one.outcome.is_optimal for one in ran), len(ran)), str(len(ran))]


def _provers(main: list[Result]) -> str:
    counts = Counter(one.outcome.prover for one in main if one.outcome.is_optimal)
    if not counts:
        return "No run is proved."
    named = ", ".join(f"{prover} {count}" for prover, count in counts.most_common())
    return f"Proved runs by the bound that closed the gap: {named}."
