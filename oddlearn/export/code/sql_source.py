"""A diagram as one SQL expression over the columns of the user's table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from oddlearn.diagram.features import Feature, Label
from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.diagram.splits import Split, UnivariateSplit
from oddlearn.diagram.timestamps import timestamp_text
from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.export.code.program import StateProgram, build_program, check_text, split_terms

STEP = "  "

# an expression line by line; a line may hold a text with line breaks, so that lines are indented here only
Block = list[str]


@dataclass(frozen=True)
class Dialect:
    """The quoting rules of a family of databases."""

    quote: str  # character around names; doubled within them
    escapes: Mapping[str, str]  # replacements of characters within text
    double: str  # template that turns a value into a double: sums are rounded as ``predict`` rounds them

    def name(self, column: str) -> str:
        """Return a column's name, quoted."""
        doubled = check_text(column, "SQL").replace(self.quote, 2 * self.quote)
        return f"{self.quote}{doubled}{self.quote}"

    def value(self, value: Label) -> str:
        """Return a literal."""
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, str):
            letters = (self.escapes.get(letter, letter) for letter in check_text(value, "SQL"))
            return f"'{''.join(letters)}'"
        if not math.isfinite(value):
            raise UnsupportedError(f"SQL has no portable way to write {value}: rename the label.")
        return repr(value)


DIALECTS: Mapping[str, Dialect] = {
    "standard": Dialect('"', {"'": "''"}, "CAST({} AS DOUBLE PRECISION)"),
    # a number with an exponent is a double there, where a cast has a name of its own in each database
    "mysql": Dialect("`", {"'": "\\'", "\\": "\\\\", "\n": "\\n", "\r": "\\r"}, "({} + 0e0)"),
}


def export_sql(model: object, metadata: ModelMetadata | None = None, *, dialect: str = "standard") -> str:
    """Return the model as one SQL ``CASE`` expression: ``SELECT <expression> FROM rows``.

    Each node is written once: a tree as nested cases, a diagram with shared nodes layer by layer, where a
    number says at which node the row is. NULL is a missing value.

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
    metadata : ModelMetadata, optional
        Names and labels of a DecisionDiagram; a classifier has its own.
    dialect : "standard" or "mysql"
        "standard" quotes names as "name" (PostgreSQL, SQLite, DuckDB, Snowflake), "mysql" as `name` with
        backslashes in text (MySQL, MariaDB, BigQuery, Spark).

    Returns
    -------
    str
        It names the table's own columns, x0, x1, ... where it had no names; columns must have the type they
        were trained with, numbers must not be stored as text. Sums are computed in double precision, as by
        ``predict``. A database may read the last bit of a long decimal wrongly (SQLite that of one in
        thousands): that matters only to a row that lies exactly on a threshold.
    """
    if dialect not in DIALECTS:
        allowed = " or ".join(f'"{name}"' for name in DIALECTS)
        raise InvalidInputError(f"dialect is {dialect!r}: give {allowed}.")
    writer = SqlWriter(build_program(model, metadata), DIALECTS[dialect])
    return "\n".join(writer.write_nested(0) if writer.program.diagram.is_tree else writer.write_layers())


