"""Diagrams with given numbers of nodes per layer: branch and bound with trees as bounds.

Layer by layer the sets of the nodes are known. The part of a diagram below a node is a tree if flows that meet are counted
as if they had nodes of their own, so that the best trees bound what lies below. All splits of each node that stay below
the budget are listed; for each choice of splits the flows are assigned to leaves and to the nodes of the next layer, and
the sets of those nodes are bounded in turn. On the last layer the bound is the cost. A node may also pass its whole set
on, so that flows of different depth meet below it: a split without a feature, with all of the set on its negative side.

Only diagrams that need all their nodes are searched for: one that costs no less than some diagram with fewer of its nodes
may be left out.
"""

from libc.stdlib cimport free, qsort
from libc.string cimport memset

from oddlearn.kernels.branch_and_bound.problem_limits cimport MAX_CLASSES
from oddlearn.kernels.branch_and_bound.row_sets cimport SIMILARITY_CACHE, ItemArrays, RowSet, fill_with_node, mark_node
from oddlearn.kernels.branch_and_bound.similarity_cache cimport bound_by_similar
from oddlearn.kernels.branch_and_bound.transposition_table cimport TableEntry, lookup
from oddlearn.kernels.branch_and_bound.tree_search cimport pass_through, search_splits, solve_tree
from oddlearn.kernels.branch_and_bound.tree_solver cimport (
    count_work, is_late, lay_out_tree_solver, record_split, set_structure,
)
from oddlearn.kernels.common.arena cimport take

cdef enum:
    CHOICES_PER_CLOCK = 64     # splits that are tried between two looks at the clock

# One side of a split.
cdef struct SideBound:
    double leaf                # its cost as a leaf
    double bound               # what it costs at least if it goes on


cdef void lay_out_diagram_search(DiagramSearch* search, int log_entries, Arena* arena) noexcept nogil:
    """Take memory for trees and diagrams; items and levels are set."""
    lay_out_tree_solver(&search.trees, log_entries, arena)
    search.node_of = <int*>take(arena, search.trees.max_levels * search.trees.items.n * sizeof(int))


cdef void free_lists(DiagramSearch* search) noexcept nogil:
    """Free the lists of splits, which grow outside the arena."""
    cdef int layer, node
    for layer in range(MAX_LEVELS):
        for node in range(MAX_WIDTH):
            free(search.lists[layer][node].splits)


cdef bint find_diagram(DiagramSearch* search, int n_layers) noexcept nogil:
    """Search for a diagram below the budget; widths, budget and the time are set. True if one was found."""
    cdef double prices[MAX_LEVELS]
    cdef int max_one_child[MAX_LEVELS]
    cdef int layer
    for layer in range(n_layers):
        prices[layer] = 0
        max_one_child[layer] = layer > 0 and search.width[layer] == 1
    set_structure(&search.trees, n_layers, prices, max_one_child)
    search.leaf_costs[0] = 0
    search.min_cost[0][0] = 0
    search.n_choices = search.n_searched = 0
    memset(search.node_of, 0, search.trees.items.n * sizeof(int))
    return bound_layer(search, 0)


cdef void fill_last_layer(DiagramSearch* search) noexcept nogil:
    """Solve the nodes of the last layer of the diagram that was found once more, for their splits."""
    cdef TreeSolver* trees = &search.trees
    cdef int node, exact, last = trees.structure.levels - 1
    for node in range(search.width[last]):
        fill_with_node(&trees.items, &trees.all_rows, layer_nodes(search, last), node, &trees.rows[last])
        solve_tree(trees, last, INFINITY, &search.chosen[last][node], &exact)
        search.target[last][2 * node] = search.target[last][2 * node + 1] = LEAF


cdef int* layer_nodes(DiagramSearch* search, int layer) noexcept nogil:
    """Return the node of each item in a layer."""
    return search.node_of + layer * search.trees.items.n


cdef bint bound_layer(DiagramSearch* search, int layer) noexcept nogil:
    """Bound the nodes of a layer and, unless it is the last, list their splits and branch on them."""
    cdef double bounds[MAX_WIDTH]
    cdef double total = search.leaf_costs[layer]
    cdef double least
    cdef int node
    for node in range(search.width[layer]):
        total += search.min_cost[layer][node]
    for node in range(search.width[layer]):
        least = search.min_cost[layer][node]
        bounds[node] = least
        if layer or search.trees.n_parts == 1:     # the bound of a part does not hold for a root that passes all on
            bounds[node] = max(least, bound_node(search, layer, node, search.budget - total + least))
        total += bounds[node] - least
        if search.trees.stopped or total >= search.budget - search.trees.tolerance:
            return False
    if layer == search.trees.structure.levels - 1:
        search.cost = total
        return True
    for node in range(search.width[layer]):
        list_node_splits(search, layer, node, search.budget - total + bounds[node])
        if layer == 0:
            drop_finished(search)
        if search.trees.stopped or search.lists[layer][node].n == 0:
            return False
    return branch_on_splits(search, layer, 0, total, bounds)


