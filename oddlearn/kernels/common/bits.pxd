"""Single bits of a word."""

cdef extern from *:
    # index of the lowest bit that is set; the word must not be 0
    int lowest_bit "__builtin_ctzll"(unsigned long long word) nogil


cdef inline Py_ssize_t count_words(Py_ssize_t n) noexcept nogil:
    """Return the number of 64-bit words that hold n bits."""
    return (n + 63) // 64