@dataclass(frozen=True)
class SqlWriter:
    """Writes the states of a program in a dialect."""

    program: StateProgram
    dialect: Dialect

    def write_nested(self, state: int) -> Block:
        """Return a state of a tree as an expression that gives the label."""
        return self.label(state) if state >= self.program.n_nodes else self.case(state, self.write_nested)

    def write_layers(self) -> Block:
        """Return the label as an expression that goes down all layers, each around the one above it."""
        layers = self.program.diagram.layer.tolist()
        last = self.program.diagram.depth - 1
        expression = self.case(0, self.mark)
        for layer in range(1, last + 1):
            answer = self.label if layer == last else self.mark
            nodes = [node for node, found in enumerate(layers) if found == layer]
            cases = {node: self.case(node, answer) for node in nodes}
            ends = {mark: answer(end) for mark, end in self.finished_ends(layer).items()}
            expression = _lookup(expression, {**cases, **ends})
        return expression

    def finished_ends(self, layer: int) -> dict[int, int]:
        """Return an end for each class that rows may have reached above a layer, by its mark."""
        above = [pair for node, pair in enumerate(self.program.children) if self.layer(node) < layer]
        ends = [state for pair in above for state in pair if state >= self.program.n_nodes]
        return dict(sorted((int(self.mark(end)[0]), end) for end in ends))

    def layer(self, node: int) -> int:
        """Return the layer of a node."""
        return int(self.program.diagram.layer[node])

    def case(self, node: int, answer: Callable[[int], Block]) -> Block:
        """Return a node as an expression; a condition that is unknown, as one on NULL, is not met."""
        negative, positive = self.program.children[node]
        test = self.test(self.program.diagram.splits[node])
        then = _prefix_first(f"WHEN {test} THEN ", answer(positive))
        return ["CASE", *_indent([*then, *_prefix_first("ELSE ", answer(negative))]), "END"]

    def mark(self, state: int) -> Block:
        """Return the number of a state: the node's, or the number of nodes plus the class."""
        end = state - self.program.n_nodes
        return [str(state if end < 0 else self.program.n_nodes + self.program.end_class[end])]

    def label(self, state: int) -> Block:
        """Return the label of an end."""
        code = self.program.end_class[state - self.program.n_nodes]
        return [self.dialect.value(self.program.labels[code])]

    def test(self, split: Split) -> str:
        """Return the condition of a split's positive side."""
        if isinstance(split, UnivariateSplit):
            return self.comparison(split)
        terms = split_terms(split)
        doubles = [(self.dialect.double.format(self.number(place)), weight) for place, weight in terms]
        key = " + ".join(f"{self.dialect.value(weight)} * {double}" for double, weight in doubles) or "0.0"
        return f"{key} >= {self.dialect.value(split.threshold)}"

    def comparison(self, split: UnivariateSplit) -> str:
        """Return the condition on one feature; for a 0 or 1 that it is 1, if that is the same.

        A date or time is compared with its text, which every database reads as what the column is.
        """
        feature = self.program.features[split.feature]
        if split.asks_missing:
            return self.is_null(feature, split.missing_positive)
        if feature.is_binary and 0 < split.threshold <= 1:
            return self.condition(split.feature)
        if feature.timestamp_kind in (None, "duration"):
            test = f"{self.number(split.feature)} >= {self.dialect.value(split.threshold)}"
        else:
            text = timestamp_text(split.threshold, feature.timestamp_kind).replace(" UTC", "+00:00")
            test = f"{self.dialect.name(feature.column)} >= {self.dialect.value(text)}"
        is_asked = split.missing_positive and self.program.may_miss(split.feature)
        return f"{test} OR {self.is_null(feature)}" if is_asked else test

    def is_null(self, feature: Feature, holds: bool = True) -> str:
        """Return the condition that the column of a feature is NULL, or that it is not."""
        return f"{self.dialect.name(feature.column)} IS {'' if holds else 'NOT '}NULL"

    def number(self, place: int) -> str:
        """Return a feature as a number."""
        feature = self.program.features[place]
        if feature.is_binary:
            return f"CASE WHEN {self.condition(place)} THEN 1.0 ELSE 0.0 END"
        if feature.timestamp_kind not in (None, "duration"):
            raise UnsupportedError(
                f"SQL has no portable way to weigh dates and times, as in {feature.column!r}: use univariate "
                "splits, or give the column as a number, such as days."
            )
        name = self.dialect.name(feature.column)
        return name if feature.fill is None else f"COALESCE({name}, {self.dialect.value(feature.fill)})"

    def condition(self, place: int) -> str:
        """Return the condition that a feature that is 0 or 1 is 1."""
        feature = self.program.features[place]
        if feature.kind == "missing":
            return self.is_null(feature)
        if feature.kind == "other":
            return self.is_other(feature)
        value = True if feature.category is None else feature.category
        test = f"{self.dialect.name(feature.column)} = {self.dialect.value(value)}"
        return f"{test} OR {self.is_null(feature)}" if feature.fill == 1 else test

    def is_other(self, feature: Feature) -> str:
        """Return the condition that a column holds none of its categories with a feature, nor is missing."""
        values = ", ".join(map(self.dialect.value, self.program.categories(feature.column)))
        name = self.dialect.name(feature.column)
        test = f"{name} NOT IN ({values})" if values else self.is_null(feature, False)
        if self.program.has_missing_feature(feature.column) or feature.fill == 0:
            return test
        return f"{test} OR {self.is_null(feature)}"


def _lookup(expression: Block, answers: dict[int, Block]) -> Block:
    """Return the expression of the answer to the number of a state."""
    cases = [line for mark, answer in answers.items() for line in _prefix_first(f"WHEN {mark} THEN ", answer)]
    return ["CASE", *_indent(expression), *_indent(cases), "END"]


def _prefix_first(words: str, block: Block) -> Block:
    return [words + block[0], *block[1:]]


def _indent(lines: Block) -> Block:
    return [STEP + line for line in lines]
