"""What the tree still does against the rules of the house: listed in files, which may only shrink.

python tests/architecture/violations.py                 (drop what was mended; refuse what is new)
python tests/architecture/violations.py --accept-new    (after a move of files: list what there is)
python tests/architecture/violations.py --count
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.architecture import form, layering  # noqa: E402
from tests.architecture.source_tree import SourceTree  # noqa: E402

KNOWN = Path(__file__).with_name("known_violations")

Check = Callable[[SourceTree], Iterator[str]]
CHECKS: dict[str, Check] = {
    "rooms": layering.check_rooms,
    "ladder": layering.check_ladder,
    "import_cycles": layering.check_import_cycles,
    "cimports": layering.check_cimports,
    "cimport_cycles": layering.check_cimport_cycles,
    "top_level": form.check_top_level,
    "unique_names": form.check_unique_names,
    "file_lengths": form.check_file_lengths,
    "function_lengths": form.check_function_lengths,
    "docstrings": form.check_docstrings,
    "words": form.check_words,
}


def known_violations(name: str) -> set[str]:
    """Return the listed violations of a check; none when it has no list."""
    path = KNOWN / f"{name}.txt"
    return set(path.read_text(encoding="utf-8").splitlines()) if path.exists() else set()


def write_known(name: str, violations: set[str]) -> None:
    path = KNOWN / f"{name}.txt"
    if violations:
        KNOWN.mkdir(exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in sorted(violations)), encoding="utf-8")
    else:
        path.unlink(missing_ok=True)


def refresh(name: str, current: set[str], accept_new: bool) -> bool:
    """Write the list of a check, without what was mended; return whether nothing new was left out."""
    known = known_violations(name)
    new = set() if accept_new else current - known
    write_known(name, current - new)
    print(f"{name}: {len(current)} now, {len(known - current)} mended, {len(current - known)} new")
    for line in sorted(new):
        print(f"    new: {line}")
    return not new


def main() -> int:
    parser = argparse.ArgumentParser(description="Known violations of the rules of the house.")
    parser.add_argument("--accept-new", action="store_true", help="list new violations too")
    parser.add_argument("--count", action="store_true", help="only count")
    options = parser.parse_args()
    tree = SourceTree(ROOT)
    found = {name: set(check(tree)) for name, check in CHECKS.items()}
    if options.count:
        print("\n".join(f"{name}: {len(lines)}" for name, lines in found.items()))
        return 0
    results = [refresh(name, lines, options.accept_new) for name, lines in found.items()]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
