"""A hash of all rows of a table that does not depend on their order."""

from libc.stdint cimport int64_t

from oddlearn.kernels.common.hashing cimport combine_hashes, hash_number

ctypedef fused real:
    float
    double

cdef enum:
    MISSING_KEY = 0x4E61


def sum_row_hashes(const real[:, :] X, const double[:, ::1] weight, const double[:, ::1] cost):
    """Return two sums, modulo 2^64, of hashes of the rows: values of X, weights and costs by class.

    Equal numbers have equal hashes: -0.0 and 0.0, and all that are missing (NaN).
    """
    cdef int64_t i, n = X.shape[0]
    cdef int j, d = X.shape[1], n_classes = weight.shape[1]
    cdef unsigned long long own, first = 0, second = 0
    cdef double value
    with nogil:
        for i in range(n):
            own = 0x9E3779B97F4A7C15ULL
            for j in range(d):
                value = X[i, j]
                own = combine_hashes(own, MISSING_KEY) if value != value else hash_number(own, value + 0.0)
            for j in range(n_classes):
                own = hash_number(hash_number(own, weight[i, j]), cost[i, j])
            first += own
            second += combine_hashes(own, 1)
    return first, second
