"""The problem of one node: where to cut its samples in two, and where to send both parts."""

from oddlearn.kernels.local_search.workspace cimport Cut, Desk
from oddlearn.kernels.local_search.diagram_state cimport Table

cdef void open_cut(const Table* table, Desk* desk, Cut* cut) noexcept nogil
cdef void scan(const Table* table, Desk* desk, Cut* cut, int feature) noexcept nogil
cdef void scan_feature(const Table* table, Desk* desk, Cut* cut, int feature) noexcept nogil
cdef void scan_features(const Table* table, Desk* desk, Cut* cut) noexcept nogil
cdef double scan_bins(const Table* table, Desk* desk, Cut* cut, int feature) noexcept nogil
cdef double least_along(const Table* table, Desk* desk, double cap) noexcept nogil
cdef void mark_members(const Table* table, Desk* desk, int feature) noexcept nogil
cdef void line_up(const Table* table, Desk* desk, int feature) noexcept nogil


cdef inline double between(double low, double high) noexcept nogil:
    """A threshold that puts `low` on the negative and `high` on the positive side."""
    cdef double middle = 0.5 * (low + high)
    return middle if middle > low else high
