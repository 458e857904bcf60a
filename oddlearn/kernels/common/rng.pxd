"""A small random generator for code without the GIL: xorshift64*, seeded by the caller."""

ctypedef unsigned long long Chance


cdef inline unsigned long long draw(Chance* chance) noexcept nogil:
    cdef unsigned long long x = chance[0]
    x ^= x >> 12
    x ^= x << 25
    x ^= x >> 27
    chance[0] = x
    return x * 2685821657736338717ULL


cdef inline int below(Chance* chance, int n) noexcept nogil:
    """A whole number in 0 .. n-1."""
    return <int>((draw(chance) >> 33) % <unsigned long long>n)


cdef inline double unit(Chance* chance) noexcept nogil:
    """A number in [0, 1)."""
    return <double>(draw(chance) >> 11) * (1.0 / 9007199254740992.0)
