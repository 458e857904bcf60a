"""Clauses one after the other, each with its size before its literals, the first two of them watched."""

from oddlearn.kernels.hyperplanes.variable_order cimport Vector, push

cdef enum:
    SHORT = 6    # learnt clauses of so few literals are kept


cdef inline int attach(Vector* clauses, Vector* watches, Vector* literals) except -1 nogil:
    """Store a clause and watch its first two literals; return its place."""
    cdef int k, start = clauses.size
    push(clauses, literals.size)
    for k in range(literals.size):
        push(clauses, literals.data[k])
    push(&watches[literals.data[0]], start)
    push(&watches[literals.data[1]], start)
    return start


cdef inline int drop_learnt(Vector* clauses, Vector* learnt_starts, Vector* watches, int n_literals) except -1 nogil:
    """Drop the older half of the learnt clauses, short ones excepted; write all watches anew."""
    cdef int k, place = 0, start = 0, end = 0, size, kept = 0, n_learnt = learnt_starts.size
    cdef bint is_dropped
    cdef int* data = clauses.data
    for k in range(n_literals):
        watches[k].size = 0
    while start < clauses.size:
        size, is_dropped = data[start], False
        if place < n_learnt and learnt_starts.data[place] == start:
            is_dropped = place < n_learnt // 2 and size > SHORT
            place += 1
            if not is_dropped:
                learnt_starts.data[kept] = end
                kept += 1
        if not is_dropped:
            for k in range(size + 1):
                data[end + k] = data[start + k]
            push(&watches[data[end + 1]], end)
            push(&watches[data[end + 2]], end)
            end += size + 1
        start += size + 1
    clauses.size, learnt_starts.size = end, kept
    return 0
