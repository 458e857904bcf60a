"""Optimal trees with a price per node and no limit on their depth: the Python face of the search by price."""

from libc.math cimport INFINITY
from libc.stdlib cimport calloc, free

from oddlearn.kernels.branch_and_bound.price_cache cimport allocate_cache, release_cache
from oddlearn.kernels.branch_and_bound.price_memory cimport fill_child, release_sets, reserve_root
from oddlearn.kernels.branch_and_bound.price_search cimport solve_set
from oddlearn.kernels.branch_and_bound.price_sets cimport Cost, Hash, PriceProblem, PriceSet, find_place
from oddlearn.kernels.branch_and_bound.price_similar cimport allocate_similar, release_similar
from oddlearn.kernels.branch_and_bound.price_state cimport (
    ASKED_TO_STOP, NOT_STOPPED, OUT_OF_MEMORY, TOO_DEEP, PriceSolver,
)
from oddlearn.kernels.branch_and_bound.problem_limits cimport MAX_CLASSES
from oddlearn.kernels.common.clock cimport monotonic

# the upper bound of a call that found no tree: beyond all costs
MAX_UPPER = 1 << 60

REASONS = {NOT_STOPPED: "", ASKED_TO_STOP: "asked", OUT_OF_MEMORY: "memory", TOO_DEEP: "depth"}


