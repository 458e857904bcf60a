"""Sets of rows that were solved lately: their bounds hold for sets that are similar."""

from oddlearn.kernels.branch_and_bound.price_sets cimport Cost, Hash, PriceProblem, PriceSet

cdef enum:
    N_RINGS = 16               # by the nodes that the price alone pays for; the last has all others
    MAX_RING_SIZE = 256

# A ring of sets whose bounds are between the same multiples of the price.
cdef struct SimilarRing:
    int n, next, last_hit      # sets that are stored, the slot of the next one, and the one that was similar last
    Hash* bits                 # (ring_size, words)
    Cost* bound                # (ring_size,)
    Cost* base                 # (ring_size,): of all items of the set

cdef struct SimilarSets:
    Py_ssize_t words           # of a set's bits
    int ring_size
    Hash* bits                 # (words,): of the set in question
    Cost unit                  # the base of every item if they are all equal, else 0
    SimilarRing ring[N_RINGS]

cdef bint allocate_similar(const PriceProblem* problem, SimilarSets* similar) noexcept nogil
cdef void release_similar(SimilarSets* similar) noexcept nogil
cdef void store_similar(const PriceProblem* problem, SimilarSets* similar, const PriceSet* rows, Cost bound) noexcept nogil
cdef Cost bound_by_similar(const PriceProblem* problem, SimilarSets* similar, const PriceSet* rows, Py_ssize_t place,
                           int split, int side, Cost target) noexcept nogil
