"""The best split of each column from sums over its bins: which bins are positive, and both targets."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport calloc, free

ctypedef fused amount:
    int32_t
    double

cdef enum:
    MISSING = 255


cdef struct Scan:
    int n_targets
    bint has_flow
    double* below
    double* above
    const double* price
    const double* least
    double flow_below, flow_above, min_price
    double best
    int negative, positive


cdef bint _improves(Scan* scan) noexcept nogil:
    """Lower ``best`` to the least cost of the two sides as they are; return True if it fell."""
    cdef int s, t, n = scan.n_targets
    cdef double low = INFINITY, high = INFINITY, one
    cdef bint better = False
    for t in range(n):
        low = min(low, scan.below[t])
        high = min(high, scan.above[t])
    if low + high + scan.min_price >= scan.best:
        return False
    for s in range(n):
        if scan.below[s] + high + scan.min_price >= scan.best:
            continue
        if scan.has_flow and scan.flow_below < scan.least[s]:
            continue
        for t in range(n):
            one = scan.below[s] + scan.above[t] + scan.price[s * n + t]
            if one < scan.best and not (scan.has_flow and scan.flow_above < scan.least[t]):
                scan.best = one
                scan.negative, scan.positive = s, t
                better = True
    return better


def scan_bins(const amount[:, :, :, ::1] sums, int group, const int32_t[::1] n_bins, const uint8_t[::1] has_missing,
              const double[:, ::1] price, const double[::1] least, double limit, double[::1] value,
              int32_t[:, ::1] split):
    """Find the cheapest split of each column for one group of rows.

    Parameters
    ----------
    sums : (n_columns, n_groups, 256, lanes)
        Costs by bin and target; the lane after the targets is the flow if ``least`` is not empty.
    group : int
    n_bins, has_missing : (n_columns,)
        Bins of values; whether bin 255 has missing ones.
    price : (n_targets, n_targets) float
        Added for each negative and positive target; inf where a pair is not allowed.
    least : (n_targets,) float, or empty
        The minimum flow to each target.
    limit : float
        Cuts that cost as much or more are not listed.
    value : (n_columns,) float
        Receives the cost of the best split, inf if there is none below the limit.
    split : (n_columns, 4) int
        Receives the first and last positive bin and the places of both targets.
    """
    cdef int n_targets = price.shape[0], t, k, b, column, missing_side
    cdef int first, stop
    cdef double* memory = <double*>calloc(3 * n_targets, sizeof(double))
    cdef double* total = memory + 2 * n_targets
    cdef double flow_total
    cdef Scan scan
    if memory == NULL:
        raise MemoryError
    scan.n_targets, scan.has_flow = n_targets, least.shape[0] > 0
    scan.below, scan.above, scan.price = memory, memory + n_targets, &price[0, 0]
    scan.least = &least[0] if scan.has_flow else NULL
    scan.flow_below = scan.flow_above = 0.0
    scan.min_price = INFINITY
    with nogil:
        for t in range(n_targets):
            for k in range(n_targets):
                scan.min_price = min(scan.min_price, price[t, k])
        for column in range(sums.shape[0]):
            scan.best = limit
            value[column] = INFINITY
            flow_total = 0.0
            for t in range(n_targets):
                total[t] = sums[column, group, MISSING, t] if has_missing[column] else 0
                for b in range(n_bins[column]):
                    total[t] += sums[column, group, b, t]
            if scan.has_flow:
                flow_total = sums[column, group, MISSING, n_targets] if has_missing[column] else 0
                for b in range(n_bins[column]):
                    flow_total += sums[column, group, b, n_targets]
            # missing values on the positive side, then on the negative one
            for missing_side in range(2 if has_missing[column] else 1):
                for t in range(n_targets):
                    scan.below[t] = sums[column, group, MISSING, t] if missing_side else 0
                    scan.above[t] = total[t] - scan.below[t]
                if scan.has_flow:
                    scan.flow_below = sums[column, group, MISSING, n_targets] if missing_side else 0
                    scan.flow_above = flow_total - scan.flow_below
                first = 0 if missing_side else 1
                stop = n_bins[column] + (1 if has_missing[column] and missing_side == 0 else 0)
                for b in range(stop):
                    if b > 0:
                        for t in range(n_targets):
                            scan.below[t] += sums[column, group, b - 1, t]
                            scan.above[t] -= sums[column, group, b - 1, t]
                        if scan.has_flow:
                            scan.flow_below += sums[column, group, b - 1, n_targets]
                            scan.flow_above -= sums[column, group, b - 1, n_targets]
                    if b >= first and _improves(&scan):
                        value[column] = scan.best
                        split[column, 0] = b
                        split[column, 1] = MISSING - 1 if missing_side else MISSING
                        split[column, 2], split[column, 3] = scan.negative, scan.positive
    free(memory)
