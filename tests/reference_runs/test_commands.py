"""What ``oddlearn fit``, ``tune`` and ``demo`` print, on a clock that moves by work, as stored in files."""

import re
from pathlib import Path

import pytest

import oddlearn
from oddlearn.cli.main import main
from tests.cli.commands import as_text, people
from tests.reference_runs.work_clock import count_work
from tests.stored_texts import compare_text

HERE = Path(__file__).parent

FIT = ("fit", "people.csv", "--target", "approved", "--skeleton", "1-2")

GROUPS = ("--drop", "owner", "--sensitive", "colour", "--parity", "0.5", "--favourable", "yes")

COMMANDS = {
    "fit": [*FIT],
    "fit, verbose": [*FIT, "--verbose", "--test-size", "0", "--name", "other"],
    "fit, results as JSON": [*FIT, "--json", "--no-report", "--quiet"],
    "fit, no proof": [*FIT, "--exact", "none", "--tree", "2", "--quiet"],
    "fit, another split of the rows": [*FIT, "--seed", "3", "--test-size", "0.5", "--balanced", "--quiet"],
    "fit, groups": [*FIT, *GROUPS, "--exact", "none"],
    "fit, few nodes": [*FIT, "--max-nodes", "1", "--min-flow", "0.2", "--node-price", "0.001"],
    "tune": ["tune", "people.csv", "--target", "approved", "--skeletons", "1,1-2", "--folds", "3", "--quiet"],
    "tune, as JSON": ["tune", "people.csv", "--target", "approved", "--skeletons", "1", "--json", "--quiet"],
    "demo": ["demo"],
}


def hide_versions(text):
    """Return a text without versions, seconds, digests, and the hyperplanes of the demo's plants."""
    text = text.replace(oddlearn.__version__, "VERSION")
    text = re.sub(r"\d+(\.\d+)?(e-\d+)? (m?s|seconds?)\b", "TIME", text)
    text = re.sub(r'("seconds": )[\d.e-]+', r"\1TIME", text)
    text = re.sub(r"(\d+ )?rain - .*", "RAIN AND TEMPERATURE", text)
    return re.sub(r"\b[0-9a-f]{16,64}\b", "DIGEST", text)


def run_command(words, capsys):
    """Return what a command prints on both streams, and its exit code."""
    with count_work():
        code = main(words)
    printed = capsys.readouterr()
    lines = f"{printed.out}\n--\n{printed.err}\n--\n{code}".splitlines()
    # lines of progress are printed from time to time
    return "\n".join(line.rstrip() for line in lines if not re.match(r" +[\d.]+ s  ", line))


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_print_what_they_printed(name, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(as_text(people()))
    text = run_command(COMMANDS[name], capsys)
    compare_text(HERE / f"command_{re.sub(r'[^A-Za-z]+', '_', name)}.txt", hide_versions(text))
