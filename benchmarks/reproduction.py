"""Write the results of docs/study/reproduction.md, tables and figures, from the stored rows.

    python benchmarks/reproduction.py

The part of the page between its two marks is replaced; what is said about the numbers stands outside it.
"""

from __future__ import annotations

from pathlib import Path

from oddlearn.study import build_tables, draw_figures, read_results

ROOT = Path(__file__).resolve().parents[1]
EXTRACT = ROOT / "benchmarks" / "results" / "study_1s.csv.xz"
PAGE = ROOT / "docs" / "study" / "reproduction.md"
FIGURES = ROOT / "docs" / "study" / "figures"

BEGIN, END = "<!-- tables begin -->\n", "<!-- tables end -->"


def main() -> None:
    results = read_results(EXTRACT)
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    tables = "\n".join(table.markdown() for table in build_tables(results))
    figures = [path for path in draw_figures(results, FIGURES) if path.suffix == ".svg"]
    for path in FIGURES.glob("*.png"):
        path.unlink()
    pictures = "\n\n".join(f"![{path.stem}](figures/{path.name})" for path in figures)
    PAGE.write_text(f"{before}{BEGIN}\n{tables}\n{pictures}\n\n{END}{after}", encoding="utf-8")
    print(f"{PAGE.name}: {len(results):,} results, {len(figures)} figures")


if __name__ == "__main__":
    main()