cdef class PriceTreeSolver:
    """Trees of any depth over one table of rows. A long call may run in a thread; `stop` comes from any other.

    Parameters
    ----------
    items : PriceItems
        Rows as integer gains per class: its arrays are read in place.
    hash_words : (2, n) uint64
        Random words, by which sets of items are told apart.
    n_classes : int
    log_entries : int
        The cache of bounds has up to 2 ** log_entries entries of 32 bytes.
    max_bytes : int
        Of the sets on one path of the search, the cache aside.
    disabled : int
        Parts that are turned off, for an ablation: a sum of the switches of `price_sets`.
    packed : PackedItems, optional
        The same items as bits: sets are kept as bits then, too.
    """

    cdef PriceSolver* state
    cdef object arrays             # what the items point into
    cdef bint is_filled

    def __cinit__(self, items, const Hash[:, ::1] hash_words, int n_classes, int log_entries, size_t max_bytes,
                  unsigned int disabled=0, packed=None):
        if n_classes > MAX_CLASSES:
            raise ValueError(f"{n_classes} classes; at most {MAX_CLASSES}")
        if items.price <= 0:
            raise ValueError(f"the price is {items.price}; it must be positive")
        self.state = <PriceSolver*>calloc(1, sizeof(PriceSolver))
        if self.state == NULL:
            raise MemoryError
        self.point_to(items.rank, items.order, items.label, items.gain, items.base, items.signed_gain, hash_words)
        self.state.problem.unit, self.state.problem.price = items.unit, items.price
        self.state.problem.n_classes, self.state.problem.disabled = n_classes, disabled
        if packed is not None:
            self.point_to_bits(packed.unit, packed.below, packed.column, packed.threshold_rank, packed.first_threshold,
                               packed.counting, packed.plane, packed.hash_table(hash_words))
            self.point_to_planes(packed.has_base_planes, packed.plane_class, packed.plane_weight)
        self.state.max_bytes, self.state.max_work = max_bytes, INFINITY
        self.state.is_in = <unsigned char*>calloc(self.state.problem.n, 1)
        self.state.prefix = <Cost*>calloc(self.state.problem.n, 2 * sizeof(Cost))
        if self.state.is_in == NULL or self.state.prefix == NULL or not allocate_cache(&self.state.cache, log_entries):
            raise MemoryError
        if not allocate_similar(&self.state.problem, &self.state.similar):
            raise MemoryError
        self.state.end_gain = <int*>calloc(4 * self.state.problem.d, sizeof(int))
        self.state.stamp_of = <Py_ssize_t*>calloc(self.state.problem.n, sizeof(Py_ssize_t))
        if self.state.end_gain == NULL or self.state.stamp_of == NULL:
            raise MemoryError

    def __dealloc__(self):
        if self.state != NULL:
            release_sets(self.state)
            release_cache(&self.state.cache)
            release_similar(&self.state.similar)
            free(self.state.end_gain)
            free(self.state.stamp_of)
            free(self.state.is_in)
            free(self.state.prefix)
            free(self.state)

    cdef point_to(self, const int[:, ::1] rank, const int[:, ::1] order, const int[::1] label, const Cost[::1] gain,
                  const Cost[::1] base, const int[::1] signed_gain, const Hash[:, ::1] hash_words):
        """Point to the arrays of the items, and keep them."""
        cdef PriceProblem* problem = &self.state.problem
        self.arrays = [rank, order, label, gain, base, signed_gain, hash_words]
        problem.d, problem.n = rank.shape[0], rank.shape[1]
        problem.rank, problem.order, problem.label = &rank[0, 0], &order[0, 0], &label[0]
        problem.gain, problem.base = &gain[0], &base[0]
        problem.signed_gain = &signed_gain[0] if signed_gain.shape[0] else NULL
        problem.first_hash, problem.second_hash = &hash_words[0, 0], &hash_words[1, 0]

    cdef point_to_bits(self, Cost unit, const Hash[:, ::1] below, const Hash[:, ::1] column,
                       const int[::1] threshold_rank, const int[::1] first_threshold, const int[::1] counting,
                       const Hash[:, ::1] plane, const Hash[:, :, ::1] hash_table):
        """Point to the arrays of the items as bits, and keep them; sets have no items then."""
        cdef PriceProblem* problem = &self.state.problem
        self.arrays += [below, column, threshold_rank, first_threshold, counting, plane, hash_table]
        problem.unit, problem.signed_gain = unit, NULL
        problem.words, problem.n_planes = below.shape[1], plane.shape[0]
        problem.below, problem.plane, problem.hash_table = &below[0, 0], &plane[0, 0], &hash_table[0, 0, 0]
        problem.threshold_rank, problem.first_threshold = &threshold_rank[0], &first_threshold[0]
        problem.counting = &counting[0]
        problem.table.words, problem.table.n_planes = problem.words, problem.n_planes
        problem.table.n_thresholds, problem.table.column = column.shape[1], &column[0, 0]

    cdef point_to_planes(self, bint has_base_planes, const int[::1] plane_class, const int[::1] plane_weight):
        """Point to what the planes stand for, and keep it."""
        cdef PriceProblem* problem = &self.state.problem
        self.arrays += [plane_class, plane_weight]
        problem.table.has_base_planes, problem.table.n_classes = has_base_planes, problem.n_classes
        problem.table.plane_class, problem.table.plane_weight = &plane_class[0], &plane_weight[0]

    def stop(self):
        """End the present call soon, or the next one if it has not begun."""
        self.state.stopped = ASKED_TO_STOP

    def clear_stop(self):
        """Take back a stop, for the next call."""
        self.state.stopped = NOT_STOPPED

    @property
    def is_stopped(self):
        """True when the last call ended before it was done: what it returned is a bound all the same."""
        return self.state.stopped != NOT_STOPPED

    @property
    def stop_reason(self):
        """The reason why the last call ended early: "asked", "memory", "depth" or ""."""
        return REASONS[self.state.stopped]

    @property
    def work(self):
        """Work done since the solver was made: visits of a row in a feature, of about a nanosecond each."""
        return self.state.work

    def limit_work(self, double max_work):
        """Stop the next calls after so much more work, always at the same place."""
        self.state.max_work = self.state.work + max_work
        self.state.next_check = self.state.work

    @property
    def counts(self):
        """Sets that were solved, and splits that were evaluated."""
        return self.state.n_solved, self.state.n_evaluated

    def bound(self, Cost budget, double seconds):
        """Bound the best tree of all rows, whose first node has no price.

        Returns
        -------
        lower, upper : int
            lower <= cost of the best tree <= upper, the cost of a tree that was found; lower reaches the lesser of
            the budget and upper unless the call was stopped.
        """
        cdef Cost lower = 0
        if not self.begin(seconds):
            return 0, MAX_UPPER
        with nogil:
            # see solve_set: with or without a split, the root costs its price more than it should
            solve_set(self.state, 0, budget + self.state.problem.price, &lower)
        return lower - self.state.problem.price, self.state.best[0].upper - self.state.problem.price

    cdef bint begin(self, double seconds):
        self.state.deadline = monotonic() + seconds
        if not self.is_filled:
            self.is_filled = reserve_root(self.state)
        return self.is_filled

    def tree(self, double seconds):
        """Return the tree whose cost was the last upper bound.

        Returns
        -------
        list of (feature, rank, negative, positive)
            The root first; the sides are places in the list, -1 for a leaf. The negative side of a split has ranks up
            to ``rank``. An empty list for a tree without a split, and when time was short.
        """
        nodes = []
        if self.begin(seconds):
            self.add_nodes(0, nodes)
        return [] if self.state.stopped != NOT_STOPPED else nodes

    cdef int add_nodes(self, int depth, list nodes) except -2:
        """Add the best tree found of the set of a depth, its root first; return the place of the root."""
        cdef PriceSet* rows = &self.state.sets[depth]
        cdef int split = self.state.best[depth].split, side, place = len(nodes)
        cdef Py_ssize_t feature
        cdef Cost lower
        cdef Cost side_upper[2]
        if split < 0 or self.state.stopped != NOT_STOPPED:
            return -1
        feature = rows.active[find_place(rows, split)]
        if self.state.problem.words:
            rank = self.state.problem.threshold_rank[rows.threshold[split]]
        else:
            item = rows.item[find_place(rows, split) * rows.n + rows.position[split] - 1]
            rank = self.state.problem.rank[feature * self.state.problem.n + <Py_ssize_t>item]
        nodes.append(None)
        targets = []
        side_upper[0], side_upper[1] = self.state.best[depth].side_upper[0], self.state.best[depth].side_upper[1]
        for side in range(2):
            if not fill_child(self.state, depth, split, side):
                return -1
            # its best tree costs no more than what was found before: once more, to see its splits
            solve_set(self.state, depth + 1, side_upper[side] + 1, &lower)
            targets.append(self.add_nodes(depth + 1, nodes))
        nodes[place] = (feature, rank, targets[0], targets[1])
        return place
