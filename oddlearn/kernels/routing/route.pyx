"""Route rows through a diagram.

A state is an internal node 0..n_nodes-1 or, as n_nodes + arc, the final arc a row has taken. The children
of a state are child[4*state] (negative), child[4*state+1] (positive) and child[4*state+2] (value missing, NaN);
a final arc is its own child, so a row can be moved ``depth`` times without asking whether it has arrived.
"""

from libc.stddef cimport ptrdiff_t

ctypedef fused real:
    float
    double

cdef enum:
    # rows moved together: enough independent loads to hide the latency of one (16 was no faster)
    LANES = 8


cdef inline int _step(const real* row, int state, const int* feature, const double* threshold,
                      const int* child) noexcept nogil:
    # without a branch, and without another table: a side for missing values is one comparison more
    cdef real key = row[feature[state]]
    return child[4 * state + (key >= threshold[state]) + 2 * (key != key)]


def route_univariate(const real[:, ::1] X, const int[::1] feature, const double[::1] threshold,
                     const int[::1] child, int n_nodes, int depth, ptrdiff_t[::1] final_arc):
    """Write the final arc of every row of X; all splits compare one feature."""
    cdef ptrdiff_t n = X.shape[0], width = X.shape[1], i, block
    cdef ptrdiff_t n_blocks = n // LANES
    cdef int state[LANES]
    cdef int lane, level
    cdef const real* row
    if n == 0:
        return
    with nogil:
        for block in range(n_blocks):
            i = block * LANES
            row = &X[i, 0]
            for lane in range(LANES):
                state[lane] = 0
            for level in range(depth):
                for lane in range(LANES):
                    state[lane] = _step(row + lane * width, state[lane], &feature[0], &threshold[0], &child[0])
            for lane in range(LANES):
                final_arc[i + lane] = state[lane] - n_nodes
        for i in range(n_blocks * LANES, n):
            state[0] = 0
            for level in range(depth):
                state[0] = _step(&X[i, 0], state[0], &feature[0], &threshold[0], &child[0])
            final_arc[i] = state[0] - n_nodes


cdef inline double _key(const real* row, const double* weights, ptrdiff_t width) noexcept nogil:
    # one fixed order of additions: a row's key must not depend on the rows beside it
    cdef double total = 0.0
    cdef ptrdiff_t feature
    for feature in range(width):
        total += weights[feature] * row[feature]
    return total


def route_multivariate(const real[:, ::1] X, const double[:, ::1] weights, const double[::1] threshold,
                       const int[::1] child, int n_nodes, ptrdiff_t[::1] final_arc):
    """Write the final arc of every row of X; splits compare weighted sums."""
    cdef ptrdiff_t n = X.shape[0], width = X.shape[1], i
    cdef int state
    if n == 0:
        return
    with nogil:
        for i in range(n):
            state = 0
            while state < n_nodes:
                state = child[4 * state + (_key(&X[i, 0], &weights[state, 0], width) >= threshold[state])]
            final_arc[i] = state - n_nodes
