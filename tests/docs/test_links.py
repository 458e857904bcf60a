"""Links between the pages of the repository, in Markdown: the file exists, and so does the heading."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        *ROOT.glob("benchmarks/*.md"),
        *ROOT.glob("oddlearn/**/*.md"),
        *ROOT.glob("paper/*.md"),
    ]
)
LINK = re.compile(r"\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"|\]\([^)]*<([^>]+)>\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


def headings(text: str) -> set[str]:
    """Return the anchors of a page, as GitHub and MyST make them."""
    found = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title) for title in found]
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in plain}


def broken_links(page: Path) -> list[str]:
    """Return the local links of a page that lead nowhere. Pages of the gallery are made from the examples."""
    broken = []
    for groups in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        target = next(filter(None, groups))
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        gallery = ROOT / "docs" / "gallery"
        if gallery in file.parents:
            file = (ROOT / "examples" / file.relative_to(gallery)).with_suffix(".py")
            if file.stem == "index":
                file = file.with_name("GALLERY_HEADER.rst")
        if not file.exists() or (anchor and anchor not in headings(file.read_text(encoding="utf-8"))):
            broken.append(target)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_local_links_lead_to_a_file_and_a_heading(page):
    assert broken_links(page) == []


def test_a_broken_link_and_a_broken_anchor_are_found(tmp_path):
    (tmp_path / "other.md").write_text("# A *title*, with words\n")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](other.md#a-title-with-words) [b](other.md#none) [c](missing.md) [d](https://example.org)\n"
    )
    assert broken_links(page) == ["other.md#none", "missing.md"]
