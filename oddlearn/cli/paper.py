"""``oddlearn paper``: options of the commands that run the paper's study and show its results."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from oddlearn.cli.console import print_json, print_note
from oddlearn.cli.parser import (
    Commands,
    add_command,
    add_command_group,
    parse_positive_int,
    parse_seconds,
    parse_seed,
)
from oddlearn.cli.shared_options import add_json_option
from oddlearn.view.number_text import plural

DESCRIPTION = """\
Reproduce the study of "Optimal Decision Diagrams for Classification": 13,500 runs on 54 data sets with 5
splits of the rows, 4 skeletons and trees, 5 values of alpha, univariate and multivariate splits. Tables and
figures show our results beside the paper's. Results are saved in a store. If interrupted, a run resumes."""

EXAMPLES = """\
  oddlearn paper run --seconds 1 --jobs 2          the whole study, about two hours on two cores
  oddlearn paper run --dataset iris --seeds 1      a small part, into the same store
  oddlearn paper status                            count finished and missing trials
  oddlearn paper tables                            our results beside the paper's
  oddlearn paper figures --output figures
"""

STORE = "study.sqlite"

# in the order in which they run: the stability part needs the results of the grid
PARTS = ("grid", "step-one", "stability", "monks", "long")

FORMATS = ("text", "markdown", "csv")

STORE_HELP = f"SQLite file of the results ({STORE})"
RESULTS_HELP = f"a store, or an exported .csv, .csv.gz or .csv.xz file ({STORE})"


def add(commands: Commands, summary: str) -> None:
    """Add the command, its subcommands and their options."""
    parser = add_command(commands, "paper", "COMMAND", summary, DESCRIPTION, EXAMPLES)
    parser.set_defaults(run=partial(_help, parser))
    group = add_command_group(parser)
    _add_run(group)
    _add_status(group)
    _add_tables(group)
    _add_figures(group)
    _add_export(group)


def _add_run(commands: Commands) -> None:
    description = "Run the trials that are missing in the store. If interrupted, the same command resumes."
    examples = "  oddlearn paper run --seconds 1 --jobs 2\n  oddlearn paper run --part long --jobs 2\n"
    parser = add_command(commands, "run", "", "run the missing trials", description, examples)
    _add_scope(parser)
    parser.add_argument(
        "--jobs", metavar="N", type=parse_positive_int, default=1, help="number of parallel processes (1)"
    )
    parser.set_defaults(run=_run)


def _add_status(commands: Commands) -> None:
    description = "Count the finished and the missing trials of each part, and estimate the remaining time."
    summary, examples = "count finished and missing trials", "  oddlearn paper status\n"
    parser = add_command(commands, "status", "", summary, description, examples)
    _add_scope(parser)
    add_json_option(parser)
    parser.set_defaults(run=_status)


