"""Hashes of 64 bits, put together step by step."""


cdef inline unsigned long long combine_hashes(unsigned long long hash, unsigned long long other) noexcept nogil:
    """Return a hash of two hashes; their order matters."""
    hash = (hash ^ other) * 0x9E3779B97F4A7C15ULL
    return hash ^ (hash >> 29)


cdef inline unsigned long long hash_number(unsigned long long hash, double number) noexcept nogil:
    """Return a hash of a hash and the bits of a number."""
    cdef unsigned long long bits = (<unsigned long long*>&number)[0]
    return combine_hashes(hash, bits)
