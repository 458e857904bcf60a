"""Values of a table as bins of one byte."""

from libc.stdint cimport int64_t, uint8_t

ctypedef fused real:
    float
    double

cdef enum:
    # rows of one column binned before the next column: the values of a row-major table stay in the cache
    BLOCK = 512
    MISSING = 255
    FIRST_STEP = 128

MISSING_BIN = MISSING
MAX_EDGES = 254


cdef void _bin_block(const double* values, int count, const double* edges, int* place) noexcept nogil:
    """Count the edges (255, filled up with inf) at or below each value: eight steps for all rows together."""
    cdef int step = FIRST_STEP, r
    for r in range(count):
        place[r] = 0
    while step:
        for r in range(count):
            place[r] += step * (edges[place[r] + step - 1] <= values[r])
        step >>= 1


def assign_bins(const real[:, :] X, const double[:, ::1] edges, uint8_t[:, :] bins):
    """Write the bin of each value of X (n, d) to ``bins`` (d, n): how many edges are at or below it.

    ``edges`` (d, 255) are ascending, filled up with inf. A missing value (NaN) has bin 255.
    """
    cdef int64_t n = X.shape[0], block, start
    cdef int d = X.shape[1], k, r, count
    cdef double[BLOCK] values
    cdef int[BLOCK] place
    with nogil:
        for block in range((n + BLOCK - 1) // BLOCK):
            start = block * BLOCK
            count = <int>min(<int64_t>BLOCK, n - start)
            for k in range(d):
                for r in range(count):
                    values[r] = X[start + r, k]
                _bin_block(values, count, &edges[k, 0], place)
                for r in range(count):
                    bins[k, start + r] = MISSING if values[r] != values[r] else <uint8_t>place[r]