cdef void drop_finished(DiagramSearch* search) noexcept nogil:
    """Drop the splits that earlier calls have searched from the list of the root."""
    cdef SplitList* splits = &search.lists[0][0]
    cdef Py_ssize_t k, kept = 0
    for k in range(splits.n):
        if not is_finished(search, &splits.splits[k]):
            splits.splits[kept] = splits.splits[k]
            kept += 1
    splits.n = kept


cdef bint is_finished(const DiagramSearch* search, const SplitBound* split) noexcept nogil:
    """Return True if an earlier call has searched a split of the root to the end."""
    cdef RootSplitKey key = root_split_key(split)
    cdef const RootSplitKey* other
    cdef Py_ssize_t j
    for j in range(search.n_finished):
        other = search.finished + j
        if other.feature == key.feature and other.rank == key.rank and other.leaf_side == key.leaf_side:
            return True
    return False


cdef double bound_node(DiagramSearch* search, int layer, int node, double cutoff) noexcept nogil:
    """Bound the best tree of a node's set: its cost, or at least the cutoff unless stopped."""
    cdef TreeSolver* trees = &search.trees
    cdef RowSet* rows = &trees.rows[layer]
    cdef int exact, code = trees.structure.code[layer], left = trees.structure.levels - layer - 1
    cdef const TableEntry* entry
    cdef SplitBound unused
    cdef double bound
    if left > 0:
        mark_node(&trees.items, layer_nodes(search, layer), node, rows)
        entry = lookup(&trees.table, rows.first_hash, rows.second_hash, code)
        if entry != NULL and (entry.exact or entry.bound >= cutoff):
            return entry.bound
        bound = 0
        if not trees.items.disabled & SIMILARITY_CACHE:
            bound = bound_by_similar(&trees.caches[left], &trees.items, rows, code, cutoff)
        if bound > 0:
            return bound
    fill_with_node(&trees.items, &trees.all_rows, layer_nodes(search, layer), node, rows)
    count_work(trees, &trees.all_rows, 1.0)
    return solve_tree(trees, layer, cutoff, &unused, &exact)


cdef void list_node_splits(DiagramSearch* search, int layer, int node, double cutoff) noexcept nogil:
    """List the splits of a node whose bounds are below the cutoff, the best first."""
    cdef TreeSolver* trees = &search.trees
    cdef SplitList* splits = &search.lists[layer][node]
    cdef SplitBound unused
    fill_with_node(&trees.items, &trees.all_rows, layer_nodes(search, layer), node, &trees.rows[layer])
    count_work(trees, &trees.all_rows, 1.0)
    splits.n = 0
    trees.split_list, trees.listed_level = splits, layer
    search_splits(trees, layer, cutoff, &unused)
    if layer or trees.part == 0:
        list_pass_through(trees, layer, cutoff)
    trees.split_list = NULL
    if splits.n:
        qsort(splits.splits, splits.n, sizeof(SplitBound), compare_splits)


cdef int compare_splits(const void* a, const void* b) noexcept nogil:
    """Compare two splits by their values, then by which they are, for qsort: a fixed order, however they were found."""
    cdef const SplitBound* x = <const SplitBound*>a
    cdef const SplitBound* y = <const SplitBound*>b
    cdef RootSplitKey first = root_split_key(x), second = root_split_key(y)
    if x.value != y.value:
        return 1 if x.value > y.value else -1
    return first.feature - second.feature or first.rank - second.rank or first.leaf_side - second.leaf_side


cdef void list_pass_through(TreeSolver* trees, int layer, double cutoff) noexcept nogil:
    """List that the node passes its set on, if that stays below the cutoff."""
    cdef SplitBound split
    cdef int exact
    if trees.stopped or trees.rows[layer].n_active == 0:
        return
    split.feature, split.rank, split.positive = NO_FEATURE, 0, INFINITY
    split.value = split.negative = pass_through(trees, layer, cutoff, &exact)
    if not trees.stopped and split.value < cutoff - trees.tolerance:
        record_split(trees, layer, &split, &cutoff, &split)


