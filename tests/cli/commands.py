"""Tables and commands to try the command line with."""

import numpy as np

from oddlearn.cli.main import main

# what keeps a fit short: the limit is only for machines that are very busy
QUICK = ("--skeleton", "1-2", "--time-limit", "10", "--exact", "none", "--quiet")


def people(n_rows=60, seed=0):
    """Return rows of people: whole numbers, numbers, text, booleans, and an answer that follows from them."""
    random = np.random.default_rng(seed)
    age = random.integers(18, 80, n_rows)
    income = random.normal(3000, 800, n_rows).round(2)
    colour = random.choice(["red", "green", "dark blue"], n_rows)
    owner = random.choice(["true", "false"], n_rows)
    answer = np.where((age > 45) & (colour != "red"), "yes", "no")
    return list(
        zip(age.tolist(), income.tolist(), colour.tolist(), owner.tolist(), answer.tolist(), strict=True)
    )


NAMES = ("age", "income", "colour", "owner", "approved")


def as_text(rows, delimiter=",", decimal=".", names=NAMES):
    """Return rows as the text of a file."""
    written = [
        [str(value).replace(".", decimal) if isinstance(value, float) else str(value) for value in row]
        for row in rows
    ]
    return "\n".join(delimiter.join(row) for row in [list(names), *written]) + "\n"


def run(capsys, *arguments):
    """Run a command in this process; return its exit code, and what it wrote to both streams."""
    capsys.readouterr()
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def refused(capsys, *arguments):
    """Run a command that must refuse: exit code 2, no result, one sentence that is returned."""
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    *notes, sentence = err.splitlines()
    assert sentence.startswith("oddlearn: ")
    assert "Traceback" not in err
    assert all(not line.startswith("oddlearn: ") for line in notes)
    return sentence
