"""A diagram as one C99 file: static tables and a loop, no allocation."""

from __future__ import annotations

import re
from collections.abc import Iterable

from oddlearn.diagram.notes import Notes
from oddlearn.errors import InvalidInputError
from oddlearn.export.code.c_functions import (
    CONSTANT_END,
    END,
    FUNCTIONS,
    HEAD,
    MULTIVARIATE_KEY,
    UNIVARIATE_KEY,
)
from oddlearn.export.code.program import Program, plain_text, program_of, terms

PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

# printable characters that a string must escape; question marks because ??= and the like mean others
ESCAPED = b'"\\?'


def export_c(model: object, notes: Notes | None = None, *, prefix: str = "oddlearn") -> str:
    """Return the model as C source, which agrees with ``predict`` on every row of finite numbers.

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
    notes : Notes, optional
        Those of a DecisionDiagram; a classifier has its own.
    prefix : str
        Beginning of every name in the file.

    Returns
    -------
    str
        One file with ``int oddlearn_predict(const double *x)``, ``oddlearn_predict_proba``,
        ``oddlearn_class_label`` and ``oddlearn_feature_name``. A row holds the numbers the diagram looks at:
        with columns of categories a 0 or 1 per category, as ``model.encoded(X)`` gives them.
    """
    if not PREFIX.fullmatch(prefix):
        raise InvalidInputError(
            f"prefix is {prefix!r}: give letters, digits and underscores, a letter first, such as 'credit'."
        )
    program = program_of(model, notes)
    tables = "".join(_declared(prefix, *table) for table in _tables(program))
    head, functions = (part.replace("PREFIX_", f"{prefix}_") for part in (HEAD, _functions(program)))
    return f"{head}{_sizes(program, prefix)}{tables}{functions}"


def _sizes(program: Program, prefix: str) -> str:
    sizes = {
        "NODES": program.n_nodes,
        "FEATURES": program.diagram.n_features,
        "CLASSES": program.diagram.n_classes,
    }
    return f"enum {{ {', '.join(f'{prefix}_N_{name} = {size}' for name, size in sizes.items())} }};\n"


def _functions(program: Program) -> str:
    if program.n_nodes == 0:
        return CONSTANT_END + FUNCTIONS
    return (UNIVARIATE_KEY if program.is_univariate else MULTIVARIATE_KEY) + END + FUNCTIONS


# type, name and dimensions, and the lines of a table
Table = tuple[str, str, list[str]]


def _tables(program: Program) -> list[Table]:
    shares = [_braced(map(_number, row)) for row in program.probabilities.tolist()]
    tables = [
        ("char *const", "label[]", [_text(str(label)) for label in program.labels]),
        # a table has at least one line
        ("char *const", "name[]", [_text(feature.name) for feature in program.features] or ['""']),
        ("int", "end_class[]", [str(code) for code in program.end_class]),
        ("double", f"end_probability[][{program.diagram.n_classes}]", shares),
    ]
    return tables + (_node_tables(program) if program.n_nodes else [])


def _node_tables(program: Program) -> list[Table]:
    splits = program.diagram.splits
    tables = [
        ("int", "child[][2]", [_braced(map(str, pair)) for pair in program.children]),
        ("double", "threshold[]", [_number(split.threshold) for split in splits]),
    ]
    sums = [terms(split) for split in splits]
    if program.is_univariate:
        return [*tables, ("int", "node_feature[]", [str(feature) for ((feature, _),) in sums])]
    first = [sum(map(len, sums[:node])) for node in range(len(sums) + 1)]
    listed = [term for summed in sums for term in summed] or [(0, 0.0)]
    return [
        *tables,
        ("int", "first_term[]", [str(place) for place in first]),
        ("int", "term_feature[]", [str(feature) for feature, _ in listed]),
        ("double", "term_weight[]", [_number(weight) for _, weight in listed]),
    ]


def _declared(prefix: str, kind: str, name: str, lines: list[str]) -> str:
    body = ",\n".join(f"    {line}" for line in lines)
    return f"\nstatic const {kind} {prefix}_{name} = {{\n{body}\n}};\n"


def _braced(items: Iterable[str]) -> str:
    return f"{{{', '.join(items)}}}"


def _number(value: float) -> str:
    """Return a number that every compiler reads exactly, hexadecimal unless it is short in decimal."""
    short = repr(value)
    return short if value == int(value) and abs(value) < 1e6 else f"{value.hex()} /* {short} */"


def _text(text: str) -> str:
    """Return a string literal of ASCII characters: the text in UTF-8, byte by byte where it is not plain."""
    return '"' + "".join(map(_character, plain_text(text, "C").encode())) + '"'


def _character(byte: int) -> str:
    if byte in ESCAPED:
        return "\\" + chr(byte)
    # octal, which ends after three digits, where a hexadecimal escape would swallow the letters after it
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"
