"""Optimal trees and diagrams over one table of rows: the Python face of the branch and bound."""

from libc.math cimport INFINITY

from oddlearn.kernels.branch_and_bound.diagram_search cimport (
    DiagramSearch, RootSplitKey, fill_last_layer, find_diagram, free_lists, lay_out_diagram_search, root_split_key,
)
from oddlearn.kernels.branch_and_bound.problem_limits cimport (
    LANES_FLOAT64, LANES_INT16, LANES_INT32, MAX_CLASSES as CLASSES_LIMIT, MAX_LEVELS as LEVELS_LIMIT, MAX_WIDTH as WIDTH_LIMIT,
)
from oddlearn.kernels.branch_and_bound.row_sets cimport Hash, ItemArrays, fill_with_all, fill_with_side
from oddlearn.kernels.branch_and_bound.tie_order cimport find_first_rank
from oddlearn.kernels.branch_and_bound.tree_search cimport solve_tree
from oddlearn.kernels.branch_and_bound.tree_solver cimport SplitBound, TreeSolver, clear_bounds, set_structure
from oddlearn.kernels.common.arena cimport Arena, allocate, release
from oddlearn.kernels.common.clock cimport monotonic

# the largest problems the solver takes
MAX_CLASSES = CLASSES_LIMIT
MAX_LEVELS = LEVELS_LIMIT
MAX_WIDTH = WIDTH_LIMIT

cdef size_t NO_LIMIT = <size_t>1 << 62     # bytes


