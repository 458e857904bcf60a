"""Information gain of cuts: one pass along a feature serves every flow of a layer.

The mass of a set of samples is its weight times the entropy of its classes, in bits. A cut of a flow leaves the mass of
its two sides; the gain is what the flow's own mass loses.
"""

from libc.math cimport INFINITY, log2
from libc.stddef cimport ptrdiff_t


cdef inline double _xlog(double x) noexcept nogil:
    return x * log2(x) if x > 0.0 else 0.0


def flow_totals(const int[::1] flow, const double[:, ::1] table, double[:, ::1] total):
    """Add the rows of the table to the line of their flow; rows with a negative flow are left out."""
    cdef ptrdiff_t i, c
    with nogil:
        for i in range(flow.shape[0]):
            if flow[i] >= 0:
                for c in range(table.shape[1]):
                    total[flow[i], c] += table[i, c]


def scan_feature(int feature, const double[::1] column, const int[::1] order, const int[::1] flow,
                 const unsigned char[::1] wanted, const double[:, ::1] weight, const double[:, ::1] total,
                 double smallest_gap, double[:, :, ::1] sides, double[:, ::1] sums,
                 double[::1] mass, int[::1] chosen, double[:, ::1] gap):
    """Lower `mass`, what the best cut of each flow leaves, by the cuts of one feature.

    `order` lists the samples by increasing value in `column`. A cut lies between consecutive values of one flow's
    samples that are `smallest_gap` apart or more; for the best, `chosen` is the feature and `gap` the two values.
    `sides` (flows, 2, classes) and `sums` (flows, 5) are scratch.
    """
    cdef ptrdiff_t k, i, c, f, n_flows = total.shape[0], n_classes = total.shape[1]
    cdef double w, left
    with nogil:
        for f in range(n_flows):
            sums[f, 0] = sums[f, 1] = sums[f, 2] = sums[f, 3] = 0.0
            sums[f, 4] = INFINITY           # no value yet: the first sample is no cut
            for c in range(n_classes):
                sides[f, 0, c] = 0.0
                sides[f, 1, c] = total[f, c]
                sums[f, 1] += total[f, c]
                sums[f, 3] += _xlog(total[f, c])
        for k in range(order.shape[0]):
            i = order[k]
            f = flow[i]
            if f < 0 or not wanted[f]:
                continue
            if column[i] - sums[f, 4] >= smallest_gap:
                # sums: weight below and above, sum of w log w below and above, last value
                left = _xlog(sums[f, 0]) - sums[f, 2] + _xlog(sums[f, 1]) - sums[f, 3]
                if left < mass[f]:
                    mass[f] = left
                    chosen[f] = feature
                    gap[f, 0] = sums[f, 4]
                    gap[f, 1] = column[i]
            sums[f, 4] = column[i]
            for c in range(n_classes):
                w = weight[i, c]
                if w > 0.0:
                    sums[f, 2] -= _xlog(sides[f, 0, c])
                    sums[f, 3] -= _xlog(sides[f, 1, c])
                    sides[f, 0, c] += w
                    sides[f, 1, c] -= w
                    sums[f, 0] += w
                    sums[f, 1] -= w
                    sums[f, 2] += _xlog(sides[f, 0, c])
                    sums[f, 3] += _xlog(sides[f, 1, c])
