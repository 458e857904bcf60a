"""A decision diagram written by oddlearn: plain Python, nothing to install.

predict(row) returns the label of one row, predict_proba(row) the probability of each of LABELS. A row is a
mapping from the names in COLUMNS to values (those that are looked at will do), or a sequence with one value
per column, in their order. Numbers may be given as text, as a file has them. Dates, times and durations are
numbers as UNITS says. None, NaN and "" are missing values.
"""

COLUMNS = (
    'length',
    'width',
)

UNITS = (
)

LABELS = (
    'in',
    'out',
)

END_CLASS = (
    0,
    1,
    1,
    0,
)

PROBABILITIES = (
    (0.8789209892834061, 0.12107901071659381),
    (0.08204362050086451, 0.9179563794991356),
    (0.1319396549297094, 0.8680603450702906),
    (0.6586445140841657, 0.34135548591583426),
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
        state = 1 if _number(row, 'width') >= 4.0 or _is_nan(row, 'width') else 2
    if state == 1:
        state = 4 if _number(row, 'length') >= 5.95 or _is_nan(row, 'length') else 3
    if state == 2:
        state = 6 if _number(row, 'length') >= 6.05 else 5
    return state - 3
