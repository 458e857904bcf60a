"""A hash of all rows of a table that does not depend on their order."""

from libc.stdint cimport int64_t

from oddlearn.kernels.common.hashing cimport combine_hashes, hash_number

ctypedef fused real:
    float
    double

cdef enum:
    MISSING_KEY = 0x4E61
    # rows hashed together: the chains of multiplications run beside each other
    LANES = 4


cdef inline unsigned long long _hash_value(unsigned long long hash, double value) noexcept nogil:
    return combine_hashes(hash, MISSING_KEY) if value != value else hash_number(hash, value + 0.0)


def sum_row_hashes(const real[:, :] X, const double[:, ::1] weight, const double[:, ::1] cost):
    """Return two sums, modulo 2^64, of hashes of the rows: values of X, weights and costs by class.

    Equal numbers have equal hashes: -0.0 and 0.0, and all that are missing (NaN).
    """
    cdef int64_t i, block, n = X.shape[0]
    cdef int j, r, count, d = X.shape[1], n_classes = weight.shape[1]
    cdef unsigned long long[LANES] own
    cdef unsigned long long first = 0, second = 0
    with nogil:
        for block in range((n + LANES - 1) // LANES):
            i = block * LANES
            count = <int>min(<int64_t>LANES, n - i)
            for r in range(LANES):
                own[r] = 0x9E3779B97F4A7C15ULL
            for j in range(d):
                if count == LANES:
                    for r in range(LANES):
                        own[r] = _hash_value(own[r], X[i + r, j])
                else:
                    for r in range(count):
                        own[r] = _hash_value(own[r], X[i + r, j])
            for r in range(count):
                for j in range(n_classes):
                    own[r] = hash_number(hash_number(own[r], weight[i + r, j]), cost[i + r, j])
                first += own[r]
                second += combine_hashes(own[r], 1)
    return first, second
