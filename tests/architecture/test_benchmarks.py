"""Scripts that no test runs: what they import from the package, and what they change in it, exists."""

import ast
import importlib
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

# reads trees of other layouts, too
OTHER_LAYOUTS = "_old_names.py"

SCRIPTS = sorted(path for path in BENCHMARKS.glob("*.py") if path.name != OTHER_LAYOUTS)


def imported_names(path):
    """Yield module and name of each import from the package in a script."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "oddlearn":
            yield from ((node.module, alias.name) for alias in node.names)


def exists(module, name):
    if hasattr(importlib.import_module(module), name):
        return True
    return importlib.util.find_spec(f"{module}.{name}") is not None


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_what_a_benchmark_imports_exists(path):
    assert [pair for pair in imported_names(path) if not exists(*pair)] == []


def test_what_the_ablation_turns_off_exists(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    ablation = importlib.import_module("ablation")
    for module, name, _ in ablation.CONSTANTS.values():
        assert hasattr(module, name), name
    switches = set(ablation.PROOF_SWITCHES) - {"nothing", *ablation.CONSTANTS}
    assert all(ablation.flag(ablation.row_sets, switch) for switch in switches)
    assert all(ablation.flag(ablation.search_table, switch) for switch in ablation.OTHER_PATH)
