"""Weighted sums of the features of many rows, along several directions."""

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

ctypedef fused real:
    float
    double

cdef enum:
    # rows whose columns are copied beside each other: 256 x 100 doubles stay in the cache
    BLOCK = 256


def project_rows(const real[:, :] X, const double[:, ::1] weights, double[:, :] sums):
    """Write ``weights @ X.T`` to ``sums`` (k, n), added up feature by feature.

    One fixed order of additions, that of ``MultivariateSplit.key``: a row's sum does not depend on the rows
    beside it.
    """
    cdef int64_t n = X.shape[0], block, start
    cdef int d = X.shape[1], n_directions = weights.shape[0], f, k, r, count
    cdef double[BLOCK] total
    cdef double weight
    cdef double* columns = <double*>malloc(max(1, d) * BLOCK * sizeof(double))
    cdef double* column
    if columns == NULL:
        raise MemoryError
    with nogil:
        for block in range((n + BLOCK - 1) // BLOCK):
            start = block * BLOCK
            count = <int>min(<int64_t>BLOCK, n - start)
            for r in range(count):
                for f in range(d):
                    columns[f * BLOCK + r] = X[start + r, f]
            for k in range(n_directions):
                for r in range(count):
                    total[r] = 0.0
                for f in range(d):
                    weight = weights[k, f]
                    if weight == 0.0:
                        continue
                    column = columns + f * BLOCK
                    for r in range(count):
                        total[r] += weight * column[r]
                for r in range(count):
                    sums[k, start + r] = total[r]
    free(columns)
