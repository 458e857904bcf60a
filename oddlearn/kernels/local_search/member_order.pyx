"""The members of a node in the order of a feature."""

from oddlearn.kernels.common.bits cimport lowest_bit
from oddlearn.kernels.local_search.search_table cimport FEW_MEMBERS

# where members are fewer than this share of the samples, their places in an order are looked up one by one
cdef double FEW_SHARE = 0.6


cdef void sort_members(
    const SearchTable* table, const NodeProblem* problem, SplitScratch* scratch, int feature
) noexcept nogil:
    """List the members in the order of a feature."""
    cdef Py_ssize_t p, n = table.n
    cdef int k = 0, m = problem.n_members, place
    cdef const int* order = table.columns.order + feature * n
    cdef const double* column = table.columns.values + feature * n
    cdef const float* ordered = table.columns.sorted_values
    cdef int* run = scratch.sorted_members
    cdef double* keys = scratch.keys
    if m < FEW_SHARE * n and not table.disabled & FEW_MEMBERS:
        sort_few_members(table, problem, scratch, feature)
        return
    if ordered == NULL:
        for p in range(n):
            place = problem.position[order[p]]
            run[k] = place
            keys[k] = column[order[p]]
            k += place >= 0
            if k == m:
                break
        return
    ordered += feature * n
    for p in range(n):
        place = problem.position[order[p]]
        run[k] = place
        keys[k] = ordered[p]
        k += place >= 0
        if k == m:
            break


cdef void mark_members(
    const SearchTable* table, const NodeProblem* problem, SplitScratch* scratch, int feature
) noexcept nogil:
    """Mark the places of the members in the order of a feature; whoever reads the marks clears them."""
    cdef Py_ssize_t p
    cdef int k
    cdef const int* rank = table.columns.rank + feature * <Py_ssize_t>table.n
    for k in range(problem.n_members):
        p = rank[problem.members[k]]
        scratch.marks[p >> 6] |= 1ULL << (p & 63)


cdef void sort_few_members(
    const SearchTable* table, const NodeProblem* problem, SplitScratch* scratch, int feature
) noexcept nogil:
    """List the members in the order of a feature where they are few: only their marked places are visited."""
    cdef Py_ssize_t n = table.n, p
    cdef int word, k = 0
    cdef unsigned long long left
    cdef unsigned long long* marks = scratch.marks
    cdef const int* order = table.columns.order + feature * n
    cdef const double* column = table.columns.values + feature * n
    cdef const float* ordered = NULL
    if table.columns.sorted_values != NULL:
        ordered = table.columns.sorted_values + feature * n
    mark_members(table, problem, scratch, feature)
    for word in range(<int>((n + 63) >> 6)):
        left = marks[word]
        marks[word] = 0
        while left:
            p = 64 * <Py_ssize_t>word + lowest_bit(left)
            left &= left - 1
            scratch.sorted_members[k] = problem.position[order[p]]
            scratch.keys[k] = ordered[p] if ordered != NULL else column[order[p]]
            k += 1
