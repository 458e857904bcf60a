"""Memory of the sets on one path of the search; sets filled with all items, or with a side of a split."""

from libc.stdlib cimport free, malloc

from oddlearn.kernels.branch_and_bound.packed_sets cimport count_packed_work, fill_with_all_bits, fill_with_side_bits, hash_side
from oddlearn.kernels.branch_and_bound.price_bounds cimport sweep_bounds
from oddlearn.kernels.branch_and_bound.price_sets cimport (
    Hash, PriceProblem, PriceSet, count_bytes, count_splits, fill_with_all_items, fill_with_split_side, find_place,
    mark_split_side, point_into,
)
from oddlearn.kernels.branch_and_bound.price_state cimport MAX_PRICE_DEPTH, OUT_OF_MEMORY


cdef bint reserve(PriceSolver* solver, PriceSet* rows, Py_ssize_t n, Py_ssize_t n_active,
                  Py_ssize_t n_splits) noexcept nogil:
    """Give a set memory for so many items, features and splits; False beyond the limit."""
    cdef size_t n_bytes = count_bytes(&solver.problem, n, n_active, n_splits)
    if n_bytes > rows.capacity:
        solver.bytes -= rows.capacity
        free(rows.memory)
        rows.memory, rows.capacity = NULL, 0
        # sets of one depth differ in size: some more, so that memory is not asked for each time
        n_bytes += n_bytes // 4
        if solver.bytes + n_bytes <= solver.max_bytes:
            rows.memory = malloc(n_bytes)
        if rows.memory == NULL:
            solver.stopped = OUT_OF_MEMORY
            return False
        rows.capacity = n_bytes
        solver.bytes += n_bytes
    point_into(&solver.problem, rows, n, n_active, n_splits)
    return True


cdef bint reserve_root(PriceSolver* solver) noexcept nogil:
    """Fill the first set with all items; False if memory is short."""
    cdef PriceProblem* problem = &solver.problem
    if not reserve(solver, &solver.sets[0], problem.n, problem.d, count_splits(problem)):
        return False
    if problem.words:
        fill_with_all_bits(problem, &solver.sets[0])
    else:
        fill_with_all_items(problem, &solver.sets[0])
    sweep_bounds(problem, &solver.sets[0])
    return True


cdef void release_sets(PriceSolver* solver) noexcept nogil:
    """Free the memory of all sets."""
    cdef int depth
    for depth in range(MAX_PRICE_DEPTH):
        free(solver.sets[depth].memory)
        free(solver.stumps[depth].slot_of)
        free(solver.stumps[depth].bound)


cdef bint fill_child(PriceSolver* solver, int depth, int split, bint positive) noexcept nogil:
    """Fill the set of the next depth with one side of a split; False if memory is short."""
    cdef PriceSet* rows = &solver.sets[depth]
    cdef PriceSet* child = &solver.sets[depth + 1]
    cdef Py_ssize_t n = rows.n - rows.position[split] if positive else rows.position[split]
    cdef Hash hashes[2]
    if solver.problem.words:
        if not reserve(solver, child, 0, rows.n_active, rows.n_splits):
            return False
        fill_with_side_bits(&solver.problem, rows, split, positive, child)
        hash_side(&solver.problem, rows, split, positive, hashes)
        child.all_first_hash, child.all_second_hash = hashes[0], hashes[1]
        solver.work += count_packed_work(&solver.problem)
        return True
    if not reserve(solver, child, n, rows.n_active, min(rows.n_splits, n * rows.n_active)):
        return False
    mark_split_side(rows, find_place(rows, split), split, positive, solver.is_in)
    fill_with_split_side(&solver.problem, rows, solver.is_in, n, child)
    solver.work += 5 * rows.n * rows.n_active
    return True
