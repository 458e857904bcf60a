"""One self-contained interactive HTML page of a fitted diagram."""

from oddlearn.report.page import export_html, html_page

__all__ = ["export_html", "html_page"]
