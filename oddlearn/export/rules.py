"""A diagram as if-then rules: one per final arc, and every sample satisfies exactly one of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from oddlearn.diagram.arrays import BoolArray
from oddlearn.diagram.features import Label
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.export.rule_paths import Clause, Path, build_clauses, paths_to_arcs
from oddlearn.table.column_table import rows_to_frame
from oddlearn.view.conditions import OR_MISSING
from oddlearn.view.inputs import ModelView, check_count, model_view
from oddlearn.view.number_text import count_text, one_line, share_text
from oddlearn.view.rounding import round_splits

INDENT = "      "


@dataclass(frozen=True)
class Rule:
    """The conditions of a final arc, and the training samples that take it.

    Attributes
    ----------
    arc : int
        ``2 * node + side``, as ``apply`` returns it.
    label : str, int, float or bool
        The class it predicts.
    paths : tuple of tuple of Clause
        The rule applies when all clauses of one path hold; several paths meet at shared nodes.
    support : float
        Number or weight of the training samples it applies to.
    share : float
        Support as a share of all samples; nan without training weights.
    counts : mapping of label to float
        Support of each class.
    probability : float
        Probability of the class it predicts, as ``predict_proba`` gives it.
    is_weighted : bool
        True when support and counts are sums of weights, not numbers of samples.
    """

    arc: int
    label: Label
    paths: tuple[tuple[Clause, ...], ...]
    support: float
    share: float
    counts: Mapping[Label, float]
    probability: float
    is_weighted: bool = False

    @property
    def condition(self) -> str:
        """The condition of the rule in one line."""
        common, ways = self._common_and_rest()
        if not ways:
            return common
        either = " or ".join(f"({way})" for way in ways)
        return f"{_as_part(common)} and ({either})" if common else either

    def covers(self, rows: ArrayLike) -> BoolArray:
        """Return True for each row the rule applies to; rows are as the diagram reads them, all numbers."""
        X: NDArray[np.floating] = np.asarray(rows, dtype=np.float64)
        covered = np.zeros(X.shape[0], dtype=bool)
        for path in self.paths:
            covered |= np.logical_and.reduce([np.ones(len(X), dtype=bool), *(c.holds(X) for c in path)])
        return covered

    def __str__(self) -> str:
        support = "" if math.isnan(self.share) else f"  ({self._numbers_text()})"
        end = f"then {one_line(str(self.label))}{support}"
        if self.paths == ((),):
            return f"always {end.removeprefix('then ')}"
        common, ways = self._common_and_rest()
        if not ways:
            return f"if {common}\n{end}"
        head = f"if {common}, and one of these:" if common else "if one of these holds:"
        return "\n".join([head, *(INDENT + way for way in ways), end])

    def _common_and_rest(self) -> tuple[str, list[str]]:
        """Return the conditions common to all paths, and the rest of each; no rest when there is one path."""
        common = [clause for clause in self.paths[0] if all(clause in path for path in self.paths)]
        rests = [[clause for clause in path if clause not in common] for path in self.paths]
        return _conjunction(common), [_conjunction(rest) for rest in rests] if len(rests) > 1 else []

    def _numbers_text(self) -> str:
        found = [(one_line(str(label)), count) for label, count in self.counts.items() if count > 0]
        counts = ", ".join(f"{label}: {count_text(count)}" for label, count in found)
        number = count_text(self.support)
        support = f"weight {number}" if self.is_weighted else f"{number} sample{'s' * (self.support != 1)}"
        parts = [f"{support}, {share_text(self.share)}", counts, f"probability {self.probability:.3g}"]
        return "; ".join(part for part in parts if part)


def _conjunction(clauses: Sequence[Clause]) -> str:
    texts = [clause.text for clause in clauses]
    return " and ".join(texts if len(texts) < 2 else map(_as_part, texts))


def _as_part(text: str) -> str:
    """Return a condition as a part of a longer one, in parentheses if it ends with an alternative."""
    return f"({text})" if text.endswith(OR_MISSING) else text


class Rules(tuple[Rule, ...]):
    """The rules of a diagram; printed, they read as text."""

    def __str__(self) -> str:
        return "\n\n".join(str(rule) for rule in self)

    def to_frame(self) -> Any:  # noqa: ANN401
        """Return a pandas DataFrame with a row per rule."""
        return rows_to_frame(_record(rule) for rule in self)


def export_rules(
    model: object,
    metadata: ModelMetadata | None = None,
    X: ArrayLike | None = None,
    *,
    digits: int | None = None,
) -> Rules:
    """Return the diagram as rules, one per final arc that a sample can take.

    Conditions on one feature are merged into intervals, and paths into fewer where that says the same.

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
    metadata : ModelMetadata, optional
        Names and counts of a diagram; a classifier has its own.
    X : array-like (n, n_features), optional
        The training rows. Numbers are then as short as keeps each of them with its rule; without them all
        numbers are exact.
    digits : int, optional
        Without X, round to so many digits in the text; what loses something by it begins with "about".

    Examples
    --------
    >>> from oddlearn import DecisionDiagram, UnivariateSplit, export_rules
    >>> print(export_rules(DecisionDiagram((UnivariateSplit(0, 0.5),), [1], [2], [0], 2, 1)))
    if x0 < 0.5
    then 0
    <BLANKLINE>
    if x0 >= 0.5
    then 1
    """
    check_count("digits", digits)
    view = model_view(model, metadata)
    if view.diagram.n_nodes == 0:
        return Rules([_build_rule(view, 0, (Path(),), None)])
    splits = round_splits(view.diagram, view.rows(X), metadata=view.metadata)
    paths = paths_to_arcs(view.diagram, view.metadata, splits)
    final = [arc for arc in view.diagram.final_arcs if paths[arc]]
    return Rules(_build_rule(view, arc, paths[arc], None if X is not None else digits) for arc in final)


def _build_rule(view: ModelView, arc: int, paths: Sequence[Path], digits: int | None) -> Rule:
    diagram, metadata = view.diagram, view.metadata
    code = int(diagram.arc_class[arc])
    counts = metadata.arc_counts
    total = float(counts[list(diagram.final_arcs)].sum())
    return Rule(
        arc=arc,
        label=metadata.class_labels[code],
        paths=tuple(build_clauses(path, metadata, digits) for path in paths),
        support=float(counts[arc].sum()),
        share=float(counts[arc].sum()) / total if total > 0 else math.nan,
        counts=dict(zip(metadata.class_labels, counts[arc].tolist(), strict=True)),
        probability=float(metadata.probabilities(diagram)[arc, code]),
        is_weighted=metadata.is_weighted,
    )


def _record(rule: Rule) -> dict[str, object]:
    counts = {f"count of {label}": count for label, count in rule.counts.items()}
    return {
        "condition": rule.condition,
        "class": rule.label,
        "support": rule.support,
        "share": rule.share,
        "probability": rule.probability,
        **counts,
        "arc": rule.arc,
    }
