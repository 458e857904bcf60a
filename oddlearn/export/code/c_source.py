"""A diagram as one C99 file: static tables and a loop, no allocation."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from oddlearn.diagram.metadata import ModelMetadata
from oddlearn.errors import InvalidInputError
from oddlearn.export.code.program import StateProgram, build_program, check_text, split_terms

PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

# printable characters that a string must escape; question marks because ??= and the like mean others
ESCAPED = b'"\\?'

# the fixed parts of the file; PREFIX_ stands for the beginning of its names
HEAD = """\
/* A decision diagram written by oddlearn, in C99: no allocation, nothing to link.

   A row is an array of PREFIX_N_FEATURES numbers, in the order of PREFIX_feature_name(0), ...; a name such
   as "colour = red" stands for 1 where the column holds that category, else 0.

   PREFIX_predict returns the class, counted from 0, whose text is PREFIX_class_label(class).
   PREFIX_predict_proba writes PREFIX_N_CLASSES probabilities and returns the class as well.
   A missing value is a NaN. A node that compares one number has a side for it; where it is a term of a
   weighted sum, both functions return -1 and write nothing: fill it in first.

   Compile without -ffast-math and the like: where a row lies exactly on a threshold, the class depends on
   the rounding of each sum. */

int PREFIX_predict(const double *x);
int PREFIX_predict_proba(const double *x, double *probability);
const char *PREFIX_class_label(int code);
const char *PREFIX_feature_name(int feature);

"""

UNIVARIATE_KEY = """
/* the number that a node compares with its threshold */
static double PREFIX_key(const double *x, int node)
{
    return x[PREFIX_node_feature[node]];
}
"""

MULTIVARIATE_KEY = """
/* the number that a node compares with its threshold: a sum, one term after the other */
static double PREFIX_key(const double *x, int node)
{
    double total = 0.0;
    int term;
    for (term = PREFIX_first_term[node]; term < PREFIX_first_term[node + 1]; ++term) {
        /* volatile: no compiler may fuse the product with the sum, which would round differently */
        volatile double product = PREFIX_term_weight[term] * x[PREFIX_term_feature[term]];
        total += product;
    }
    return total;
}
"""

END = """
/* the end a row arrives at, -1 after a sum with a NaN; a state is a node, or N_NODES + end */
static int PREFIX_end(const double *x)
{
    int state = 0;
    while (state < PREFIX_N_NODES) {
        const double key = PREFIX_key(x, state);
        state = PREFIX_child[state][key != key ? 2 : key >= PREFIX_threshold[state]];
        if (state < 0)
            return -1;
    }
    return state - PREFIX_N_NODES;
}
"""

CONSTANT_END = """
/* the only end there is */
static int PREFIX_end(const double *x)
{
    (void)x;
    return 0;
}
"""

FUNCTIONS = """
int PREFIX_predict(const double *x)
{
    const int end = PREFIX_end(x);
    return end < 0 ? -1 : PREFIX_end_class[end];
}

int PREFIX_predict_proba(const double *x, double *probability)
{
    const int end = PREFIX_end(x);
    int code;
    if (end < 0)
        return -1;
    for (code = 0; code < PREFIX_N_CLASSES; ++code)
        probability[code] = PREFIX_end_probability[end][code];
    return PREFIX_end_class[end];
}

const char *PREFIX_class_label(int code)
{
    return code >= 0 && code < PREFIX_N_CLASSES ? PREFIX_label[code] : "";
}

