"""A shake that changes the problem instead of the diagram: one round of moves under other costs, then back."""

from libc.math cimport INFINITY

from oddlearn.kernels.common.rng cimport below, draw, unit
from oddlearn.kernels.local_search.moves cimport work_over
from oddlearn.kernels.local_search.diagram_state cimport settle

# of a sample that is sent wrong, when such samples are to be heard
cdef double LOUD = 3.0


cdef double cheapest(const Table* table, Py_ssize_t i) noexcept nogil:
    cdef int c
    cdef double least = INFINITY
    for c in range(table.C):
        least = min(least, table.cost[c * <Py_ssize_t>table.n + i])
    return least


cdef void weigh_anew(const Table* table, const State* state, Desk* desk, double* cost) noexcept nogil:
    """Fill in costs where some samples count double or not at all, or those sent wrong count more."""
    cdef Py_ssize_t i, n = table.n
    cdef int c
    cdef bint loud = below(&desk.chance, 2) == 0
    cdef double factor, share = unit(&desk.chance) * (1.0 if loud else 0.5)
    for i in range(n):
        factor = 1.0
        if unit(&desk.chance) < share:
            if not loud:
                factor = 2.0 * below(&desk.chance, 2)
            elif state.value[i] > cheapest(table, i):
                factor = LOUD
        for c in range(table.C):
            cost[c * n + i] = factor * table.cost[c * n + i]


cdef void shake_by_noise(const Table* table, State* state, Desk* desk, double* cost) noexcept nogil:
    """Change the diagram to what suits other costs, or another price of nodes, better. `cost` is scratch, (C, n)."""
    cdef Table other = table[0]
    other.salt = draw(&desk.chance)
    if below(&desk.chance, 4) == 0:
        other.price *= 0.25 + 1.5 * unit(&desk.chance)
    else:
        weigh_anew(table, state, desk, cost)
        other.cost = cost
    settle(&other, state)
    work_over(&other, state, desk, True, True)
    settle(table, state)
