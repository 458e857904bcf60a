"""``oddlearn solvers``: what is installed, and what it is for."""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass
from importlib import metadata

import oddlearn
from oddlearn.cli.console import say, say_json
from oddlearn.cli.parser import Commands, add_command
from oddlearn.cli.shared_options import add_json

SUMMARY = "what is installed to prove and to export with"

DESCRIPTION = """\
List the provers and solvers that --exact can name, and the packages for files and pictures: which are
installed, in which version, and what each is for. None is loaded, so licences are not checked."""

EXAMPLES = """\
  oddlearn solvers
  oddlearn solvers --json
"""


@dataclass(frozen=True)
class Part:
    """Something that may be installed; without a package it comes with oddlearn."""

    name: str
    package: str
    extra: str
    purpose: str


PROVERS = (
    Part("branch", "", "", "proofs for univariate splits: our own branch and bound"),
    Part("highs", "highspy", "", "proofs for multivariate splits: HiGHS, a mixed-integer solver"),
    Part("cpsat", "ortools", "cpsat", "proofs for univariate splits and with constraints: OR-Tools CP-SAT"),
    Part("scip", "pyscipopt", "scip", "SCIP, a mixed-integer solver, in place of HiGHS"),
    Part("gurobi", "gurobipy", "gurobi", "Gurobi, a mixed-integer solver; large models need a licence"),
)

PACKAGES = (
    Part("pandas", "pandas", "tables", "rules and results as data frames"),
    Part("pyarrow", "pyarrow", "tables", "Parquet files"),
    Part("matplotlib", "matplotlib", "plot", "plots in Python"),
    Part("onnx", "onnx", "onnx", "export --to onnx"),
)


def add(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "solvers", "", SUMMARY, DESCRIPTION, EXAMPLES)
    add_json(parser)
    parser.set_defaults(run=run)


def run(asked: argparse.Namespace) -> int:
    """List what there is."""
    if asked.json:
        say_json({kind: [_described(part) for part in parts] for kind, parts in _kinds().items()})
        return 0
    for kind, parts in _kinds().items():
        say(f"{kind}:")
        for part in parts:
            say(f"  {part.name:12s}{_version(part) or '-':12s}{part.purpose}{_advice(part)}")
    return 0


def _kinds() -> dict[str, tuple[Part, ...]]:
    return {"provers": PROVERS, "packages": PACKAGES}


def _described(part: Part) -> dict[str, object]:
    return {**asdict(part), "version": _version(part), "installed": _version(part) is not None}


def _version(part: Part) -> str | None:
    if not part.package:
        return oddlearn.__version__
    try:
        return metadata.version(part.package)
    except metadata.PackageNotFoundError:
        return None


def _advice(part: Part) -> str:
    if _version(part) is not None:
        return ""
    return f' (not installed: pip install "oddlearn[{part.extra}]")' if part.extra else " (not installed)"
