"""How long does a default fit take, what does it reach, and does it give the same diagram again?

``record`` fits the paper's 54 data sets with default parameters and stores seconds, objective, proof and a
digest of the predictions; ``--busy`` keeps another core busy meanwhile, and PYTHONPATH may point to another
version of the library. ``compare`` sets two files side by side.

    python benchmarks/default_fits.py record --file first.csv --busy
    python benchmarks/default_fits.py record --file again.csv --busy
    python benchmarks/default_fits.py compare first.csv again.csv
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import time
import warnings
from pathlib import Path

import _data
import numpy as np
from _store import Store

from oddlearn import OptimalDecisionDiagramClassifier

COLUMNS = ("dataset", "seconds", "cpu", "objective", "is_optimal", "nodes", "last_improvement", "digest")


def record(args: argparse.Namespace) -> None:
    store = Store(args.file, COLUMNS, COLUMNS[:1])
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if args.busy else None
    try:
        for name in _data.dataset_names():
            if store.find(name) is None:
                print(*store.add(dataset=name, **fit(name, args.seconds, args.alpha)).values(), flush=True)
    finally:
        if busy is not None:
            busy.kill()
    print_means(store.rows)


def fit(name: str, seconds: float, alpha: float) -> dict[str, object]:
    X, y = _data.load(name)
    started, cpu = time.perf_counter(), time.process_time()
    options = {"alpha": alpha, "time_limit": seconds, "random_state": 0}
    model = OptimalDecisionDiagramClassifier(**options).fit(X, y)
    improved = [event.seconds for event in model.certificate_.events if hasattr(event, "objective")]
    return {
        "seconds": round(time.perf_counter() - started, 3),
        "cpu": round(time.process_time() - cpu, 3),
        "objective": model.objective_,
        "is_optimal": model.is_optimal_,
        "nodes": model.n_nodes_,
        "last_improvement": round(max(improved, default=0.0), 3),
        "digest": hashlib.sha256(model.predict(X).tobytes()).hexdigest()[:12],
    }


def print_means(rows: list[dict[str, str]]) -> None:
    seconds, cpu, objective = (
        np.mean([float(row[name]) for row in rows]) for name in ("seconds", "cpu", "objective")
    )
    n_proofs = sum(row["is_optimal"] == "True" for row in rows)
    print(
        f"{len(rows)} fits: {seconds:.2f} s, {cpu:.2f} s of CPU, objective {objective:.5f} in the mean; "
        f"{n_proofs} proofs"
    )


def compare(args: argparse.Namespace) -> None:
    first, second = ({row["dataset"]: row for row in Store(path, COLUMNS, ()).rows} for path in args.files)
    common = [name for name in first if name in second]
    for rows in (first, second):
        print_means([rows[name] for name in common])
    same = [name for name in common if first[name]["digest"] == second[name]["digest"]]
    print(f"{len(same)} of {len(common)} fits have the same predictions")
    for name in common:
        one, other = first[name], second[name]
        difference = float(one["objective"]) - float(other["objective"])
        if name not in same or one["is_optimal"] != other["is_optimal"]:
            proofs = f"proved {one['is_optimal']} / {other['is_optimal']}"
            print(f"  {name}: objective {difference:+.5f}, {proofs}, {one['seconds']} / {other['seconds']} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(required=True)
    recording = commands.add_parser("record")
    recording.add_argument("--file", type=Path, required=True)
    recording.add_argument("--seconds", type=float, default=10.0)
    recording.add_argument("--alpha", type=float, default=0.1, help="the penalty of earlier defaults")
    recording.add_argument("--busy", action="store_true")
    recording.set_defaults(run=record)
    comparing = commands.add_parser("compare")
    comparing.add_argument("files", type=Path, nargs=2)
    comparing.set_defaults(run=compare)
    warnings.simplefilter("ignore")
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
