"""A decision diagram written by oddlearn: plain Python, nothing to install.

predict(row) returns the label of one row, predict_proba(row) the probability of each of LABELS. A row is a
mapping from the names in COLUMNS to values (those that are looked at will do), or a sequence with one value
per column, in their order. Numbers may be given as text, as a file has them. Dates, times and durations are
numbers as UNITS says. None, NaN and "" are missing values.
"""

COLUMNS = (
    'income',
    'purpose',
    'since',
    'phone',
    'debt',
)

UNITS = (
    ('since', 'days since 1970-01-01'),
)

LABELS = (
    'no',
    'yes',
)

END_CLASS = (
    1,
    0,
    1,
    0,
    1,
    1,
    0,
)

PROBABILITIES = (
    (0.06230782703643526, 0.9376921729635647),
    (0.9222137767330338, 0.07778622326696605),
    (0.063655767808869, 0.9363442321911308),
    (0.9018461749828484, 0.09815382501715163),
    (0.06789731665536555, 0.9321026833446344),
    (0.4547622400260718, 0.5452377599739281),
    (0.9319051460101788, 0.06809485398982128),
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
        state = 1 if _number(row, 'since') >= 16290.0 or _is_nan(row, 'since') else 2
    if state == 1:
        state = 3 if _number(row, 'income') >= 32.0 else 4
    if state == 2:
        state = 8 if _is(row, 'purpose', 'home & garden') >= 0.5 else 4
    if state == 3:
        state = 7 if _is(row, 'purpose', 'car') >= 0.5 else 5
    if state == 4:
        state = 6 if _number(row, 'debt') >= -33.0 or _is_nan(row, 'debt') else 5
    if state == 5:
        state = 10 if _number(row, 'income') >= 35.0 or _is_nan(row, 'income') else 9
    if state == 6:
        state = 12 if _number(row, 'income') >= 22.5 or _is_nan(row, 'income') else 11
    if state == 7:
        state = 14 if _number(row, 'since') >= 17100.0 or _is_nan(row, 'since') else 13
    return state - 8
