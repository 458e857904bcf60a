"""A small random number generator for code without the GIL: xorshift64*, seeded by the caller."""

ctypedef unsigned long long RngState


cdef inline unsigned long long draw_bits(RngState* rng) noexcept nogil:
    """Draw 64 random bits."""
    cdef unsigned long long x = rng[0]
    x ^= x >> 12
    x ^= x << 25
    x ^= x >> 27
    rng[0] = x
    return x * 2685821657736338717ULL


cdef inline int draw_below(RngState* rng, int n) noexcept nogil:
    """Draw an integer in 0 .. n-1."""
    return <int>((draw_bits(rng) >> 33) % <unsigned long long>n)


cdef inline double draw_unit(RngState* rng) noexcept nogil:
    """Draw a number in [0, 1)."""
    return <double>(draw_bits(rng) >> 11) * (1.0 / 9007199254740992.0)
