"""A ring of solved sets, compared bit by bit.

The best tree for a set S serves a set R, too, where the rows of R that are not in S cost at most their largest costs. So S
costs at least what R costs less those.
"""

from libc.math cimport INFINITY
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

from oddlearn.kernels.common.bits cimport lowest_bit

cdef extern from "missing.h" nogil:
    long count_missing(const Print* solved, const Print* present, long words)

cdef enum:
    ROOM = 512


cdef Archive* new_archive(const Items* items) noexcept nogil:
    """An empty archive, or NULL where memory is short."""
    cdef Archive* archive = <Archive*>calloc(1, sizeof(Archive))
    cdef Py_ssize_t i
    if archive == NULL:
        return NULL
    archive.words = (items.n + 63) // 64
    archive.bits = <Print*>malloc(ROOM * archive.words * sizeof(Print))
    archive.bound = <double*>malloc(ROOM * sizeof(double))
    archive.base = <double*>malloc(ROOM * sizeof(double))
    archive.below = <int*>malloc(ROOM * sizeof(int))
    if archive.bits == NULL or archive.bound == NULL or archive.base == NULL or archive.below == NULL:
        free_archive(archive)
        return NULL
    archive.unit = items.base[0]
    for i in range(items.n):
        if items.base[i] != archive.unit:
            archive.unit = 0
    return archive


cdef void free_archive(Archive* archive) noexcept nogil:
    if archive == NULL:
        return
    free(archive.bits)
    free(archive.bound)
    free(archive.base)
    free(archive.below)
    free(archive)


cdef void empty(Archive* archive) noexcept nogil:
    archive.n = archive.next = archive.latest = 0


cdef void file(Archive* archive, const Frame* frame, int below, double bound) noexcept nogil:
    """Keep the bound of a set, in the place of the oldest one."""
    cdef int place = archive.next
    memcpy(archive.bits + place * archive.words, frame.bits, archive.words * sizeof(Print))
    archive.bound[place], archive.base[place], archive.below[place] = bound, frame.base, below
    archive.next = (place + 1) % ROOM
    archive.n = max(archive.n, place + 1)


cdef double bound_by_similar(Archive* archive, const Items* items, const Frame* frame, int below,
                             double cutoff) noexcept nogil:
    """Return a bound of the cutoff or more if a similar set gives one, else 0."""
    cdef int k, place = archive.latest
    cdef double room, lost
    # the one that was similar last, then the youngest first
    for k in range(archive.n + 1):
        if k:
            place = archive.next - k
            if place < 0:
                place += ROOM
        elif place >= archive.n:
            continue
        room = archive.bound[place] - cutoff
        if archive.below[place] != below or room < 0 or archive.base[place] - frame.base > room:
            continue
        lost = lost_base(archive, items, archive.bits + place * archive.words, frame.bits, room)
        if lost <= room:
            archive.latest = place
            return archive.bound[place] - lost
    return 0


cdef double lost_base(const Archive* archive, const Items* items, const Print* solved, const Print* present,
                      double most) noexcept nogil:
    """Return the largest costs of the rows of the solved set that the present one lacks; inf if more than ``most``."""
    cdef Py_ssize_t w
    cdef Print missing
    cdef double lost = 0
    if archive.unit:
        return count_missing(solved, present, archive.words) * archive.unit
    for w in range(archive.words):
        missing = solved[w] & ~present[w]
        while missing:
            lost += items.base[64 * w + lowest_bit(missing)]
            missing &= missing - 1
            if lost > most:
                return INFINITY
    return lost
