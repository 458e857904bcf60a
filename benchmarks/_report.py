"""Tables of proofs: the share proved by kind of split and alpha, and every row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Row = dict[str, str]


def summary_lines(rows: Sequence[Row]) -> list[str]:
    """Return the share proved per kind of split and alpha, and the slowest row, for a terminal."""
    if not rows:
        return ["No rows."]
    lines = [" ".join(f"{cell:>12s}" for cell in line) for line in share_table(rows)]
    slowest = max(rows, key=lambda row: float(row["seconds"]))
    lines.append(f"Longest: {float(slowest['seconds']):.2f} s, {slowest['dataset']} {slowest['split']}")
    return lines


def written_report(rows: Sequence[Row]) -> str:
    """Return both tables as markdown."""
    settings = sorted({f"{row['exact']}, {float(row['budget']):g} s, {row['n_jobs']} thread" for row in rows})
    parts = [
        "# Proofs, measured",
        f'Written by `benchmarks/proof.py` ({"; ".join(settings)}); seed "1", training halves.',
        "## Share proved",
        markdown(share_table(rows)),
        "## Every row",
        markdown(row_table(rows)),
    ]
    return "\n\n".join(parts) + "\n"


def share_table(rows: Sequence[Row]) -> list[list[str]]:
    """Return a line per skeleton and kind of split, a column per alpha."""
    alphas = sorted({row["alpha"] for row in rows}, key=float)
    groups = sorted({(row["skeleton"], row["mode"], row["split"]) for row in rows})
    table = [["skeleton", "mode", "split", *(f"alpha {alpha}" for alpha in alphas), "all"]]
    for group in groups:
        mine = [row for row in rows if (row["skeleton"], row["mode"], row["split"]) == group]
        by_alpha = [share(row for row in mine if row["alpha"] == alpha) for alpha in alphas]
        table.append([*group, *by_alpha, share(mine)])
    return table


def share(rows: Iterable[Row]) -> str:
    proved = [row["proved"] == "True" for row in rows]
    return f"{sum(proved)}/{len(proved)} = {sum(proved) / len(proved):.0%}" if proved else ""


def row_table(rows: Sequence[Row]) -> list[list[str]]:
    header = [
        "data set",
        "skeleton",
        "mode",
        "split",
        "alpha",
        "objective",
        "bound",
        "gap",
        "proved by",
        "seconds",
    ]
    return [header, *(row_cells(row) for row in rows)]


def row_cells(row: Row) -> list[str]:
    numbers = [f"{float(row[name]):.5f}" for name in ("objective", "lower_bound")]
    gap = f"{float(row['gap']):.1%}"
    where = [row[name] for name in ("dataset", "skeleton", "mode", "split", "alpha")]
    return [*where, *numbers, gap, row["engine"] or "-", f"{float(row['seconds']):.1f}"]


def markdown(table: Sequence[Sequence[str]]) -> str:
    """Return a table in markdown; the first line is its header."""
    lines = [f"| {' | '.join(line)} |" for line in table]
    return "\n".join([lines[0], "|" + " --- |" * len(table[0]), *lines[1:]])
