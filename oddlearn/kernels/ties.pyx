"""Diagrams with given numbers of nodes per layer: branch and bound with trees as bounds.

Layer by layer the nodes' sets are known. A diagram's part below a node is a tree if flows that meet are counted as if
they had nodes of their own, so the best trees bound what lies below. All cuts of each node that stay below the budget
are listed; for each choice of cuts the flows are shared out between leaves and the nodes of the next layer, and
the sets of those nodes are bounded in turn. On the last layer the bound is the cost. A node may also pass its whole set
on, so that flows of different depth meet below it: a cut without a feature, with all of the set on its negative side.

Only diagrams that need all their nodes are looked for: one that costs no less than some diagram with fewer of its nodes
may be passed over.
"""

from libc.math cimport INFINITY
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memset

from oddlearn.kernels.archive cimport bound_by_similar
from oddlearn.kernels.common.clock cimport monotonic
from oddlearn.kernels.forest cimport MOST_CLASSES, MOST_LEVELS, Cut, Forest
from oddlearn.kernels.recall cimport Entry, remembered
from oddlearn.kernels.sorted_sets cimport Frame, fill_with_group, mark_group

cdef enum:
    MOST_WIDTH = 16
    LEAF = -1
    NO_FEATURE = -1

# one side of a cut
cdef struct Flow:
    double leaf                # its cost as a leaf
    double bound               # what it costs at least if it goes on

# a cut of a list: which it is, and which side, if any, must be a leaf
cdef struct Mark:
    int feature
    int rank
    int kind                   # 0: none, 1: the negative side, 2: the positive side

cdef inline Mark mark_of(const Cut* cut) noexcept nogil:
    cdef Mark mark
    mark.feature, mark.rank = cut.feature, cut.rank
    mark.kind = 1 if cut.negative == INFINITY else 2 if cut.positive == INFINITY else 0
    return mark

cdef int by_value(const void* a, const void* b) noexcept nogil:
    cdef double x = (<const Cut*>a).value, y = (<const Cut*>b).value
    return (x > y) - (x < y)


