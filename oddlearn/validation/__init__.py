"""Every check of what a user gives: options and tables in, clean values out."""

from oddlearn.validation.options import Settings, checked_depth, checked_settings
from oddlearn.validation.rows import checked_rows
from oddlearn.validation.table import Table, checked_table

__all__ = ["Settings", "Table", "checked_depth", "checked_rows", "checked_settings", "checked_table"]