def _add_scope(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("trials")
    group.add_argument("--store", metavar="FILE", type=Path, default=Path(STORE), help=STORE_HELP)
    group.add_argument(
        "--data", metavar="DIR", type=Path, help="directory of the data sets (ODDLEARN_DATA, or download)"
    )
    group.add_argument(
        "--part", choices=PARTS, action="append", help="only this part; repeatable (all, in this order)"
    )
    group.add_argument(
        "--dataset", metavar="NAME", action="append", help="only this data set; repeatable (all 54)"
    )
    group.add_argument(
        "--seeds", metavar="N,N", type=_parse_seeds, default=(1, 2, 3, 4, 5), help="seeds (1,2,3,4,5)"
    )
    group.add_argument("--split", choices=("univariate", "multivariate"), help="only this kind of split")
    group.add_argument(
        "--seconds", metavar="SECONDS", type=parse_seconds, default=1.0, help="time limit of a grid run (1)"
    )


def _add_tables(commands: Commands) -> None:
    description = "Print the tables of the study, our results beside the paper's."
    examples = "  oddlearn paper tables\n  oddlearn paper tables study.csv.xz --format markdown\n"
    parser = add_command(commands, "tables", "", "print the tables", description, examples)
    _add_results(parser)
    parser.add_argument("--format", choices=FORMATS, default="text", help="text, markdown or csv (text)")
    parser.add_argument(
        "--output",
        metavar="DIR",
        type=Path,
        help="write one file per table into this folder; existing files are replaced",
    )
    parser.set_defaults(run=_tables)


def _add_figures(commands: Commands) -> None:
    description = "Draw the figures of the study as SVG and PNG."
    examples = "  oddlearn paper figures --output figures\n"
    parser = add_command(commands, "figures", "", "draw the figures", description, examples)
    _add_results(parser)
    parser.add_argument(
        "--output",
        metavar="DIR",
        type=Path,
        default=Path("figures"),
        help="folder for the files (figures); existing files are replaced",
    )
    parser.set_defaults(run=_figures)


def _add_results(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "results", metavar="FILE", type=Path, nargs="?", default=Path(STORE), help=RESULTS_HELP
    )


def _add_export(commands: Commands) -> None:
    description = "Export all results of a store, without the models, to one compressed CSV file."
    examples = "  oddlearn paper export study.csv.xz\n"
    parser = add_command(commands, "export", "FILE", "export the results as CSV", description, examples)
    parser.add_argument("file", metavar="FILE", type=Path, help="must end in .csv, .csv.gz or .csv.xz")
    parser.add_argument("--store", metavar="FILE", type=Path, default=Path(STORE), help=STORE_HELP)
    parser.add_argument("--force", action="store_true", help="replace an existing file")
    parser.set_defaults(run=_export)


def _help(parser: argparse.ArgumentParser, args: argparse.Namespace) -> int:
    parser.print_help()
    return 0


def _run(args: argparse.Namespace) -> int:
    from oddlearn.cli.study_runs import run_parts

    try:
        ran = run_parts(_with_parts(args))
    except KeyboardInterrupt:
        print_note("Finished trials are saved. Run the same command to resume.")
        raise
    print_note(f"{plural(ran, 'trial')} ran. Results: 'oddlearn paper tables {args.store}'.")
    return 0


def _status(args: argparse.Namespace) -> int:
    from oddlearn.cli.study_runs import count_trials, status_text

    parts = count_trials(_with_parts(args))
    if args.json:
        print_json({"store": str(args.store), "parts": parts})
    else:
        print(status_text(parts))
    return 0


def _tables(args: argparse.Namespace) -> int:
    from oddlearn.cli.study_runs import print_tables, write_tables

    if args.output is None:
        print_tables(args.results, args.format)
        return 0
    for path in write_tables(args.results, args.format, args.output):
        print(str(path))
    return 0


def _figures(args: argparse.Namespace) -> int:
    from oddlearn.study.figures import draw_figures
    from oddlearn.study.result_store import read_results

    paths = draw_figures(read_results(args.results), args.output)
    for path in paths:
        print(str(path))
    if not paths:
        print_note("No figure was drawn: none of the trials that they show has run.")
    return 0


def _export(args: argparse.Namespace) -> int:
    from oddlearn.cli.console import check_overwrite
    from oddlearn.study.result_rows import check_csv_suffix, write_csv
    from oddlearn.study.result_store import read_results

    check_csv_suffix(args.file)
    check_overwrite([args.file], args.force)
    results = read_results(args.store)
    write_csv(results, args.file)
    print(f"{args.file}: {len(results):,} results, {args.file.stat().st_size / 1e3:,.0f} kB.")
    return 0


def _with_parts(args: argparse.Namespace) -> argparse.Namespace:
    """Return the options with the requested parts, without duplicates, in the order in which they run."""
    args.parts = [part for part in PARTS if not args.part or part in args.part]
    return args


def _parse_seeds(text: str) -> tuple[int, ...]:
    """Return the seeds of a comma-separated list, without duplicates."""
    given = tuple(dict.fromkeys(parse_seed(part) for part in text.split(",") if part.strip()))
    if not given:
        raise argparse.ArgumentTypeError(f"{text!r} has no seeds: give whole numbers, such as 1,2,3")
    return given
