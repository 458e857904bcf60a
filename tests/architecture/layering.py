"""Checks of the order of rooms: imports and cimports point down the ladder, and there are no cycles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.architecture.source_tree import PACKAGE, SourceTree, cycles

# from the bottom up; the public face stands below the command line, which uses it
LADDER = [
    *("errors", "kernels", "diagram", "table", "streaming", "problem", "constraints", "model"),
    *("view", "export", "report", "solve"),
    *("estimators", "fairness", "datasets", "study", "__init__", "cli", "__main__"),
]

# inside solve, from the bottom up; those of one step do not import each other
SOLVE_STEPS = [
    ("budget", "interrupt"),
    ("state",),
    ("solver",),
    ("best_threshold", "single_node_check", "step"),
    ("rounds",),
    ("worker", "hyperplanes"),
    ("root_bounds", "local_search", "branch_and_bound"),
    ("construct",),
    ("lagrangian", "milp", "cpsat", "histogram"),
    ("large_tables",),
    ("schedule",),
    ("feasibility",),
    ("loop",),
    ("__init__",),
]
SOLVE_RANK = {unit: rank for rank, step in enumerate(SOLVE_STEPS) for unit in step}

KERNEL_FOLDERS = {"common", "local_search", "branch_and_bound", "routing", "histogram", "hyperplanes"}


def check_rooms(tree: SourceTree) -> Iterator[str]:
    """Every room stands on the ladder, and every part of solve on its own."""
    rooms = {_room(name) for name in tree.modules}
    yield from (f"{room} is not on the ladder" for room in rooms - set(LADDER))
    units = {_unit(name) for name in tree.modules if _room(name) == "solve"}
    yield from (f"solve/{unit} is not on the ladder of solve" for unit in units - SOLVE_RANK.keys())


def check_ladder(tree: SourceTree) -> Iterator[str]:
    """Imports, lazy ones and strings included, point down."""
    for module, target in _edges(tree.imports):
        if target.startswith("."):
            yield f"{module} has a relative import of {target}"
        elif target.endswith("."):
            yield f"{module} builds the name of a module that begins with {target}"
        elif target not in tree.modules and not target.endswith(".__version__"):
            yield f"{module} names {target}, which is no module"
        elif target in tree.modules and _points_up(module, target):
            yield f"{module} -> {target}"


def check_import_cycles(tree: SourceTree) -> Iterator[str]:
    """No two modules import each other, directly or through others; the public face is left out."""
    graph = {name: targets for name, targets in tree.imports.items() if name != PACKAGE}
    yield from (f"{name} is in a cycle" for group in cycles(graph) for name in group)


def check_cimports(tree: SourceTree) -> Iterator[str]:
    """Kernels stand in folders, and only ``common`` is cimported from another folder."""
    for module in tree.cimports:
        if _kernel_folder(module) not in KERNEL_FOLDERS:
            yield f"{module} is outside the folders of kernels"
    for module, target in _edges(tree.cimports):
        here, there = _kernel_folder(module), _kernel_folder(target)
        if target not in tree.modules:
            yield f"{module} cimports {target}, which is no module"
        elif there not in (here, "common"):
            yield f"{module} cimports {target}"


def check_cimport_cycles(tree: SourceTree) -> Iterator[str]:
    """No two kernels cimport each other, directly or through others."""
    yield from (f"{name} is in a cycle" for group in cycles(tree.cimports) for name in group)


def _edges(graph: dict[str, set[str]]) -> Iterable[tuple[str, str]]:
    return ((module, target) for module in sorted(graph) for target in sorted(graph[module]))


def _room(module: str) -> str:
    return [*module.split("."), "__init__"][1]


def _unit(module: str) -> str:
    return [*module.split("."), "__init__"][2]


def _kernel_folder(module: str) -> str:
    parts = module.split(".")
    return parts[2] if len(parts) > 3 else ""


def _points_up(module: str, target: str) -> bool:
    """Return whether an import leads up; rooms that are not on the ladder are reported by check_rooms."""
    here, there = _room(module), _room(target)
    if here not in LADDER or there not in LADDER:
        return False
    if here == there == "solve":
        first, second = _unit(module), _unit(target)
        known = first in SOLVE_RANK and second in SOLVE_RANK
        return known and first != second and SOLVE_RANK[second] >= SOLVE_RANK[first]
    return LADDER.index(there) > LADDER.index(here)
