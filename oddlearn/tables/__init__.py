"""Tables in files: CSV, TSV and Parquet in, typed columns out."""

from oddlearn.tables.habit import Habit
from oddlearn.tables.read import Reading, read_table
from oddlearn.tables.table import Column, FileTable

__all__ = ["Column", "FileTable", "Habit", "Reading", "read_table"]
