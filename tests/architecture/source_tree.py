"""The package's source as the checks read it: files, names, and what each module imports."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PACKAGE = "oddlearn"

# a module named in a string, as importlib takes it, or a task "module:function" for a process of its own
NAMED = re.compile(rf"{PACKAGE}(\.\w+)+(:\w+)?")

CIMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+cimport\b|cimport\s+([\w.]+))", re.MULTILINE)
CYTHON_IMPORT = re.compile(
    rf"^\s*(?:from\s+({PACKAGE}[\w.]*)\s+import\b|import\s+({PACKAGE}[\w.]*))", re.MULTILINE
)
CYTHON_TEXT = re.compile(r'""".*?"""|"[^"\n]*"|\'[^\'\n]*\'|#[^\n]*', re.DOTALL)


@dataclass(frozen=True)
class SourceTree:
    """The files of a package; ``root`` is the folder that holds it."""

    root: Path

    @cached_property
    def python(self) -> dict[str, ast.Module]:
        """The parsed Python files by path."""
        files = sorted((self.root / PACKAGE).rglob("*.py"))
        return {self.path_text(path): ast.parse(path.read_text(encoding="utf-8")) for path in files}

    @cached_property
    def cython(self) -> dict[str, str]:
        """The text of .pyx and .pxd files by path."""
        folder = self.root / PACKAGE
        files = sorted([*folder.rglob("*.pyx"), *folder.rglob("*.pxd")])
        return {self.path_text(path): path.read_text(encoding="utf-8") for path in files}

    @cached_property
    def modules(self) -> set[str]:
        """The names of all modules, packages and kernels."""
        return {module_name(path) for path in [*self.python, *self.cython]}

    @cached_property
    def imports(self) -> dict[str, set[str]]:
        """The modules of the package that each one imports, at any depth of its code, strings included."""
        found: dict[str, set[str]] = {name: set() for name in self.modules}
        for path, tree in self.python.items():
            module = module_name(path)
            # a package that a module of its own names in a string is where its data files are
            strings = {name for name in strings_with_modules(tree) if not module.startswith(f"{name}.")}
            found[module] |= {self.resolve(name) for name in imported_names(tree) | strings}
        for path, text in self.cython.items():
            for match in CYTHON_IMPORT.finditer(text):
                found[module_name(path)] |= {self.resolve(match[1] or match[2])}
        return {name: targets - {name} for name, targets in found.items()}

    @cached_property
    def cimports(self) -> dict[str, set[str]]:
        """The kernels of the package that each one cimports; .pyx and .pxd are one module."""
        found: dict[str, set[str]] = {module_name(path): set() for path in self.cython}
        for path, text in self.cython.items():
            for match in CIMPORT.finditer(text):
                name = match[1] or match[2]
                if name.split(".")[0] == PACKAGE:
                    found[module_name(path)].add(name)
        return {name: targets - {name} for name, targets in found.items()}

    def path_text(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()

    def resolve(self, name: str) -> str:
        """Return the module of a name that may be of something inside it; a dangling name stays as it is."""
        parts = name.split(":")[0].split(".")
        if parts[-1] in ("__version__", ""):
            return name
        for end in range(len(parts), 1, -1):
            if ".".join(parts[:end]) in self.modules:
                return ".".join(parts[:end])
        return PACKAGE if len(parts) <= 2 else name


def module_name(path: str) -> str:
    """Return the dotted name of a file of the package."""
    parts = path.rsplit(".", 1)[0].split("/")
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_names(tree: ast.Module) -> set[str]:
    """Return every dotted name of the package that is imported; a relative import keeps its dots."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            names |= {f"{base}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name for name in names if name.split(".")[0] in (PACKAGE, "")}


def strings_with_modules(tree: ast.Module) -> set[str]:
    """Return the strings that name a module of the package; of one that is built, its beginning."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and node.values and isinstance(node.values[0], ast.Constant):
            start = str(node.values[0].value)
            found |= {start} if start.startswith(f"{PACKAGE}.") else set()
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and NAMED.fullmatch(node.value):
            found.add(node.value)
    return found


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of modules that reach each other, each sorted."""
    reached = {name: _reach(graph, name) for name in graph}
    groups = {
        tuple(sorted(other for other in reached[name] if name in reached.get(other, set())))
        for name in graph
        if name in reached[name]
    }
    return [list(group) for group in sorted(groups)]


def _reach(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += graph.get(name, set())
    return found
