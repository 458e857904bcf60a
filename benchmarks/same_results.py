"""Are the results the same after a change of the code that should not change them?

    python benchmarks/same_results.py record results.jsonl.xz       (ends and resumes at any row)
    python benchmarks/same_results.py compare results.jsonl.xz
    python benchmarks/same_results.py compare before.jsonl.xz after.jsonl.xz

Two parts. The search: 54 data sets x both kinds of split x skeleton 1-2-4-4-4 and trees of depth 4, alpha
0.1, 30 iterations: objective and diagram. The exact solvers: twenty small problems each, solved to the end:
optimum, bound, nodes searched.

A fit without a time limit ends by its iterations, with one exception: the bounds at its start, a linear
program among them, have one second. Rows that differ, if they are few, are therefore run once more, alone.
"""

from __future__ import annotations

import os

# sums in the order of one thread: set before numpy is imported
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import hashlib
import json
import lzma
import multiprocessing
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _result_rows import Row, compare, differences, read_rows, summarise
from _small_problems import N_PROBLEMS, SKELETONS, small_problem

import oddlearn
from oddlearn import datasets
from oddlearn.errors import InfeasibleError

SPLITS = ("univariate", "multivariate")
SHAPES = ("1-2-4-4-4", "tree")
SEARCH_ITERATIONS = 30

# of the search before an exact solver: few, so that the solver has something left to find
FIRST_ITERATIONS = 2

# the best single hyperplane is only looked for in a fit that is limited by time
HYPERPLANE_SECONDS = 100.0

# rows that differ and are run once more
MAX_REPEATED = 20

# solvers whose count of nodes does not depend on time
COUNTED = ("branch_and_bound", "milp", "single_hyperplane")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Record results, or compare with recorded ones.")
    parser.add_argument("command", choices=["record", "compare"])
    parser.add_argument("reference", type=Path, help="file of rows: .jsonl or .jsonl.xz")
    parser.add_argument("other", type=Path, nargs="?", help="compare with this file, not the present code")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--only", default="", help="only rows whose key contains this")
    return parser.parse_args()


def data_directory() -> Path:
    given = os.environ.get("ODDLEARN_DATA")
    return Path(given) if given else Path(__file__).resolve().parents[2] / "shared"


def all_keys() -> list[str]:
    """Return the keys of all rows, those of the exact solvers first: they are quick."""
    small = [f"{solver}/{seed}" for solver in SKELETONS for seed in range(N_PROBLEMS)]
    names = [entry.name for entry in datasets.CATALOGUE]
    fits = [f"search/{name}/{split}/{shape}" for split in SPLITS for name in names for shape in SHAPES]
    return small + fits


def run(key: str) -> Row:
    """Run the fit of one key."""
    began = time.perf_counter()
    solver, _, rest = key.partition("/")
    result = _search(*rest.split("/")) if solver == "search" else _solve_small(solver, int(rest))
    return {"key": key, **result, "seconds": round(time.perf_counter() - began, 2)}


def _search(name: str, split: str, shape: str) -> Row:
    dataset = datasets.load(name, data_directory())
    options: dict[str, Any] = {
        "alpha": 0.1,
        "split": split,
        "exact": None,
        "max_iter": SEARCH_ITERATIONS,
        "time_limit": None,
        "random_state": 0,
    }
    if shape == "tree":
        model = oddlearn.OptimalDecisionTreeClassifier(4, **options)
    else:
        model = oddlearn.OptimalDecisionDiagramClassifier(shape, **options)
    model.fit(dataset.X, dataset.codes)
    return {"objective": model.objective_, "iterations": model.n_iter_, **_diagram(model)}


