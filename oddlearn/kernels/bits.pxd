"""Single bits of a word."""

cdef extern from *:
    int lowest_bit "__builtin_ctzll"(unsigned long long word) nogil
