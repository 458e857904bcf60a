"""The least cost of a single split along each of many columns."""

from libc.math cimport INFINITY
from libc.stddef cimport ptrdiff_t


def scan_single_splits(const double[:, ::1] columns, const int[:, ::1] orders, const double[:, ::1] cost,
                       double[:, ::1] sums, double[::1] least):
    """Set `least` (d,) to the least cost of a split between two values of each column, inf if it has one value.

    `orders` (d, n) sort the columns (d, n); the class of either side is the cheapest by `cost` (n, classes).
    `sums` (2, classes) is scratch. Sums are added up in the order of the column, as numpy's cumsum does.
    """
    cdef ptrdiff_t f, k, c, i, n = orders.shape[1], n_classes = cost.shape[1]
    cdef double below, above, left, value, next_value
    with nogil:
        for f in range(orders.shape[0]):
            least[f] = INFINITY
            if n == 0:
                continue
            for c in range(n_classes):
                sums[0, c] = sums[1, c] = 0.0
            for k in range(n):
                for c in range(n_classes):
                    sums[1, c] += cost[orders[f, k], c]
            value = columns[f, orders[f, 0]]
            for k in range(n - 1):
                i = orders[f, k]
                for c in range(n_classes):
                    sums[0, c] += cost[i, c]
                next_value = columns[f, orders[f, k + 1]]
                if next_value > value:
                    below = above = INFINITY
                    for c in range(n_classes):
                        below = min(below, sums[0, c])
                        left = sums[1, c] - sums[0, c]
                        above = min(above, left)
                    least[f] = min(least[f], below + above)
                    value = next_value
