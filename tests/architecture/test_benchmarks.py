"""Scripts that no test runs: what they import from the package, and what they change in it, exists."""

import ast
import importlib
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from oddlearn.problem.training_data import TrainingData
from oddlearn.problem.training_problem import build_problem
from oddlearn.problem.tree_skeleton import choose_tree_skeleton

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

SCRIPTS = sorted(BENCHMARKS.glob("*.py"))


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
    subjects = importlib.import_module("_ablation_subjects")
    for module, name, _ in subjects.CONSTANTS.values():
        assert hasattr(module, name), name
    kernels = {
        subjects.row_sets: set(subjects.PROOF_SWITCHES) - set(subjects.CONSTANTS),
        subjects.price_sets: set(subjects.PRICE_SWITCHES) - {"sets_as_bits"},
        subjects.search_table: importlib.import_module("ablation").OTHER_PATH,
    }
    for kernel, switches in kernels.items():
        assert all(subjects.flag(kernel, switch) for switch in switches - {"nothing"})


def test_trees_by_price_are_proved_without_each_part(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    subjects = importlib.import_module("_ablation_subjects")
    X = np.random.default_rng(0).integers(0, 3, (60, 4)).astype(float)
    data = TrainingData.collect(X, (X.sum(axis=1) % 2).astype(int), 2)
    problem = build_problem(data, choose_tree_skeleton(data, 0.05), None, "univariate", node_price=0.05)
    trees = subjects.PriceTrees(SimpleNamespace(problem=lambda: problem))
    runs = {switch: trees.run(switch, 0) for switch in subjects.PRICE_SWITCHES}
    assert len({run.objective for run in runs.values()}) == 1
    assert runs["sets_as_bits"].count != runs["nothing"].count