const char *PREFIX_feature_name(int feature)
{
    return feature >= 0 && feature < PREFIX_N_FEATURES ? PREFIX_name[feature] : "";
}
"""


def export_c(model: object, metadata: ModelMetadata | None = None, *, prefix: str = "oddlearn") -> str:
    """Return the model as C source, which agrees with ``predict`` on every row; a missing value is a NaN.

    Parameters
    ----------
    model : fitted classifier or DecisionDiagram
    metadata : ModelMetadata, optional
        Names and labels of a DecisionDiagram; a classifier has its own.
    prefix : str
        Beginning of every name in the file.

    Returns
    -------
    str
        One file with ``int oddlearn_predict(const double *x)``, ``oddlearn_predict_proba``,
        ``oddlearn_class_label`` and ``oddlearn_feature_name``. A row holds the numbers the diagram looks at:
        with columns of categories a 0 or 1 per category, as ``model.encode(X)`` gives them. A NaN in a
        weighted sum, where ``model.encode`` fills in a number, is refused by -1.
    """
    if not PREFIX.fullmatch(prefix):
        raise InvalidInputError(
            f"prefix is {prefix!r}: give letters, digits and underscores, a letter first, such as 'credit'."
        )
    program = build_program(model, metadata)
    tables = "".join(_declaration(prefix, *table) for table in _tables(program))
    head, functions = (part.replace("PREFIX_", f"{prefix}_") for part in (HEAD, _functions(program)))
    return f"{head}{_sizes(program, prefix)}{tables}{functions}"


def _sizes(program: StateProgram, prefix: str) -> str:
    sizes = {
        "NODES": program.n_nodes,
        "FEATURES": program.diagram.n_features,
        "CLASSES": program.diagram.n_classes,
    }
    return f"enum {{ {', '.join(f'{prefix}_N_{name} = {size}' for name, size in sizes.items())} }};\n"


def _functions(program: StateProgram) -> str:
    if program.n_nodes == 0:
        return CONSTANT_END + FUNCTIONS
    return (UNIVARIATE_KEY if program.is_univariate else MULTIVARIATE_KEY) + END + FUNCTIONS


# type, name and dimensions, and the lines of a table
Table = tuple[str, str, list[str]]


def _tables(program: StateProgram) -> list[Table]:
    shares = [_initializer(map(_number_literal, row)) for row in program.probabilities.tolist()]
    tables = [
        ("char *const", "label[]", [_string_literal(str(label)) for label in program.labels]),
        # a table has at least one line
        ("char *const", "name[]", [_string_literal(feature.name) for feature in program.features] or ['""']),
        ("int", "end_class[]", [str(code) for code in program.end_class]),
        ("double", f"end_probability[][{program.diagram.n_classes}]", shares),
    ]
    return tables + (_node_tables(program) if program.n_nodes else [])


def _node_tables(program: StateProgram) -> list[Table]:
    splits, nodes = program.diagram.splits, range(program.n_nodes)
    thresholds = [split.threshold for split in splits]
    tables = [
        ("int", "child[][3]", [_initializer(map(str, _next_states(program, node))) for node in nodes]),
        # both sides of numbers are the same where a threshold is infinite
        (
            "double",
            "threshold[]",
            [_number_literal(one if math.isfinite(one) else 0.0) for one in thresholds],
        ),
    ]
    sums = [split_terms(split) for split in splits]
    if program.is_univariate:
        return [*tables, ("int", "node_feature[]", [str(feature) for ((feature, _),) in sums])]
    first = [sum(map(len, sums[:node])) for node in range(len(sums) + 1)]
    terms = [term for summed in sums for term in summed] or [(0, 0.0)]
    return [
        *tables,
        ("int", "first_term[]", [str(place) for place in first]),
        ("int", "term_feature[]", [str(feature) for feature, _ in terms]),
        ("double", "term_weight[]", [_number_literal(weight) for _, weight in terms]),
    ]


def _next_states(program: StateProgram, node: int) -> tuple[int, int, int]:
    """Return the states after a number below the threshold, after another number, and after a NaN."""
    negative, positive = program.children[node]
    missing = program.missing_children[node]
    if math.isinf(program.diagram.splits[node].threshold):
        negative = positive = negative if missing == positive else positive
    return negative, positive, -1 if missing is None else missing


def _declaration(prefix: str, kind: str, name: str, lines: list[str]) -> str:
    body = ",\n".join(f"    {line}" for line in lines)
    return f"\nstatic const {kind} {prefix}_{name} = {{\n{body}\n}};\n"


def _initializer(items: Iterable[str]) -> str:
    return f"{{{', '.join(items)}}}"


def _number_literal(value: float) -> str:
    """Return a number that every compiler reads exactly, hexadecimal unless it is short in decimal."""
    short = repr(value)
    return short if value == int(value) and abs(value) < 1e6 else f"{value.hex()} /* {short} */"


def _string_literal(text: str) -> str:
    """Return a string literal of ASCII characters: the text in UTF-8, byte by byte where it is not plain."""
    return '"' + "".join(map(_escape_byte, check_text(text, "C").encode())) + '"'


def _escape_byte(byte: int) -> str:
    if byte in ESCAPED:
        return "\\" + chr(byte)
    # octal, which ends after three digits, where a hexadecimal escape would swallow the letters after it
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"
