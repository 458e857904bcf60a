"""Variables in the order of their activity, as a binary heap, arrays that grow, and lengths of restarts."""

from libc.stdint cimport int8_t
from libc.stdlib cimport realloc

cdef enum:
    MAX_VECTOR = 1 << 30

cdef struct Vector:
    int* data
    int size
    int capacity

cdef struct VariableOrder:
    int* heap                  # (size,): variables, the most active first
    int* place                 # (n_variables,): of each in the heap, -1 when it is not there
    double* activity
    int n_variables
    int size
    double bump                # added to the activity of a variable of a conflict


cdef inline int push(Vector* vector, int value) except -1 nogil:
    """Append a number."""
    cdef int* data
    if vector.size == vector.capacity:
        data = NULL
        if vector.capacity < MAX_VECTOR // 2 - 4:
            vector.capacity = 2 * vector.capacity + 4
            data = <int*>realloc(vector.data, vector.capacity * sizeof(int))
        if data == NULL:
            with gil:
                raise MemoryError
        vector.data = data
    vector.data[vector.size] = value
    vector.size += 1
    return 0


cdef inline void rise(VariableOrder* order, int place) noexcept nogil:
    """Move the variable of a place up, past those that are less active."""
    cdef int variable = order.heap[place], above
    while place > 0:
        above = (place - 1) >> 1
        if order.activity[order.heap[above]] >= order.activity[variable]:
            break
        order.heap[place] = order.heap[above]
        order.place[order.heap[place]] = place
        place = above
    order.heap[place], order.place[variable] = variable, place


cdef inline void sink(VariableOrder* order, int place) noexcept nogil:
    """Move the variable of a place down, past those that are more active."""
    cdef int variable = order.heap[place], below
    while 2 * place + 1 < order.size:
        below = 2 * place + 1
        if below + 1 < order.size:
            if order.activity[order.heap[below + 1]] > order.activity[order.heap[below]]:
                below += 1
        if order.activity[order.heap[below]] <= order.activity[variable]:
            break
        order.heap[place] = order.heap[below]
        order.place[order.heap[place]] = place
        place = below
    order.heap[place], order.place[variable] = variable, place


cdef inline int pop_first(VariableOrder* order) noexcept nogil:
    """Take the most active variable out of the heap, which is not empty."""
    cdef int variable = order.heap[0]
    order.size -= 1
    order.place[variable] = -1
    if order.size > 0:
        order.heap[0] = order.heap[order.size]
        order.place[order.heap[0]] = 0
        sink(order, 0)
    return variable


cdef inline int pop_open(VariableOrder* order, int8_t* value) noexcept nogil:
    """Return the variable of most activity whose literals have no value; -1 if all have one."""
    cdef int variable
    while order.size > 0:
        variable = pop_first(order)
        if value[2 * variable] == 0:
            return variable
    return -1


cdef inline void insert(VariableOrder* order, int variable) noexcept nogil:
    """Put a variable into the heap if it is not there."""
    if order.place[variable] < 0:
        order.heap[order.size], order.place[variable] = variable, order.size
        order.size += 1
        rise(order, order.size - 1)


cdef inline void raise_activity(VariableOrder* order, int variable) noexcept nogil:
    """Make a variable more active."""
    cdef int k
    order.activity[variable] += order.bump
    if order.activity[variable] > 1e100:
        for k in range(order.n_variables):
            order.activity[k] /= 1e100
        order.bump /= 1e100
    if order.place[variable] >= 0:
        rise(order, order.place[variable])


cdef inline int luby(int index) noexcept nogil:
    """Return the term 1, 1, 2, 1, 1, 2, 4, ... of an index from 0."""
    cdef int size = 1, power = 0
    while size < index + 1:
        power += 1
        size = 2 * size + 1
    while size - 1 != index:
        size = (size - 1) >> 1
        power -= 1
        index %= size
    return 1 << power
