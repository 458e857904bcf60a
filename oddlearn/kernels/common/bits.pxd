"""Single bits of a word."""

cdef extern from *:
    # index of the lowest bit that is set; the word must not be 0
    int lowest_bit "__builtin_ctzll"(unsigned long long word) nogil
