"""``oddlearn solvers``: list installed solvers and optional packages."""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass
from importlib import metadata

import oddlearn
from oddlearn.cli.console import print_json
from oddlearn.cli.parser import Commands, add_command
from oddlearn.cli.shared_options import add_json_option

DESCRIPTION = """\
List the solvers that --exact accepts and the optional packages, with version and purpose. None is loaded, so
licences are not checked."""

EXAMPLES = """\
  oddlearn solvers
  oddlearn solvers --json
"""


@dataclass(frozen=True)
class OptionalPackage:
    """A solver or an optional package; without a package name it is package of oddlearn."""

    name: str
    package: str
    extra: str
    purpose: str


SOLVERS = (
    OptionalPackage("branch_and_bound", "", "", "proofs for univariate splits: branch and bound of oddlearn"),
    OptionalPackage("highs", "highspy", "", "proofs for multivariate splits: HiGHS, a mixed-integer solver"),
    OptionalPackage(
        "cpsat", "ortools", "cpsat", "proofs for univariate splits and with constraints: OR-Tools CP-SAT"
    ),
    OptionalPackage("scip", "pyscipopt", "scip", "SCIP, a mixed-integer solver, in place of HiGHS"),
    OptionalPackage(
        "gurobi", "gurobipy", "gurobi", "Gurobi, a mixed-integer solver; large models need a licence"
    ),
)

PACKAGES = (
    OptionalPackage("pandas", "pandas", "tables", "rules and results as data frames"),
    OptionalPackage("pyarrow", "pyarrow", "tables", "Parquet files"),
    OptionalPackage("matplotlib", "matplotlib", "plot", "plots in Python"),
    OptionalPackage("onnx", "onnx", "onnx", "export --to onnx"),
)

KINDS = {"solvers": SOLVERS, "packages": PACKAGES}


def add(commands: Commands, summary: str) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "solvers", "", summary, DESCRIPTION, EXAMPLES)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """List solvers and packages."""
    if args.json:
        print_json({kind: list(map(_package_content, packages)) for kind, packages in KINDS.items()})
        return 0
    width = max(len(package.name) for packages in KINDS.values() for package in packages) + 2
    for kind, packages in KINDS.items():
        print(f"{kind}:")
        for package in packages:
            version, purpose = _version(package) or "-", package.purpose + _install_hint(package)
            print(f"  {package.name:{width}s}{version:12s}{purpose}")
    return 0


def _package_content(package: OptionalPackage) -> dict[str, object]:
    return {**asdict(package), "version": _version(package), "installed": _version(package) is not None}


def _version(package: OptionalPackage) -> str | None:
    if not package.package:
        return oddlearn.__version__
    try:
        return metadata.version(package.package)
    except metadata.PackageNotFoundError:
        return None


def _install_hint(package: OptionalPackage) -> str:
    if _version(package) is not None:
        return ""
    return (
        f' (not installed: pip install "oddlearn[{package.extra}]")' if package.extra else " (not installed)"
    )
