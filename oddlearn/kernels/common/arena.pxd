"""One block of memory for all buffers of a struct.

Every buffer is listed once, in a function that is called twice: with an empty arena, to count bytes, and after
`allocate`, to hand out the slices. There is one thing to test for NULL and one to free.
"""

from libc.stdlib cimport calloc, free

cdef enum:
    ALIGNMENT = 64             # bytes: a cache line, and a multiple of every vector

cdef struct Arena:
    void* memory               # as allocated; NULL while bytes are counted
    char* first                # where the first slice begins
    size_t used                # bytes that were counted or handed out


cdef inline void* take(Arena* arena, size_t n_bytes) noexcept nogil:
    """Return the next slice, aligned and zeroed the first time, or NULL while bytes are counted."""
    cdef size_t start = arena.used
    arena.used += (n_bytes + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    if arena.first == NULL:
        return NULL
    return arena.first + start


cdef inline bint allocate(Arena* arena) noexcept nogil:
    """Allocate the bytes that were counted, and hand out from the first one on; False if memory is short."""
    cdef size_t address
    arena.memory = calloc(arena.used + ALIGNMENT, 1)
    if arena.memory == NULL:
        return False
    address = <size_t>arena.memory + ALIGNMENT - 1
    arena.first = <char*>(address - address % ALIGNMENT)
    arena.used = 0
    return True


cdef inline void release(Arena* arena) noexcept nogil:
    """Free the block; the slices must not be used any more."""
    free(arena.memory)
    arena.memory = NULL
    arena.first = NULL
    arena.used = 0
