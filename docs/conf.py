"""Sphinx configuration: `make docs` builds the site into build/docs, without the network."""

import os
import warnings
from pathlib import Path

from sphinx.application import Sphinx

from oddlearn import __version__

project = "oddlearn"
author = "the oddlearn developers"
copyright = author
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build"]
nitpicky = True

# the API reference: members are listed on the page of their class
autosummary_generate = True
autodoc_typehints = "none"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_show_inherited_class_members = False

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
suppress_warnings = ["config.cache"]

# pages that stand in the repository outside docs/, and the page of the site that includes each
INCLUDED_PAGES = {
    "../CONTRIBUTING.md": "contributing.md",
    "../CHANGELOG.md": "changelog.md",
    "../oddlearn/kernels/README.md": "kernels.md",
    "../benchmarks/README.md": "benchmarks/scripts.md",
    "docs/architecture.md": "architecture.md",
    "benchmarks/README.md": "benchmarks/scripts.md",
    "CHANGELOG.md": "changelog.md",
}

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"evaluate_json\.py|__init__\.py",
    "within_subsection_order": "FileNameSortKey",
    "subsection_order": ["../examples/diagrams", "../examples/tables", "../examples/demands"],
    "abort_on_example_error": False,
    "only_warn_on_example_error": False,
    "show_memory": False,
    "write_computation_times": False,
    "capture_repr": (),
    "show_signature": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "thumbnail_size": (440, 300),
    "image_scrapers": ("matplotlib",),
    "image_srcset": ["2x"],
}

html_theme = "pydata_sphinx_theme"
html_title = "oddlearn"
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "oddlearn"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_prev_next": True,
    "show_toc_level": 2,
    "navigation_depth": 3,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
# no empty column where there is nothing to list
html_sidebars = {page: [] for page in ("index", "gallery/plot_get_started", "changelog")}

# the examples draw on no screen, and their warnings would hide those of the site
os.environ["MPLBACKEND"] = "agg"
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")


def point_to_included_pages(app: Sphinx, name: str, text: list[str]) -> None:
    """Point links to files of the repository at the pages of the site that include them."""
    if name in ("architecture", "changelog", "contributing"):
        for file, page in INCLUDED_PAGES.items():
            text[0] = text[0].replace(f"]({file})", f"]({page})")


def include_repository_page(app: Sphinx, relative: Path, parent: str, text: list[str]) -> None:
    """Do for included files what `point_to_included_pages` does for pages of the site."""
    point_to_included_pages(app, parent, text)


def setup(app: Sphinx) -> None:
    """Connect the rewriting of links."""
    app.connect("source-read", point_to_included_pages)
    app.connect("include-read", include_repository_page)
