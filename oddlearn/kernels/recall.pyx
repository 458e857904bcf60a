"""A hash table of fixed size: a full neighbourhood loses its entry for the smallest problem."""

from libc.stdlib cimport calloc, free
from libc.string cimport memset

cdef enum:
    NEIGHBOURS = 4


cdef Recall* new_recall(int log_size) noexcept nogil:
    """An empty table of 2 ** log_size entries, or NULL where memory is short."""
    cdef Recall* recall = <Recall*>calloc(1, sizeof(Recall))
    if recall == NULL:
        return NULL
    recall.mask = (<Print>1 << log_size) - 1
    recall.entries = <Entry*>calloc(recall.mask + 1, sizeof(Entry))
    if recall.entries == NULL:
        free_recall(recall)
        return NULL
    return recall


cdef void free_recall(Recall* recall) noexcept nogil:
    if recall == NULL:
        return
    free(recall.entries)
    free(recall)


cdef void forget(Recall* recall) noexcept nogil:
    """Empty the table."""
    memset(recall.entries, 0, (recall.mask + 1) * sizeof(Entry))


cdef Print place_of(const Recall* recall, Print first, int below) noexcept nogil:
    return (first ^ (<Print>below * <Print>0x9E3779B97F4A7C15)) & recall.mask


cdef const Entry* remembered(const Recall* recall, Print first, Print second, int below) noexcept nogil:
    """Return what is known of a set, or NULL.

    Both prints together have 128 random bits: that two sets share them is not to be expected.
    """
    cdef Print place = place_of(recall, first, below)
    cdef const Entry* entry
    cdef int k
    for k in range(NEIGHBOURS):
        entry = recall.entries + ((place + k) & recall.mask)
        if entry.below == below and entry.first_print == first and entry.second_print == second:
            return entry
    return NULL


cdef void remember(Recall* recall, const Entry* news) noexcept nogil:
    """Keep what was found of a set, unless more is known of it."""
    cdef Print place = place_of(recall, news.first_print, news.below)
    cdef Entry* entry = <Entry*>remembered(recall, news.first_print, news.second_print, news.below)
    cdef Entry* other
    cdef int k
    if entry != NULL:
        if not entry.exact and (news.exact or news.bound > entry.bound):
            entry[0] = news[0]
        return
    entry = recall.entries + place
    for k in range(NEIGHBOURS):
        other = recall.entries + ((place + k) & recall.mask)
        if other.below < entry.below:
            entry = other
    entry[0] = news[0]
