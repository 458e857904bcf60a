"""``oddlearn paper``: the paper's study, run, taken up again, and read off."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from oddlearn.cli.console import note, say, say_json
from oddlearn.cli.options import add_json
from oddlearn.cli.parsing import Commands, add_command, add_command_group, seconds, seed, whole

SUMMARY = "the paper's study on 54 data sets: run, tables, figures, status"

DESCRIPTION = """\
Rebuild the study of "Optimal Decision Diagrams for Classification": 54 data sets, 5 splits, 4 skeletons and
trees, 5 prices of a node, both kinds of splits: 13,500 runs, and what is read off them, beside the paper's
numbers. Results are kept in a store; a run that is ended, in whatever way, goes on where it was."""

EXAMPLES = """\
  oddlearn paper run --seconds 1 --jobs 2          all of it, some two hours on two cores
  oddlearn paper run --dataset iris --seeds 1      a small part, into the same store
  oddlearn paper status                            what has run, what is missing
  oddlearn paper tables                            ours beside the paper's
  oddlearn paper figures --output figures
"""

STORE = "study.sqlite"

# in the order they run: the stability part chooses by the results of the grid
PARTS = ("grid", "step-one", "stability", "monks", "long")

FORMATS = ("text", "markdown", "csv")

STORE_HELP = f"file of the results ({STORE})"
RESULTS_HELP = f"a store, or an extract in .csv, .csv.gz or .csv.xz ({STORE})"


def add(commands: Commands) -> None:
    """Add the command, its own commands and their options."""
    parser = add_command(commands, "paper", "COMMAND", SUMMARY, DESCRIPTION, EXAMPLES)
    parser.set_defaults(run=partial(_help, parser))
    group = add_command_group(parser)
    _add_run(group)
    _add_status(group)
    _add_tables(group)
    _add_figures(group)
    _add_extract(group)


def _add_run(commands: Commands) -> None:
    description = "Run the trials that the store does not have yet. Ctrl-C ends it; what is done is kept."
    examples = "  oddlearn paper run --seconds 1 --jobs 2\n  oddlearn paper run --part long --jobs 2\n"
    parser = add_command(commands, "run", "", "run what is missing", description, examples)
    _add_scope(parser)
    parser.add_argument(
        "--jobs", metavar="N", type=whole, default=1, help="processes that work side by side (1)"
    )
    parser.set_defaults(run=_run)


def _add_status(commands: Commands) -> None:
    description = "Say how many trials of each part have run, and about how long the others will take."
    parser = add_command(commands, "status", "", "what has run", description, "  oddlearn paper status\n")
    _add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=_status)


def _add_scope(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("which trials")
    group.add_argument("--store", metavar="FILE", type=Path, default=Path(STORE), help=STORE_HELP)
    group.add_argument(
        "--data", metavar="DIR", type=Path, help="where the data sets are; else ODDLEARN_DATA, or downloaded"
    )
    group.add_argument(
        "--part", choices=PARTS, action="append", help="only this part; may be repeated (all, in this order)"
    )
    group.add_argument(
        "--dataset", metavar="NAME", action="append", help="only this data set; may be repeated (all 54)"
    )
    group.add_argument(
        "--seeds", metavar="N,N", type=_seeds, default=(1, 2, 3, 4, 5), help="of the splits (1,2,3,4,5)"
    )
    group.add_argument("--split", choices=("univariate", "multivariate"), help="only this kind of split")
    group.add_argument(
        "--seconds", metavar="SECONDS", type=seconds, default=1.0, help="time limit of a run of the grid (1)"
    )


def _add_tables(commands: Commands) -> None:
    description = "Write the study's tables, ours beside the paper's numbers, from the results alone."
    examples = "  oddlearn paper tables\n  oddlearn paper tables study.csv.xz --format markdown\n"
    parser = add_command(commands, "tables", "", "the tables", description, examples)
    _add_results(parser)
    parser.add_argument("--format", choices=FORMATS, default="text", help="text, markdown or csv (text)")
    parser.add_argument(
        "--output",
        metavar="DIR",
        type=Path,
        help="write one file per table into a folder instead; those of the same names are replaced",
    )
    parser.set_defaults(run=_tables)


def _add_figures(commands: Commands) -> None:
    description = "Draw the study's figures, SVG and PNG, from the results alone."
    examples = "  oddlearn paper figures --output figures\n"
    parser = add_command(commands, "figures", "", "the figures", description, examples)
    _add_results(parser)
    parser.add_argument(
        "--output",
        metavar="DIR",
        type=Path,
        default=Path("figures"),
        help="folder of the files (figures); those of the same names are replaced",
    )
    parser.set_defaults(run=_figures)


def _add_results(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "results", metavar="FILE", type=Path, nargs="?", default=Path(STORE), help=RESULTS_HELP
    )


def _add_extract(commands: Commands) -> None:
    description = "Write all results of a store, without the models, as one compressed table to pass on."
    examples = "  oddlearn paper extract study.csv.xz\n"
    parser = add_command(commands, "extract", "FILE", "results as one small file", description, examples)
    parser.add_argument("extract", metavar="FILE", type=Path, help="ends in .csv, .csv.gz or .csv.xz")
    parser.add_argument("--store", metavar="FILE", type=Path, default=Path(STORE), help=STORE_HELP)
    parser.add_argument("--force", action="store_true", help="replace a file that exists")
    parser.set_defaults(run=_extract)


def _help(parser: argparse.ArgumentParser, asked: argparse.Namespace) -> int:
    parser.print_help()
    return 0


def _run(asked: argparse.Namespace) -> int:
    from oddlearn.cli.study import run_parts

    try:
        ran = run_parts(asked)
    except KeyboardInterrupt:
        note("Finished trials are kept: the same command goes on where it was.")
        raise
    note(f"{ran:,} trial{'s' * (ran != 1)} ran. Results: 'oddlearn paper tables {asked.store}'.")
    return 0


def _status(asked: argparse.Namespace) -> int:
    from oddlearn.cli.study import standing, standing_text

    found = standing(asked)
    if asked.json:
        say_json({"store": str(asked.store), "parts": found})
    else:
        say(standing_text(found))
    return 0


def _tables(asked: argparse.Namespace) -> int:
    from oddlearn.cli.study import tables_told, tables_written

    if asked.output is None:
        tables_told(asked.results, asked.format)
        return 0
    for path in tables_written(asked.results, asked.format, asked.output):
        say(str(path))
    return 0


def _figures(asked: argparse.Namespace) -> int:
    from oddlearn.experiments.extract import read_results
    from oddlearn.experiments.figures import all_figures

    paths = all_figures(read_results(asked.results), asked.output)
    for path in paths:
        say(str(path))
    if not paths:
        note("No figure: none of the trials that they show has run.")
    return 0


def _extract(asked: argparse.Namespace) -> int:
    from oddlearn.cli.files import check_free
    from oddlearn.experiments.extract import check_name, read_results, write_extract

    check_name(asked.extract)
    check_free([asked.extract], asked.force)
    results = read_results(asked.store)
    write_extract(results, asked.extract)
    say(f"{asked.extract}: {len(results):,} results, {asked.extract.stat().st_size / 1e3:,.0f} kB.")
    return 0


def _seeds(text: str) -> tuple[int, ...]:
    """Return seeds with commas between them, each once."""
    given = tuple(dict.fromkeys(seed(part) for part in text.split(",") if part.strip()))
    if not given:
        raise argparse.ArgumentTypeError(f"{text!r} are no seeds: give whole numbers, such as 1,2,3")
    return given
