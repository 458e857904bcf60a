"""The code of the README and the form of the gallery's examples. `make docs` runs the examples themselves."""

import ast
import re
from pathlib import Path

import pytest

import oddlearn

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("**/plot_*.py"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
PLOTS = {name for name in oddlearn.__all__ if name.startswith("plot_")} | {"show", "plot"}


def test_the_code_of_the_readme_runs_and_writes_a_picture(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    assert "roved optimal" in capsys.readouterr().out
    assert (tmp_path / "diagram.svg").read_text().startswith("<svg")


def test_the_readme_is_short():
    assert len(README.splitlines()) < 100


def test_there_are_at_least_twelve_examples():
    assert len(EXAMPLES) >= 12


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_a_title_and_ends_in_a_picture(path):
    module = ast.parse(path.read_text(encoding="utf-8"))
    title, line = ast.get_docstring(module).splitlines()[:2]
    assert set(line) == {"="} and len(line) == len(title)
    calls = [node.func for node in ast.walk(module) if isinstance(node, ast.Call)]
    assert PLOTS & {getattr(call, "attr", getattr(call, "id", "")) for call in calls}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_imports_public_names(path):
    module = ast.parse(path.read_text(encoding="utf-8"))
    names = [
        name.name
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom) and node.module == "oddlearn"
        for name in node.names
    ]
    assert names and set(names) <= set(oddlearn.__all__)


def test_every_public_name_is_in_the_api_reference():
    text = (ROOT / "docs" / "api" / "index.rst").read_text(encoding="utf-8")
    listed = set(re.findall(r"^   (\w+)$", text, re.MULTILINE))
    assert listed == set(oddlearn.__all__) - {"__version__"}