cdef bint branch_on_splits(DiagramSearch* search, int layer, int node, double total, double* bounds) noexcept nogil:
    """Choose the split of this node and of all later ones of the layer; ``total`` bounds the diagram."""
    cdef const SplitList* splits = &search.lists[layer][node]
    cdef double value
    cdef Py_ssize_t k
    if node == search.width[layer]:
        return assign_flows(search, layer)
    for k in range(splits.n):
        value = total - bounds[node] + splits.splits[k].value
        if value >= search.budget - search.trees.tolerance or search.trees.stopped:
            break
        search.n_choices += 1
        if search.n_choices % CHOICES_PER_CLOCK == 0 and is_late(&search.trees):
            break
        search.chosen[layer][node] = splits.splits[k]
        if branch_on_splits(search, layer, node + 1, value, bounds):
            return True
        if layer == 0 and not search.trees.stopped:
            search.n_searched = k + 1
    return False


cdef bint assign_flows(DiagramSearch* search, int layer) noexcept nogil:
    """Sum up the flows of a layer whose nodes all have splits, and branch on their targets."""
    cdef const ItemArrays* items = &search.trees.items
    cdef double total[2 * MAX_WIDTH][MAX_CLASSES]
    cdef double base[2 * MAX_WIDTH]
    cdef SideBound flows[2 * MAX_WIDTH]
    cdef const SplitBound* split
    cdef int j, c, n_flows = 2 * search.width[layer]
    cdef double largest
    cdef Py_ssize_t i
    memset(base, 0, sizeof(base))
    for j in range(n_flows):
        memset(total[j], 0, items.n_classes * sizeof(double))
    for i in range(items.n):
        j = flow_of(search, layer, i)
        if j != LEAF:
            total[j][items.label[i]] += items.gain[i]
            base[j] += items.base[i]
    for j in range(n_flows):
        split = &search.chosen[layer][j // 2]
        largest = 0
        for c in range(items.n_classes):
            largest = max(largest, total[j][c])
        flows[j].leaf = base[j] - largest
        flows[j].bound = split.positive if j % 2 else split.negative
    return branch_on_targets(search, layer, flows, 0, 0, search.leaf_costs[layer])


cdef int flow_of(DiagramSearch* search, int layer, Py_ssize_t item) noexcept nogil:
    """Return the flow an item takes from a layer: twice its node, one more on the positive side; LEAF if none."""
    cdef const ItemArrays* items = &search.trees.items
    cdef int node = layer_nodes(search, layer)[item]
    cdef const SplitBound* split
    if node == LEAF:
        return LEAF
    split = &search.chosen[layer][node]
    if split.feature == NO_FEATURE:
        return 2 * node
    return 2 * node + (items.rank[split.feature * items.n + item] > split.rank)


cdef bint branch_on_targets(DiagramSearch* search, int layer, const SideBound* flows, int j, int n_used,
                            double cost) noexcept nogil:
    """Send flow j and all later ones to leaves or to nodes of the next layer; new nodes are taken in order."""
    cdef int n_flows = 2 * search.width[layer], width = search.width[layer + 1], node, k
    cdef double rest = 0, limit = search.budget - search.trees.tolerance
    if j == n_flows:
        return n_used == width and enter_next_layer(search, layer, flows)
    if n_used + n_flows - j < width:
        return False
    for k in range(j + 1, n_flows):
        rest += min(flows[k].bound, flows[k].leaf)
    if cost + flows[j].bound + rest < limit:
        for node in range(n_used if search.tree_only else 0, min(n_used + 1, width)):
            if j % 2 and search.target[layer][j - 1] == node:
                continue
            search.target[layer][j] = node
            if branch_on_targets(search, layer, flows, j + 1, max(n_used, node + 1), cost + flows[j].bound):
                return True
            if search.trees.stopped:
                return False
    if cost + flows[j].leaf + rest < limit:
        search.target[layer][j] = LEAF
        return branch_on_targets(search, layer, flows, j + 1, n_used, cost + flows[j].leaf)
    return False


cdef bint enter_next_layer(DiagramSearch* search, int layer, const SideBound* flows) noexcept nogil:
    """Send the items to their targets and bound the next layer."""
    cdef int* after = layer_nodes(search, layer + 1)
    cdef Py_ssize_t i
    cdef int j
    count_work(&search.trees, &search.trees.all_rows, 0.5)
    if is_late(&search.trees):
        return False
    search.leaf_costs[layer + 1] = search.leaf_costs[layer]
    memset(search.min_cost[layer + 1], 0, sizeof(search.min_cost[0]))
    for j in range(2 * search.width[layer]):
        if search.target[layer][j] == LEAF:
            search.leaf_costs[layer + 1] += flows[j].leaf
        else:
            search.min_cost[layer + 1][search.target[layer][j]] += flows[j].bound
    for i in range(search.trees.items.n):
        j = flow_of(search, layer, i)
        after[i] = LEAF if j == LEAF else search.target[layer][j]
    return bound_layer(search, layer + 1)
