"""Sorting without the GIL."""

cdef void sort_by_key(double* key, int* id, Py_ssize_t m) noexcept nogil
