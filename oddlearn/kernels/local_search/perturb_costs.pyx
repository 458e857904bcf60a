"""A perturbation that changes the problem instead of the diagram: one round of moves under other costs, then back."""

from libc.math cimport INFINITY

from oddlearn.kernels.common.rng cimport draw_below, draw_bits, draw_unit
from oddlearn.kernels.local_search.descent cimport improve_all_nodes
from oddlearn.kernels.local_search.recompute cimport recompute

# of a misclassified sample, when such samples are to count more
cdef double ERROR_WEIGHT = 3.0


cdef double min_class_cost(const SearchTable* table, Py_ssize_t i) noexcept nogil:
    """Return what the sample costs at the class that costs least."""
    cdef int c
    cdef double least = INFINITY
    for c in range(table.C):
        least = min(least, table.costs.cost[c * <Py_ssize_t>table.n + i])
    return least


cdef void reweight_samples(
    const SearchTable* table, const DiagramState* state, Workspace* ws, double* cost
) noexcept nogil:
    """Compute costs where some samples count double or not at all, or misclassified ones count more."""
    cdef Py_ssize_t i, n = table.n
    cdef int c
    cdef bint weighs_errors = draw_below(&ws.rng, 2) == 0
    cdef double factor, share = draw_unit(&ws.rng) * (1.0 if weighs_errors else 0.5)
    for i in range(n):
        factor = 1.0
        if draw_unit(&ws.rng) < share:
            if not weighs_errors:
                factor = 2.0 * draw_below(&ws.rng, 2)
            elif state.routing.value[i] > min_class_cost(table, i):
                factor = ERROR_WEIGHT
        for c in range(table.C):
            cost[c * n + i] = factor * table.costs.cost[c * n + i]


cdef void perturb_costs(const SearchTable* table, DiagramState* state, Workspace* ws, double* cost) noexcept nogil:
    """Change the diagram to what suits other costs, or another price of nodes, better; `cost` is scratch, (C, n)."""
    cdef SearchTable other = table[0]
    other.hashing.salt = draw_bits(&ws.rng)
    if draw_below(&ws.rng, 4) == 0:
        other.node_price *= 0.25 + 1.5 * draw_unit(&ws.rng)
    else:
        reweight_samples(table, state, ws, cost)
        other.costs.cost = cost
    recompute(&other, state)
    improve_all_nodes(&other, state, ws, True, True)
    recompute(table, state)
