"""A diagram as one SQL expression over the columns of the user's table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from oddlearn.diagram.features import Label
from oddlearn.diagram.metadata import Notes
from oddlearn.diagram.splits import Split, UnivariateSplit
from oddlearn.errors import InvalidInputError, UnsupportedError
from oddlearn.export.code.program import Program, build_program, check_text, split_terms

STEP = "  "

# an expression line by line; a line may hold a text with line breaks, so that lines are indented here only
Block = list[str]


@dataclass(frozen=True)
class Dialect:
    """The quoting rules of a family of databases.

    Attributes
    ----------
    quote : str
        Character around names; doubled within them.
    escapes : Mapping
        Replacements of characters within text.
    double : str
        Template that turns a value into a double, so that sums are rounded as ``predict`` rounds them.
    """

    quote: str
    escapes: Mapping[str, str]
    double: str

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


def export_sql(model: object, notes: Notes | None = None, *, dialect: str = "standard") -> str:
    """Return the model as one SQL ``CASE`` expression: ``SELECT <expression> FROM rows``.

    Each node is written once: a tree as nested cases, a diagram with shared nodes layer by layer, where a
    number says at which node the row is. A row with a NULL in a column that is looked at gets NULL.

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
    notes : Notes, optional
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
    writer = SqlWriter(build_program(model, notes), DIALECTS[dialect])
    return "\n".join(writer.nested(0) if writer.program.diagram.is_tree else writer.layered())


@dataclass(frozen=True)
class SqlWriter:
    """Writes the states of a program in a dialect."""

    program: Program
    dialect: Dialect

    def nested(self, state: int) -> Block:
        """Return a state of a tree as an expression that gives the label."""
        return self.label(state) if state >= self.program.n_nodes else self.case(state, self.nested)

    def layered(self) -> Block:
        """Return the label as an expression that goes down all layers, each around the one above it."""
        layers = self.program.diagram.layer.tolist()
        last = self.program.diagram.depth - 1
        expression = self.case(0, self.mark)
        for layer in range(1, last + 1):
            answer = self.label if layer == last else self.mark
            nodes = [node for node, found in enumerate(layers) if found == layer]
            cases = {node: self.case(node, answer) for node in nodes}
            finished = {mark: answer(end) for mark, end in self.finished(layer).items()}
            expression = _lookup(expression, {**cases, **finished})
        return expression

    def finished(self, layer: int) -> dict[int, int]:
        """Return an end for each class that rows may have reached above a layer, by its mark."""
        above = [pair for node, pair in enumerate(self.program.children) if self.layer(node) < layer]
        ends = [state for pair in above for state in pair if state >= self.program.n_nodes]
        return dict(sorted((int(self.mark(end)[0]), end) for end in ends))

    def layer(self, node: int) -> int:
        """Return the layer of a node."""
        return int(self.program.diagram.layer[node])

    def case(self, node: int, answer: Callable[[int], Block]) -> Block:
        """Return a node as an expression; the root's tests first for missing values."""
        negative, positive = self.program.children[node]
        is_checked = node == 0 and self.program.diagram.used_features
        missing = [f"WHEN {self.missing()} THEN NULL"] if is_checked else []
        test = self.test(self.program.diagram.splits[node])
        then = _prefix_first(f"WHEN {test} THEN ", answer(positive))
        return ["CASE", *_indent([*missing, *then, *_prefix_first("ELSE ", answer(negative))]), "END"]

    def missing(self) -> str:
        """Return the condition that some used column is NULL."""
        used_features = self.program.diagram.used_features
        used = dict.fromkeys(self.program.features[place].column for place in used_features)
        return " OR ".join(f"{self.dialect.name(column)} IS NULL" for column in used)

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
        """Return the condition on one feature; for a 0 or 1 that it is 1, if that is the same."""
        is_number = self.program.features[split.feature].kind == "number"
        if is_number or not 0 < split.threshold <= 1:
            return f"{self.number(split.feature)} >= {self.dialect.value(split.threshold)}"
        return self.condition(split.feature)

    def number(self, place: int) -> str:
        """Return a feature as a number."""
        feature = self.program.features[place]
        if feature.kind == "number":
            return self.dialect.name(feature.column)
        return f"CASE WHEN {self.condition(place)} THEN 1.0 ELSE 0.0 END"

    def condition(self, place: int) -> str:
        """Return the condition that a category or a boolean is 1."""
        feature = self.program.features[place]
        value = True if feature.category is None else feature.category
        return f"{self.dialect.name(feature.column)} = {self.dialect.value(value)}"


def _lookup(expression: Block, answers: dict[int, Block]) -> Block:
    """Return the answer to a number; a row of unknown state, NULL, meets none and stays NULL."""
    cases = [line for mark, answer in answers.items() for line in _prefix_first(f"WHEN {mark} THEN ", answer)]
    return ["CASE", *_indent(expression), *_indent(cases), "END"]


def _prefix_first(words: str, block: Block) -> Block:
    return [words + block[0], *block[1:]]


def _indent(lines: Block) -> Block:
    return [STEP + line for line in lines]