def _solve_small(solver: str, seed: int) -> Row:
    problem = small_problem(solver, seed)
    options = {"random_state": 0, **problem.options}
    if solver == "single_hyperplane":
        options |= {"exact": "auto", "time_limit": HYPERPLANE_SECONDS}
    else:
        options |= {"exact": solver, "time_limit": None, "max_iter": FIRST_ITERATIONS}
    model = oddlearn.OptimalDecisionDiagramClassifier(**options)
    try:
        model.fit(problem.X, problem.y, problem.sample_weight, sensitive_features=problem.sensitive_features)
    except InfeasibleError:
        return {"objective": None, "is_infeasible": True}
    return {
        "objective": model.objective_,
        "lower_bound": model.lower_bound_,
        "is_optimal": bool(model.is_optimal_),
        "nodes": _nodes(model, solver),
        # of several optimal diagrams a solver with threads and clocks of its own may find any
        **(_diagram(model) if solver == "branch_and_bound" else {}),
    }


def _diagram(model: Any) -> Row:  # noqa: ANN401
    diagram = json.loads(model.to_json())["diagram"]
    canonical = json.dumps(diagram, sort_keys=True, separators=(",", ":"))
    return {"digest": hashlib.sha256(canonical.encode()).hexdigest(), "diagram": diagram}


def _nodes(model: Any, solver: str) -> int | None:  # noqa: ANN401
    """Return the nodes that a solver searched; of the single hyperplane its linear programs."""
    for proof in model.certificate_.evidence if solver in COUNTED else ():
        if proof.solver == solver:
            number = re.search(r"(\d+) linear program", proof.text)
            return int(number[1]) if number else int(proof.nodes)
    return None


def code_digest() -> str:
    """Return a digest of the package's code, so that rows of other code are not taken for its own."""
    digest = hashlib.sha256()
    folder = Path(oddlearn.__file__).parent
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".py", ".so", ".pyd"):
            digest.update(str(path.relative_to(folder)).encode() + path.read_bytes())
    return digest.hexdigest()


def run_missing(keys: list[str], path: Path, jobs: int) -> dict[str, Row]:
    """Run what the file lacks, adding rows to it one by one; return the rows of the present code."""
    code = code_digest()
    stored = read_rows(path) if path.exists() else {}
    rows = {key: row for key, row in stored.items() if row["code"] == code}
    # without rows of other code, and without one that was cut off
    path.write_text("".join(json.dumps(row) + "\n" for row in rows.values()))
    missing = [key for key in keys if key not in rows]
    began = time.perf_counter()
    with path.open("a") as lines:
        for count, row in enumerate(_run_all(missing, jobs), 1):
            rows[row["key"]] = {**row, "code": code}
            lines.write(json.dumps(rows[row["key"]]) + "\n")
            lines.flush()
            if count % 20 == 0 or count == len(missing) or row["seconds"] > 20:
                done = f"{count} of {len(missing)} rows, {time.perf_counter() - began:.0f} s"
                print(f"{done}; {row['key']}: {row['seconds']} s", flush=True)
    return {key: rows[key] for key in keys}


def _run_all(keys: list[str], jobs: int) -> Iterator[Row]:
    if jobs == 1 or len(keys) < 2:
        yield from map(run, keys)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield from pool.imap_unordered(run, keys)


def record(path: Path, keys: list[str], jobs: int) -> None:
    part = path.with_name(path.name + ".part")
    rows = run_missing(keys, part, jobs)
    text = "".join(json.dumps(row) + "\n" for row in rows.values())
    path.write_bytes(lzma.compress(text.encode()) if path.suffix == ".xz" else text.encode())
    part.unlink()
    print(f"{len(rows)} rows written to {path}")


def main() -> None:
    options = arguments()
    keys = [key for key in all_keys() if options.only in key]
    if options.command == "record":
        record(options.reference, keys, options.jobs)
        return
    before = {key: row for key, row in read_rows(options.reference).items() if options.only in key}
    if options.other is not None:
        found = read_rows(options.other)
        before = {key: row for key, row in before.items() if key in found}
        after = {key: found[key] for key in before}
    else:
        work = Path(tempfile.gettempdir()) / f"{options.reference.name}.{code_digest()[:12]}.jsonl"
        after = run_missing(list(before), work, options.jobs)
        changed = [key for key in before if any(differences(before[key], after[key]))]
        after |= {key: run(key) for key in changed if len(changed) <= MAX_REPEATED}
    summarise(before, after, compare(before, after))


if __name__ == "__main__":
    main()