cdef class Ties(Forest):
    """Diagrams over one table of items."""

    cdef int width[MOST_LEVELS]
    cdef bint tree_only
    cdef double budget
    cdef double spent[MOST_LEVELS]              # cost of the leaves above each layer
    cdef double least[MOST_LEVELS][MOST_WIDTH]  # what each node costs at least, by the flows that meet there
    cdef int* member                            # (levels, items): node of each item in each layer, or LEAF
    cdef Cut* lists[MOST_LEVELS][MOST_WIDTH]    # cuts of each node below the budget, the best first
    cdef Py_ssize_t n_lists[MOST_LEVELS][MOST_WIDTH]
    cdef Cut picked[MOST_LEVELS][MOST_WIDTH]
    cdef int target[MOST_LEVELS][2 * MOST_WIDTH]
    cdef const int[:, ::1] settled              # cuts of the root that need not be looked at: see `mark_of`
    cdef Py_ssize_t n_passed                    # cuts of the root that were looked at to the end
    cdef readonly long long choices             # of cuts that were looked at
    cdef readonly double cost                   # of the diagram found

    def __cinit__(self, *args):
        self.member = <int*>malloc(self.room * self.items.n * sizeof(int))
        if self.member == NULL:
            raise MemoryError

    def __dealloc__(self):
        cdef int layer, node
        for layer in range(MOST_LEVELS):
            for node in range(MOST_WIDTH):
                free(self.lists[layer][node])
        free(self.member)

    def search(self, const int[::1] widths, bint tree_only, double budget, double seconds,
               const int[:, ::1] settled):
        """Look for a diagram with so many nodes per layer that costs less than the budget.

        With ``tree_only`` flows do not meet. ``settled`` are cuts of the root that earlier calls passed, with a
        budget that was no smaller: see `passed`.

        Returns
        -------
        list or None
            The first one found that needs all its nodes: for each layer, for each node, (feature, rank, negative target, positive
            target), where a target is a node of the next layer or -1 for a leaf. Feature -1 is a node that
            sends everything to its negative target. None when there is none, or when it was stopped.
        """
        cdef int layer, n_layers = widths.shape[0]
        cdef double prices[MOST_LEVELS]
        cdef int single[MOST_LEVELS]
        cdef bint found
        cdef Py_ssize_t i
        if n_layers > self.room or max(widths) > MOST_WIDTH:
            raise ValueError(f"{n_layers} layers of up to {max(widths)} nodes are too many")
        for layer in range(n_layers):
            self.width[layer] = widths[layer]
            prices[layer] = 0
            single[layer] = layer > 0 and widths[layer] == 1
        self.pose(n_layers, prices, single)
        self.budget, self.spent[0], self.choices, self.tree_only = budget, 0, 0, tree_only
        self.settled, self.n_passed = settled, 0
        self.least[0][0] = 0
        self.deadline = monotonic() + seconds
        for i in range(self.items.n):
            self.member[i] = 0
        with nogil:
            found = self.enter(0)
        return self.written() if found and not self.stopped else None

    def passed(self):
        """Return the cuts of the root that the last search looked at to the end, in rows of three numbers."""
        cdef Py_ssize_t k
        cdef Mark mark
        marks = []
        for k in range(self.n_passed):
            mark = mark_of(&self.lists[0][0][k])
            marks.append((mark.feature, mark.rank, mark.kind))
        return marks

    cdef list written(self):
        """Return the diagram that was found; the last layer's cuts are looked up again."""
        cdef int layer, node, exact, last = self.levels - 1
        cdef Cut* cut
        layers = []
        for node in range(self.width[last]):
            fill_with_group(&self.items, self.whole, self.member + last * self.items.n, node, self.frames[last])
            self.solve(last, INFINITY, &self.picked[last][node], &exact)
            self.target[last][2 * node] = self.target[last][2 * node + 1] = LEAF
        for layer in range(self.levels):
            nodes = []
            for node in range(self.width[layer]):
                cut = &self.picked[layer][node]
                nodes.append((cut.feature, cut.rank, self.target[layer][2 * node], self.target[layer][2 * node + 1]))
            layers.append(nodes)
        return layers

    cdef bint enter(self, int layer) noexcept nogil:
        """Bound the nodes of a layer and, unless it is the last, list their cuts and choose."""
        cdef double bounds[MOST_WIDTH]
        cdef double total = self.spent[layer]
        cdef double least
        cdef int node
        for node in range(self.width[layer]):
            total += self.least[layer][node]
        for node in range(self.width[layer]):
            least = self.least[layer][node]
            bounds[node] = max(least, self.bound_node(layer, node, self.budget - total + least))
            total += bounds[node] - least
            if self.stopped or total >= self.budget - self.tolerance:
                return False
        if layer == self.levels - 1:
            self.cost = total
            return True
        for node in range(self.width[layer]):
            self.list_below(layer, node, self.budget - total + bounds[node])
            if layer == 0:
                self.drop_settled()
            if self.stopped or self.n_lists[layer][node] == 0:
                return False
        return self.pick(layer, 0, total, bounds)

    cdef void drop_settled(self) noexcept nogil:
        """Take the cuts that are settled from the list of the root."""
        cdef Cut* cuts = self.lists[0][0]
        cdef Py_ssize_t j, k, kept = 0
        cdef Mark mark
        for k in range(self.n_lists[0][0]):
            mark = mark_of(&cuts[k])
            for j in range(self.settled.shape[0]):
                if (
                    self.settled[j, 0] == mark.feature
                    and self.settled[j, 1] == mark.rank
                    and self.settled[j, 2] == mark.kind
                ):
                    break
            else:
                cuts[kept] = cuts[k]
                kept += 1
        self.n_lists[0][0] = kept

    cdef double bound_node(self, int layer, int node, double cutoff) noexcept nogil:
        """Bound the best tree for a node's set: its value, or at least the cutoff unless stopped."""
        cdef const int* member = self.member + layer * self.items.n
        cdef Frame* frame = self.frames[layer]
        cdef const Entry* known
        cdef double bound
        cdef Cut unused
        cdef int exact
        if layer < self.levels - 1:
            mark_group(&self.items, member, node, frame)
            known = remembered(self.recall, frame.first_print, frame.second_print, self.below[layer])
            if known != NULL and (known.exact or known.bound >= cutoff):
                return known.bound
            bound = bound_by_similar(
                self.archives[self.levels - layer - 1], &self.items, frame, self.below[layer], cutoff
            )
            if bound > 0:
                return bound
        fill_with_group(&self.items, self.whole, member, node, frame)
        return self.solve(layer, cutoff, &unused, &exact)

    cdef void list_below(self, int layer, int node, double cutoff) noexcept nogil:
        """List the cuts of a node whose bounds are below the cutoff, the best first."""
        cdef Cut unused
        fill_with_group(&self.items, self.whole, self.member + layer * self.items.n, node, self.frames[layer])
        self.cuts, self.n_cuts, self.room_for_cuts = NULL, 0, 0
        self.listing = layer + 1
        self.split(layer, cutoff, &unused)
        self.list_passing(layer, cutoff)
        self.listing = 0
        free(self.lists[layer][node])
        self.lists[layer][node], self.n_lists[layer][node] = self.cuts, self.n_cuts
        self.cuts = NULL
        if self.n_lists[layer][node]:
            qsort(self.lists[layer][node], self.n_lists[layer][node], sizeof(Cut), by_value)

    cdef void list_passing(self, int layer, double cutoff) noexcept nogil:
        """Add to the list that the node passes its set on, if that stays below the cutoff."""
        cdef Cut cut
        cdef int exact
        if self.stopped or self.frames[layer].n_active == 0:
            return
        cut.feature, cut.rank, cut.positive = NO_FEATURE, 0, INFINITY
        cut.value = cut.negative = self.passed_on(layer, cutoff, &exact)
        if not self.stopped and cut.value < cutoff - self.tolerance:
            self.take(layer, &cut, &cutoff, &cut)

    cdef bint pick(self, int layer, int node, double total, double* bounds) noexcept nogil:
        """Choose the cut of this node and of all later ones; ``total`` bounds the diagram."""
        cdef double value
        cdef Py_ssize_t k
        if node == self.width[layer]:
            return self.pour(layer)
        for k in range(self.n_lists[layer][node]):
            value = total - bounds[node] + self.lists[layer][node][k].value
            if value >= self.budget - self.tolerance or self.stopped:
                break
            self.choices += 1
            if self.choices % 64 == 0 and self.is_late():
                break
            self.picked[layer][node] = self.lists[layer][node][k]
            if self.pick(layer, node + 1, value, bounds):
                return True
            if layer == 0 and not self.stopped:
                self.n_passed = k + 1
        return False

    cdef bint pour(self, int layer) noexcept nogil:
        """All nodes of a layer are cut: weigh the flows and share them out."""
        cdef double total[2 * MOST_WIDTH][MOST_CLASSES]
        cdef double base[2 * MOST_WIDTH]
        cdef Flow flows[2 * MOST_WIDTH]
        cdef const Cut* cut
        cdef int j, c, n_flows = 2 * self.width[layer]
        cdef double most
        cdef Py_ssize_t i
        memset(base, 0, sizeof(base))
        for j in range(n_flows):
            memset(total[j], 0, self.items.classes * sizeof(double))
        for i in range(self.items.n):
            j = self.flow_of(layer, i)
            if j != LEAF:
                total[j][self.items.label[i]] += self.items.gain[i]
                base[j] += self.items.base[i]
        for j in range(n_flows):
            cut = &self.picked[layer][j // 2]
            most = 0
            for c in range(self.items.classes):
                most = max(most, total[j][c])
            flows[j].leaf = base[j] - most
            flows[j].bound = cut.positive if j % 2 else cut.negative
        return self.share(layer, flows, 0, 0, self.spent[layer])

    cdef int flow_of(self, int layer, Py_ssize_t item) noexcept nogil:
        """Return the flow an item takes from a layer: twice its node, one more on the positive side, or LEAF."""
        cdef int node = self.member[layer * self.items.n + item]
        cdef const Cut* cut
        if node == LEAF:
            return LEAF
        cut = &self.picked[layer][node]
        if cut.feature == NO_FEATURE:
            return 2 * node
        return 2 * node + (self.items.rank[cut.feature * self.items.n + item] > cut.rank)

    cdef bint share(self, int layer, const Flow* flows, int j, int n_used, double cost) noexcept nogil:
        """Send flow j and all later ones to leaves or to nodes of the next layer; new nodes are taken in order."""
        cdef int n_flows = 2 * self.width[layer], width = self.width[layer + 1], node, k
        cdef double rest = 0
        if j == n_flows:
            return n_used == width and self.go_on(layer, flows)
        if n_used + n_flows - j < width:
            return False
        for k in range(j + 1, n_flows):
            rest += min(flows[k].bound, flows[k].leaf)
        if cost + flows[j].bound + rest < self.budget - self.tolerance:
            for node in range(n_used if self.tree_only else 0, min(n_used + 1, width)):
                if j % 2 and self.target[layer][j - 1] == node:
                    continue
                self.target[layer][j] = node
                if self.share(layer, flows, j + 1, max(n_used, node + 1), cost + flows[j].bound):
                    return True
                if self.stopped:
                    return False
        if cost + flows[j].leaf + rest < self.budget - self.tolerance:
            self.target[layer][j] = LEAF
            return self.share(layer, flows, j + 1, n_used, cost + flows[j].leaf)
        return False

    cdef bint go_on(self, int layer, const Flow* flows) noexcept nogil:
        """Every flow has its target: fill the next layer and enter it."""
        cdef int* after = self.member + (layer + 1) * self.items.n
        cdef Py_ssize_t i
        cdef int j
        if self.is_late():
            return False
        self.spent[layer + 1] = self.spent[layer]
        memset(self.least[layer + 1], 0, sizeof(self.least[0]))
        for j in range(2 * self.width[layer]):
            if self.target[layer][j] == LEAF:
                self.spent[layer + 1] += flows[j].leaf
            else:
                self.least[layer + 1][self.target[layer][j]] += flows[j].bound
        for i in range(self.items.n):
            j = self.flow_of(layer, i)
            after[i] = self.target[layer][j] if j != LEAF else LEAF
        return self.enter(layer + 1)
