"""A decision diagram written by oddlearn: plain Python, nothing to install.

predict(row) returns the label of one row, predict_proba(row) the probability of each of LABELS. A row is a
mapping from the names in COLUMNS to values (those that are looked at will do), or a sequence with one value
per column, in their order. Numbers may be given as text, as a file has them. Dates, times and durations are
numbers as UNITS says. None, NaN and "" are missing values.
"""

COLUMNS = (
    'm0',
    'm1',
    'm2',
    'm3',
)

UNITS = (
)

LABELS = (
    0,
    1,
    2,
    3,
)

END_CLASS = (
    1,
    1,
    3,
    0,
    2,
)

PROBABILITIES = (
    (0.20038623691119514, 0.7012039332457745, 0.08833338350794175, 0.010076446335088609),
    (0.05060379770328789, 0.8917665279364765, 0.021957276691615662, 0.03567239766861986),
    (0.041223440894057085, 0.4570942098346315, 0.04458713943767976, 0.45709520983363155),
    (0.8601503410201043, 0.024087879121232877, 0.08468419045783263, 0.03107758940083026),
    (0.1645672806823523, 0.030862595124079625, 0.7960019315237856, 0.008568192669782518),
)


def predict(row):
    """Return the label of one row."""
    return LABELS[END_CLASS[_end(row)]]


def predict_proba(row):
    """Return the probability of each label, in the order of LABELS."""
    return PROBABILITIES[_end(row)]


def _value(row, column):
    is_mapping = hasattr(row, "keys")
    if not is_mapping and len(row) != len(COLUMNS):
        raise ValueError(f"The row has {len(row)} values: give {len(COLUMNS)}, one per column.")
    value = row[column] if is_mapping else row[COLUMNS.index(column)]
    # the missing value of pandas has no truth value
    is_missing = value is None or type(value).__name__ == "NAType" or value != value or value == ""
    return None if is_missing else value


def _number(row, column, fill=float("nan")):
    value = _value(row, column)
    number = fill if value is None else float(value)
    # the text "nan" is missing too
    return number if number == number else fill


def _is(row, column, category):
    return 1.0 if _value(row, column) == category else 0.0


def _is_other(row, column, categories):
    return 0.0 if _value(row, column) in categories else 1.0


def _is_missing(row, column):
    return _value(row, column) is None


def _is_nan(row, column):
    number = _number(row, column)
    return number != number


def _end(row):
    state = 0
    if state == 0:
        state = 2 if (
            4.0 * _number(row, 'm0', -0.12000000000000001)
            + 2.0 * _number(row, 'm1', -0.4)
            + 0.1 * _number(row, 'm2', -20.5)
            + -0.007 * _number(row, 'm3', 35.0)
        ) >= 1.0 else 1
    if state == 1:
        state = 5 if (
            -29.0 * _number(row, 'm0', -0.12000000000000001)
            + -11.0 * _number(row, 'm1', -0.4)
            + 8.0 * _number(row, 'm2', -20.5)
            + -1.0 * _number(row, 'm3', 35.0)
        ) >= 800.0 else 4
    if state == 2:
        state = 3 if (
            5.0 * _number(row, 'm0', -0.12000000000000001)
            + -1.0 * _number(row, 'm1', -0.4)
            + 0.09 * _number(row, 'm2', -20.5)
            + -0.003 * _number(row, 'm3', 35.0)
        ) >= -6.63 else 4
    if state == 3:
        state = 7 if (
            5.0 * _number(row, 'm0', -0.12000000000000001)
            + 0.1 * _number(row, 'm1', -0.4)
            + 0.02 * _number(row, 'm2', -20.5)
        ) >= 4.2 else 6
    if state == 4:
        state = 9 if (
            _number(row, 'm0', -0.12000000000000001)
            + 0.1 * _number(row, 'm1', -0.4)
            + -2e-05 * _number(row, 'm3', 35.0)
        ) >= 0.03 else 8
    return state - 5
