"""Rows of results by key: reading a file of them, and saying in what two sets of rows differ."""

from __future__ import annotations

import json
import lzma
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]

# fields that may differ, and those that are compared as diagrams
UNCOMPARED = {"key", "seconds", "code", "digest", "diagram"}


def read_rows(path: Path) -> dict[str, Row]:
    """Return the rows of a file by key, without a last line that was cut off."""
    text = lzma.decompress(path.read_bytes()).decode() if path.suffix == ".xz" else path.read_text()
    complete = text[: text.rfind("\n") + 1]
    return {row["key"]: row for row in map(json.loads, complete.splitlines())}


def compare(before: dict[str, Row], after: dict[str, Row]) -> list[str]:
    """Print the rows that differ and in what; return their keys."""
    different = []
    for key in before:
        lines = list(differences(before[key], after[key]))
        if lines:
            different.append(key)
            print(f"{key}: " + "; ".join(lines))
    return different


def differences(old: Row, new: Row) -> Iterator[str]:
    for name in sorted((old.keys() | new.keys()) - UNCOMPARED):
        first, second = old.get(name), new.get(name)
        if first != second:
            yield f"{name} {first} -> {second}{_change(first, second)}"
    if old.get("digest") != new.get("digest") and "diagram" in old and "diagram" in new:
        yield _diagram_difference(old["diagram"], new["diagram"])


def _change(first: object, second: object) -> str:
    if isinstance(first, float) and isinstance(second, float):
        return f" ({'lower' if second < first else 'higher'} by {abs(second - first):.2g})"
    return ""


def _diagram_difference(old: Row, new: Row) -> str:
    """Say whether diagrams differ in structure or only in numbers, and there by how much at most."""
    first, second = list(_leaves(old)), list(_leaves(new))
    shapes = [[value for value in leaves if not isinstance(value, float)] for leaves in (first, second)]
    if len(first) != len(second) or shapes[0] != shapes[1]:
        return f"diagram with {len(old['nodes'])} -> {len(new['nodes'])} nodes, other arcs or features"
    pairs = [pair for pair in zip(first, second, strict=True) if isinstance(pair[0], float)]
    most = max(abs(a - b) / max(abs(a), abs(b), 1e-300) for a, b in pairs if a != b)
    return f"same arcs, numbers differ by up to {most:.2g} of their size"


def _leaves(document: object) -> Iterator[object]:
    if isinstance(document, dict):
        for name in sorted(document):
            yield name
            yield from _leaves(document[name])
    elif isinstance(document, list):
        for item in document:
            yield from _leaves(item)
    else:
        yield document


def summarise(before: dict[str, Row], after: dict[str, Row], different: list[str]) -> None:
    pairs = [(before[key]["objective"], after[key]["objective"]) for key in before]
    known = [(old, new) for old, new in pairs if old is not None and new is not None]
    lower = sum(new < old and not math.isclose(new, old, rel_tol=1e-9) for old, new in known)
    higher = sum(new > old and not math.isclose(new, old, rel_tol=1e-9) for old, new in known)
    print(f"{len(before)} rows, {len(different)} differ; objectives: {lower} lower, {higher} higher")