cdef class DiagramSolver:
    """Trees and diagrams over one table of rows. A long call may run in a thread; `stop` comes from any other.

    Parameters
    ----------
    items : WeightedItems
        Rows as gains per class: its arrays are read in place.
    hash_words : (2, n) uint64
        Random words, by which sets of items are told apart.
    n_classes, levels : int
        Classes, and levels of the deepest tree or diagram.
    log_entries : int
        The transposition table has 2 ** log_entries entries of 48 bytes.
    side_slack : float
        How much more than needed is proved of a side with three levels.
    tolerance : float
        Differences of costs up to this are noise.
    disabled : int
        Parts that are turned off, for an ablation: a sum of the switches of `row_sets`.
    max_bytes : int
        Memory of the solver, at most; MemoryError if that is too little to begin.
    """

    cdef DiagramSearch state
    cdef Arena arena
    cdef object arrays             # what the items point into
    cdef object __weakref__

    def __cinit__(self, items, const Hash[:, ::1] hash_words, int n_classes, int levels, int log_entries,
                  double side_slack, double tolerance, unsigned int disabled=0, size_t max_bytes=NO_LIMIT):
        cdef TreeSolver* trees = &self.state.trees
        if n_classes > MAX_CLASSES or not 1 <= levels <= MAX_LEVELS:
            raise ValueError(f"{n_classes} classes and {levels} levels; at most {MAX_CLASSES} and {MAX_LEVELS}")
        self.point_to(items.rank, items.order, items.label, items.gain, items.base, hash_words)
        self.point_to_lanes(items.narrow)
        trees.items.n_classes, trees.max_levels = n_classes, levels
        trees.side_slack, trees.tolerance, trees.items.disabled = side_slack, tolerance, disabled
        lay_out_diagram_search(&self.state, log_entries, &self.arena)
        if self.arena.used > max_bytes or not allocate(&self.arena):
            raise MemoryError
        lay_out_diagram_search(&self.state, log_entries, &self.arena)
        fill_with_all(&trees.items, &trees.all_rows)
        trees.max_work = INFINITY
        trees.n_parts = 1
        self.limit_memory(max_bytes)

    def __dealloc__(self):
        free_lists(&self.state)
        release(&self.arena)

    cdef point_to(self, const int[:, ::1] rank, const int[:, ::1] order, const int[::1] label,
                  const double[::1] gain, const double[::1] base, const Hash[:, ::1] hash_words):
        """Point to the arrays of the items, and keep them."""
        cdef ItemArrays* items = &self.state.trees.items
        self.arrays = [rank, order, label, gain, base, hash_words]
        items.d, items.n = rank.shape[0], rank.shape[1]
        items.rank, items.order = &rank[0, 0], &order[0, 0]
        items.label, items.gain, items.base = &label[0], &gain[0], &base[0]
        items.first_hash, items.second_hash = &hash_words[0, 0], &hash_words[1, 0]

    cdef point_to_lanes(self, narrow):
        """Point to the gains as int16, int32 or float64, and keep them."""
        signed_gain, gain = narrow
        cdef TreeSolver* trees = &self.state.trees
        cdef size_t address = signed_gain.ctypes.data
        self.arrays += [signed_gain, gain]
        trees.lanes.signed_gain = <const void*>address
        address = gain.ctypes.data
        trees.lanes.gain = <const void*>address
        trees.lanes.kind, trees.lanes.n_lanes = {
            2: (LANES_INT16, 16), 4: (LANES_INT32, 8), 8: (LANES_FLOAT64, 4)
        }[signed_gain.itemsize]

    def stop(self):
        """End the present call soon, or the next one if it has not begun."""
        self.state.trees.stopped = True

    def clear_stop(self):
        """Take back a stop, for the next call."""
        self.state.trees.stopped = False

    @property
    def is_stopped(self):
        """True when the last call ended before it was done: what it returned is a bound all the same."""
        return bool(self.state.trees.stopped)

    @property
    def work(self):
        """Work done since the solver was made: visits of a row in a feature, weighted to take about a nanosecond each."""
        return self.state.trees.work

    def limit_work(self, double max_work):
        """Stop the next calls after so much more work, always at the same place."""
        self.state.trees.max_work = self.state.trees.work + max_work

    @property
    def n_bytes(self):
        """Memory that the solver has."""
        return self.arena.used + self.state.trees.list_bytes

    def limit_memory(self, size_t max_bytes):
        """Stop the next calls rather than have more memory than this, see `is_out_of_memory`."""
        self.state.trees.max_list_bytes = max_bytes - self.arena.used if max_bytes > self.arena.used else 0

    @property
    def is_out_of_memory(self):
        """True when a call ended because it needs more memory."""
        return bool(self.state.trees.is_out_of_memory)

    def set_part(self, int part, int n_parts):
        """Search one of several parts of the root's splits in the next calls, which have three levels or more.

        The parts of several solvers hold all splits. The smallest bound of all parts is that of the whole; of diagrams
        found in several parts the one with the smallest `root_key` is found in the whole.
        """
        self.state.trees.part, self.state.trees.n_parts = part, n_parts

    @property
    def root_key(self):
        """The split of the root of the last tree or diagram that was found, as a key that orders ties."""
        cdef const SplitBound* split = &self.state.chosen[0][0]
        cdef RootSplitKey key = root_split_key(split)
        return split.value, key.feature, key.rank, key.leaf_side

    @property
    def sweeps(self):
        """Calls of the vector code since the solver was made: a measure of work."""
        return self.state.trees.sweeps

    @property
    def n_choices(self):
        """Splits that the last search for a diagram tried at nodes."""
        return self.state.n_choices

    @property
    def cost(self):
        """Cost of the last diagram that was found."""
        return self.state.cost

    def clear_bounds(self):
        """Stop using the bounds that were stored so far: needed when prices change."""
        clear_bounds(&self.state.trees)

    def bound(self, const double[::1] prices, const int[::1] max_one_child, double cutoff, double seconds):
        """Bound the best tree of all rows.

        Parameters
        ----------
        prices : (levels,) float
            Of a split at each level.
        max_one_child : (levels,) int
            Where 1, a split of the level above has at most one split below it.
        cutoff : float
            Only trees that cost less are of interest.
        seconds : float

        Returns
        -------
        bound : float
            The cost of the best tree if exact, else a lower bound; the cutoff or more unless stopped.
        exact : bool
        """
        cdef TreeSolver* trees = &self.state.trees
        cdef SplitBound best = SplitBound(0, 0, 0, -1, 0)
        cdef int exact = 0
        cdef double bound
        if prices.shape[0] > trees.max_levels:
            raise ValueError(f"{prices.shape[0]} levels; at most {trees.max_levels}")
        set_structure(trees, prices.shape[0], &prices[0], &max_one_child[0])
        trees.deadline = monotonic() + seconds
        with nogil:
            fill_with_all(&trees.items, &trees.rows[0])
            bound = solve_tree(trees, 0, cutoff, &best, &exact)
        self.state.chosen[0][0] = best
        return bound, bool(exact)

    def tree(self, double value, double seconds):
        """Return the tree that the last call of `bound` found, whose exact cost is given.

        Returns
        -------
        list of (feature, rank) or None
            In the order of a heap: the children of entry k are 2 k + 1 and 2 k + 2; None is no split. The
            negative side of a split has ranks up to ``rank``. An empty list when time was short.
        """
        cdef TreeSolver* trees = &self.state.trees
        splits = [None] * ((1 << trees.structure.levels) - 1)
        trees.deadline = monotonic() + seconds
        fill_with_all(&trees.items, &trees.rows[0])
        self.fill_heap(0, 0, value, splits)
        return [] if trees.stopped else splits

    cdef fill_heap(self, int level, int place, double value, list splits):
        """Solve the rows of a level once more, and put the splits of their tree into the heap."""
        cdef TreeSolver* trees = &self.state.trees
        cdef SplitBound best
        cdef int exact, side
        value = solve_tree(trees, level, value + 2 * trees.tolerance, &best, &exact)
        if best.feature < 0 or trees.stopped:
            return
        if level + 1 < trees.structure.levels:
            best.rank = find_first_rank(trees, level, &best, value)
        splits[place] = (best.feature, best.rank)
        if level + 1 < trees.structure.levels:
            for side in range(2):
                fill_with_side(&trees.items, &trees.rows[level], best.feature, best.rank, side, &trees.rows[level + 1])
                self.fill_heap(level + 1, 2 * place + 1 + side, INFINITY, splits)

    def search(self, const int[::1] widths, bint tree_only, double budget, double seconds, const int[:, ::1] finished):
        """Search for a diagram with so many nodes per layer that costs less than the budget.

        Parameters
        ----------
        widths : (layers,) int
        tree_only : bool
            Flows do not meet.
        budget, seconds : float
        finished : (k, 3) int
            Splits of the root that earlier calls with a budget that was no smaller have searched to the end: see
            `finished_root_splits`.

        Returns
        -------
        list or None
            The first diagram found that needs all its nodes: for each layer, for each node, (feature, rank, negative
            target, positive target), where a target is a node of the next layer or -1 for a leaf. Feature -1 is a
            node that sends everything to its negative target. None when there is none, or when it was stopped.
        """
        cdef DiagramSearch* search = &self.state
        cdef int layer, n_layers = widths.shape[0]
        cdef bint found
        if n_layers > search.trees.max_levels or max(widths) > MAX_WIDTH:
            raise ValueError(f"{n_layers} layers of up to {max(widths)} nodes are too many")
        for layer in range(n_layers):
            search.width[layer] = widths[layer]
        search.budget, search.tree_only = budget, tree_only
        search.n_finished = finished.shape[0]
        search.finished = <const RootSplitKey*>&finished[0, 0] if finished.shape[0] else NULL
        search.trees.deadline = monotonic() + seconds
        with nogil:
            found = find_diagram(search, n_layers)
        search.finished, search.n_finished = NULL, 0
        return self.read_diagram() if found and not search.trees.stopped else None

    def finished_root_splits(self):
        """Return the splits of the root that the last search has searched to the end, in rows of three numbers."""
        cdef RootSplitKey key
        cdef Py_ssize_t k
        keys = []
        for k in range(self.state.n_searched):
            key = root_split_key(&self.state.lists[0][0].splits[k])
            keys.append((key.feature, key.rank, key.leaf_side))
        return keys

    cdef list read_diagram(self):
        """Return the diagram that was found."""
        cdef DiagramSearch* search = &self.state
        cdef SplitBound* split
        cdef int layer, node
        fill_last_layer(search)
        layers = []
        for layer in range(search.trees.structure.levels):
            nodes = []
            for node in range(search.width[layer]):
                split = &search.chosen[layer][node]
                nodes.append((split.feature, split.rank, search.target[layer][2 * node],
                              search.target[layer][2 * node + 1]))
            layers.append(nodes)
        return layers
