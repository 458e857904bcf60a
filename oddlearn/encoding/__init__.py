"""Tables as they come: columns of numbers, booleans, text or categories, turned into features."""

from oddlearn.encoding.columns import ColumnTable, RawColumn, is_table, read_columns
from oddlearn.encoding.encoding import EncodedColumn, Encoding, encoding_from_dict
from oddlearn.encoding.learning import learned_encoding

__all__ = [
    "ColumnTable",
    "EncodedColumn",
    "Encoding",
    "RawColumn",
    "encoding_from_dict",
    "is_table",
    "learned_encoding",
    "read_columns",
]
