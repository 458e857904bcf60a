"""Sets of rows as bits, where columns have few values."""

from oddlearn.kernels.branch_and_bound.price_sets cimport Cost, Hash, PriceProblem, PriceSet

cdef void fill_with_all_bits(const PriceProblem* problem, PriceSet* rows) noexcept nogil
cdef void fill_with_side_bits(const PriceProblem* problem, const PriceSet* parent, int split, bint positive,
                              PriceSet* child) noexcept nogil
cdef void take_side_bits(const PriceProblem* problem, const PriceSet* rows, int split, bint positive,
                         Hash* bits) noexcept nogil
cdef void hash_side(const PriceProblem* problem, const PriceSet* rows, int split, bint positive,
                    Hash* hashes) noexcept nogil
cdef void raise_packed_bounds(const PriceProblem* problem, const PriceSet* superset, PriceSet* rows) noexcept nogil
cdef void find_packed_stumps(const PriceProblem* problem, PriceSet* rows, int split, Cost* least) noexcept nogil
cdef double count_packed_work(const PriceProblem* problem) noexcept nogil
