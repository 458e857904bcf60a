"""The command line starts fast: a command imports what it needs, and no more."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import oddlearn
from oddlearn.cli.main import COMMANDS, build_parser, main

# what takes longer to import than numpy
HEAVY = {"sklearn", "scipy", "pandas", "matplotlib", "rich", "pyarrow", "highspy", "ortools", "joblib"}

SCRIPT = """
import json, sys
from oddlearn.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print(json.dumps(sorted({name.split(".")[0] for name in sys.modules})), file=sys.stderr)
"""


def loaded_by(*arguments):
    """Return the packages that a command has loaded at its end."""
    command = [sys.executable, "-c", SCRIPT, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout
    return set(json.loads(done.stderr.splitlines()[-1]))


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_and_version_need_no_package_at_all(arguments):
    assert not loaded_by(*arguments) & {*HEAVY, "numpy"}


@pytest.mark.parametrize("command", ["show", "predict", "export"])
def test_a_stored_diagram_needs_numpy_only(trained, command):
    further = {"predict": [trained / "people.csv", "--proba"], "export": ["--to", "sql"]}
    loaded = loaded_by(command, trained / "model.json", *further.get(command, []))
    assert "numpy" in loaded
    assert not loaded & HEAVY


def test_the_help_of_every_command_needs_no_scikit_learn():
    parsers = "from oddlearn.cli.main import build_parser; build_parser().print_help()"
    script = f"{parsers}\nimport sys\nassert not {{'sklearn', 'pandas', 'matplotlib'}} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_parser_of_one_command_lists_all(name):
    assert build_parser([name]).format_help() == build_parser().format_help()


def test_predictions_of_a_stored_diagram_are_those_of_its_estimator(trained, capsys):
    from tests.cli.commands import NAMES, people

    main(["predict", str(trained / "model.json"), str(trained / "people.csv"), "--proba"])
    given = [line.split(",") for line in capsys.readouterr().out.splitlines()[1:]]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(people(), columns=NAMES).drop(columns="approved")
    frame["owner"] = frame["owner"] == "true"
    model = oddlearn.load(trained / "model.json")
    assert [row[0] for row in given] == model.predict(frame).tolist()
    assert [[float(number) for number in row[1:]] for row in given] == model.predict_proba(frame).tolist()


def test_an_unknown_option_points_to_the_help_of_its_command(capsys):
    assert main(["predict", "model.json", "new.csv", "--nonsense"]) == 2
    assert capsys.readouterr().err.endswith("--nonsense. See 'oddlearn predict --help'.\n")


def options_of(parser):
    """Return the options of a parser and of all its commands."""
    options = set(parser._option_string_actions)
    for action in parser._actions:
        for command in (action.choices or {}).values() if isinstance(action.choices, dict) else ():
            options |= options_of(command)
    return options


def test_every_option_that_a_text_names_exists():
    known = options_of(build_parser())
    package = Path(oddlearn.__file__).parent
    # variables of style sheets have the same form as options
    paths = [path for path in sorted(package.rglob("*.py")) if "report" not in path.parts]
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*\b", node.value))
                assert named <= known, (path.name, node.lineno, named - known)
