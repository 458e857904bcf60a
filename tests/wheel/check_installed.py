"""Try an installed wheel without the packages of the tests: library, command line, mixed-integer solver.

python tests/wheel/check_installed.py
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import oddlearn


def run(*arguments, folder):
    """Run a command of the command line and return what it prints."""
    command = [sys.executable, "-m", "oddlearn", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def check_library(folder):
    """Fit with branch and bound and with the mixed-integer program, save, load and export."""
    random = np.random.default_rng(0)
    X = random.uniform(size=(60, 3)).round(2)
    y = np.where((X[:, 0] > 0.4) & (X[:, 1] < 0.7), "yes", "no")
    model = oddlearn.OptimalDecisionDiagramClassifier("1-2", random_state=0, time_limit=30).fit(X, y)
    assert model.is_optimal_ and model.score(X, y) == 1
    milp = oddlearn.OptimalDecisionDiagramClassifier(
        "1", split="multivariate", exact=oddlearn.Milp(solver="highs"), random_state=0, time_limit=30
    ).fit(X[:20, :2], y[:20])
    assert milp.certificate_.lower_bound >= 0
    assert oddlearn.export_html(model, folder / "page.html", X, y).stat().st_size > 10_000
    model.save(folder / "saved.json")
    assert (oddlearn.load(folder / "saved.json").predict(X) == model.predict(X)).all()
    rows = "\n".join(",".join([*map(str, row), label]) for row, label in zip(X.tolist(), y, strict=True))
    (folder / "rows.csv").write_text(f"a,b,c,y\n{rows}\n")


def check_commands(folder):
    """Train, show, predict, verify and export by the command line."""
    run("fit", "rows.csv", "--target", "y", "--time-limit", 10, "--quiet", folder=folder)
    assert "node 0" in run("show", "model.json", folder=folder)
    assert run("predict", "model.json", "rows.csv", folder=folder).count("\n") == 61
    assert "Verified" in run("verify", "model.json", "rows.csv", folder=folder)
    assert "CASE" in run("export", "model.json", "--to", "sql", folder=folder)


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_library(Path(folder))
        check_commands(Path(folder))
    where = Path(oddlearn.__file__).parent
    size = sum(path.stat().st_size for path in where.rglob("*") if path.is_file() and path.suffix != ".pyc")
    assert size < 15e6, f"{size / 1e6:.1f} MB installed"
    sys.stdout.write(f"Python {sys.version.split()[0]}: {where} works, {size / 1e6:.1f} MB\n")


if __name__ == "__main__":
    main()
