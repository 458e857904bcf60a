"""One block of memory for all buffers of a struct: a hook for tests."""


def hand_out(sizes):
    """Return the place of each slice in the block, the bytes of all, and whether all slices are aligned and zero."""
    cdef Arena arena = Arena(NULL, NULL, 0)
    cdef char* start
    cdef Py_ssize_t k
    for size in sizes:
        take(&arena, size)
    total = arena.used
    if not allocate(&arena):
        raise MemoryError
    places, clean = [], True
    for size in sizes:
        start = <char*>take(&arena, size)
        places.append(start - arena.first)
        clean = clean and <size_t>start % ALIGNMENT == 0
        for k in range(size):
            clean = clean and start[k] == 0
            start[k] = 1
    release(&arena)
    return places, total, clean
