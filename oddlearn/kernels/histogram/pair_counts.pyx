"""Weights by the bins of two columns and by class."""

from libc.stdint cimport int64_t, uint8_t


def count_pairs(const uint8_t[::1] one, const uint8_t[::1] other, const uint8_t[::1] codes, const int64_t[::1] weight,
                int64_t[:, :, ::1] counts):
    """Add the weight of each row to ``counts`` (bins of one column, bins of the other, n_classes).

    ``weight`` is empty where all rows weigh 1.
    """
    cdef Py_ssize_t n = one.shape[0], width = counts.shape[1], n_classes = counts.shape[2], i
    cdef int64_t* cells = &counts[0, 0, 0]
    with nogil:
        if weight.shape[0]:
            for i in range(n):
                cells[(one[i] * width + other[i]) * n_classes + codes[i]] += weight[i]
        else:
            for i in range(n):
                cells[(one[i] * width + other[i]) * n_classes + codes[i]] += 1
