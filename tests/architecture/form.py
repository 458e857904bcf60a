"""Checks of form: names of files, lengths, words and docstrings."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from tests.architecture.layering import SOLVE_STEPS
from tests.architecture.source_tree import CYTHON_TEXT, PACKAGE, SourceTree

TOP_LEVEL = {"__init__.py", "__main__.py", "errors.py"}

# files of one name by contract, and the rooms of solve that have one ("" is solve itself)
SOLVER_ROOMS = {room for step in SOLVE_STEPS for room in step} - {"worker"}
TWINS = {
    "solver": {"", *SOLVER_ROOMS},
    "worker": {"milp", "cpsat"},
    "context": {"milp", "cpsat"},
    "decode": {"branch_and_bound", "milp", "cpsat"},
}

MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 60

QUESTIONS = ("What", "Where", "Which", "How", "Whether")
CYTHON_DOCSTRING = re.compile(rf'^\s*"""({"|".join(QUESTIONS)})\b.*', re.MULTILINE)
CYTHON_DEF = re.compile(r"^(\s*)(?:cpdef|cdef|def)\b[^=\n]*?(\w+)\(")

Documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
WORDS = Path(__file__).with_name("retired_words.txt")


def check_top_level(tree: SourceTree) -> Iterator[str]:
    """No module stands at the top level but the package's face, its entry point and the errors."""
    for path in tree.python:
        if path.count("/") == 1 and PurePosixPath(path).name not in TOP_LEVEL:
            yield path


def check_unique_names(tree: SourceTree) -> Iterator[str]:
    """A file name stands for one file, .pyx included, except the twins by contract."""
    places = defaultdict(list)
    for path in [*tree.python, *(path for path in tree.cython if path.endswith(".pyx"))]:
        file = PurePosixPath(path)
        if file.stem != "__init__" and not _is_twin(file):
            places[file.stem].append(path)
    for paths in places.values():
        yield from paths if len(paths) > 1 else ()


def check_file_lengths(tree: SourceTree) -> Iterator[str]:
    """Files have up to 300 lines."""
    for path in [*tree.python, *(path for path in tree.cython if path.endswith(".pyx"))]:
        if len((tree.root / path).read_text(encoding="utf-8").splitlines()) > MAX_FILE_LINES:
            yield path


def check_function_lengths(tree: SourceTree) -> Iterator[str]:
    """Functions have up to 60 lines, docstrings not counted."""
    for path, module in tree.python.items():
        for node in ast.walk(module):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _lines(node) > MAX_FUNCTION_LINES:
                yield f"{path}: {node.name}"
    for path, text in tree.cython.items():
        lengths = _cython_functions(text)
        yield from (f"{path}: {name}" for name, lines in lengths if lines > MAX_FUNCTION_LINES)


def check_docstrings(tree: SourceTree) -> Iterator[str]:
    """No docstring begins with a question word."""
    for path, module in tree.python.items():
        for node in ast.walk(module):
            text = ast.get_docstring(node) if isinstance(node, Documented) else None
            if text and re.match(rf"({'|'.join(QUESTIONS)})\b", text):
                yield f"{path}: {getattr(node, 'name', 'module')}"
    for path, text in tree.cython.items():
        yield from (f"{path}: {match[0].strip()}" for match in CYTHON_DOCSTRING.finditer(text))


def check_words(tree: SourceTree) -> Iterator[str]:
    """No identifier, file or folder has a name that was retired."""
    patterns = retired_words()
    plain = {word for word in patterns if "*" not in word}
    open_ended = [word for word in patterns if "*" in word]
    names = {path: _identifiers(module) for path, module in tree.python.items()}
    names |= {path: set(re.findall(r"\w+", CYTHON_TEXT.sub(" ", text))) for path, text in tree.cython.items()}
    for path, found in names.items():
        words = found | set(PurePosixPath(path).with_suffix("").parts[1:])
        retired = {word for word in words if word in plain or any(fnmatchcase(word, p) for p in open_ended)}
        yield from (f"{path}: {word}" for word in sorted(retired))


def retired_words() -> list[str]:
    lines = WORDS.read_text(encoding="utf-8").splitlines()
    return [word for line in lines if not line.startswith("#") for word in line.split()]


def _is_twin(file: PurePosixPath) -> bool:
    parts = file.parts[:-1]
    if parts[:2] != (PACKAGE, "solve") or len(parts) > 3:
        return False
    return (parts[2] if len(parts) == 3 else "") in TWINS.get(file.stem, set())


def _lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    assert node.end_lineno is not None
    docstring = node.body[0] if ast.get_docstring(node) else None
    documented = 0 if docstring is None else (docstring.end_lineno or 0) - docstring.lineno + 1
    return node.end_lineno - node.lineno + 1 - documented


def _cython_functions(text: str) -> Iterator[tuple[str, int]]:
    """Yield each function of a Cython file with its lines: up to the next line that is not deeper."""
    text = re.sub(r'"""[^"]*"""', "", text)
    lines = text.splitlines()
    for start, line in enumerate(lines):
        match = CYTHON_DEF.match(line)
        if match is None or re.match(r"\s*cdef\s+(extern|class)\b", line):
            continue
        depth, end = len(match[1]), start
        for place in range(start + 1, len(lines)):
            stripped = lines[place].strip()
            if stripped and len(lines[place]) - len(lines[place].lstrip()) <= depth and stripped[0] != ")":
                break
            end = place if stripped else end
        yield match[2], end - start + 1


def _identifiers(module: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(module):
        for field in ("name", "id", "attr", "arg", "asname"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                found |= set(value.split("."))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(PACKAGE):
            found |= set(node.module.split("."))
    return found
