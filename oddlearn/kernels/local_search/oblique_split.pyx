"""Hyperplane of one node.

A direction turns the node's problem into one along a single key, which `scan_sorted` solves exactly: threshold, targets,
margin. So all that is sought is good directions.
"""

from libc.math cimport INFINITY, NAN, fabs, isnan
from libc.string cimport memcpy, memset

from oddlearn.kernels.common.rng cimport draw_below, draw_unit
from oddlearn.kernels.common.sorting cimport sort_by_key
from oddlearn.kernels.local_search.best_split cimport scan_sorted
from oddlearn.kernels.local_search.constrained_split cimport draw_multipliers, multiplier_saving
from oddlearn.kernels.local_search.oblique_directions cimport coordinate_search, multiply_packed, pack_columns, ridge_logistic
from oddlearn.kernels.local_search.oblique_terms cimport choose_terms, take_terms_of
from oddlearn.kernels.local_search.search_table cimport HYPERPLANE
from oddlearn.kernels.local_search.workspace cimport NodeProblem, ObliqueWorkspace, SplitScratch, count_work

cdef enum:
    MAX_LINE_PASSES = 2
    MAX_EXCHANGES = 3          # of terms, for one hyperplane, where their number is limited


cdef void draw_target_pair(Workspace* ws, int* first, int* second) noexcept nogil:
    """Draw a pair of targets that could serve the members well, the most promising with the largest chance."""
    cdef NodeProblem* problem = &ws.problem
    cdef Py_ssize_t k, T = problem.n_targets, m = problem.n_members
    cdef int t, u
    cdef double bound, best = INFINITY
    first[0], second[0] = 0, 1
    for t in range(T):
        for u in range(t + 1, T):
            bound = problem.target_price[t] + problem.target_price[u]
            for k in range(m):
                bound += min(problem.costs[k * T + t], problem.costs[k * T + u])
            bound *= 1.0 + 0.2 * draw_unit(&ws.rng)
            if bound < best:
                best = bound
                first[0], second[0] = t, u


cdef void set_preferences(
    const SearchTable* table, Workspace* ws, int first, int second
) noexcept nogil:
    """Find the members that prefer one of two targets, and what each of them saves by the second."""
    cdef NodeProblem* problem = &ws.problem
    cdef ObliqueWorkspace* oblique = &ws.oblique
    cdef Py_ssize_t k, T = problem.n_targets
    cdef double saved
    cdef bint has_multipliers = table.constraints != NULL and table.constraints.n_class_rows > 0
    if has_multipliers:
        draw_multipliers(table, ws)
    oblique.m = 0
    for k in range(problem.n_members):
        saved = problem.costs[k * T + first] - problem.costs[k * T + second]
        if has_multipliers:
            saved += multiplier_saving(table, ws, k, first, second)
        if saved != 0.0:
            oblique.decided[oblique.m] = <int>k
            oblique.preference[oblique.m] = saved
            oblique.m += 1


cdef bint scan_direction(
    const SearchTable* table, Workspace* ws, NodeSplit* split
) noexcept nogil:
    """Try every split along the normal; return whether one replaces the split, and keep the normal then."""
    cdef SplitScratch* scratch = &ws.scratch
    cdef ObliqueWorkspace* oblique = &ws.oblique
    cdef Py_ssize_t j, k, m = ws.problem.n_members
    cdef double a, norm = 0.0, threshold = split.threshold
    cdef const double* column
    for j in range(oblique.n_terms):
        norm += fabs(oblique.normal[j])
    if not (norm > 0.0 and norm < INFINITY):
        return False
    for j in range(oblique.n_terms):
        oblique.normal[j] /= norm
        if fabs(oblique.normal[j]) < 1e-12:
            oblique.normal[j] = 0.0
    count_work(ws, m, 30.0 + oblique.n_terms)
    memset(scratch.keys, 0, m * sizeof(double))
    for j in range(oblique.n_terms):
        a = oblique.normal[j]
        if a != 0.0:
            column = table.columns.values + <Py_ssize_t>oblique.terms[j] * table.n
            for k in range(m):
                scratch.keys[k] += a * column[ws.problem.members[k]]
    for k in range(m):
        scratch.sorted_members[k] = <int>k
    sort_by_key(scratch.keys, scratch.sorted_members, m)
    split.threshold = NAN
    scan_sorted(table, ws, split, HYPERPLANE)
    if isnan(split.threshold):
        split.threshold = threshold
        return False
    # better, or as good and drawn
    memset(oblique.best_normal, 0, table.d * sizeof(double))
    for j in range(oblique.n_terms):
        oblique.best_normal[oblique.terms[j]] = oblique.normal[j]
    return True


cdef void load_normal(ObliqueWorkspace* oblique, const double* weights) noexcept nogil:
    """Begin with the weights (d,) that the terms have in another hyperplane."""
    cdef int j
    for j in range(oblique.n_terms):
        oblique.normal[j] = weights[oblique.terms[j]]


cdef void improve_direction(
    const SearchTable* table, Workspace* ws, double threshold, NodeSplit* split
) noexcept nogil:
    """Improve the normal by line searches, and scan along the result."""
    cdef ObliqueWorkspace* oblique = &ws.oblique
    cdef Py_ssize_t k, m = oblique.m
    cdef int turn
    multiply_packed(oblique, oblique.normal, oblique.distance)
    for k in range(m):
        oblique.distance[k] -= threshold
    for turn in range(MAX_LINE_PASSES):
        if not coordinate_search(table, oblique, &ws.rng, &ws.clock):
            break
    scan_direction(table, ws, split)


cdef double initial_direction(
    const SearchTable* table, const DiagramState* state, ObliqueWorkspace* oblique, int node, const NodeSplit* split
) noexcept nogil:
    """Start from the best direction so far: the best split's, or the node's present hyperplane; return its threshold."""
    cdef int j
    if split.feature == HYPERPLANE:
        load_normal(oblique, oblique.best_normal)
        return split.threshold
    if node >= 0 and state.graph.feature[node] == HYPERPLANE:
        load_normal(oblique, state.graph.weights + <Py_ssize_t>node * table.d)
        return state.graph.threshold[node]
    for j in range(oblique.n_terms):
        oblique.normal[j] = oblique.terms[j] == max(split.feature, 0)
    return split.threshold


cdef void refine_terms(
    const SearchTable* table, const DiagramState* state, Workspace* ws, int node, NodeSplit* split
) noexcept nogil:
    """Improve the split by hyperplanes of the present terms, if there are any."""
    cdef ObliqueWorkspace* oblique = &ws.oblique
    cdef double ridge
    if oblique.n_terms == 0:
        return
    ridge = 1e-5 if draw_below(&ws.rng, 2) == 0 else 1e-2 * draw_unit(&ws.rng)
    pack_columns(table, ws.problem.members, oblique)
    ridge_logistic(oblique, &ws.clock, ridge)
    scan_direction(table, ws, split)
    improve_direction(table, ws, initial_direction(table, state, oblique, node, split), split)


cdef void set_dense_weights(
    const SearchTable* table, const DiagramState* state, Workspace* ws, int node, const NodeSplit* split, double* weights
) noexcept nogil:
    """Write the weights (d,) of the best split so far."""
    cdef const double* present = ws.oblique.best_normal
    if split.feature != HYPERPLANE:
        if node < 0 or state.graph.feature[node] != HYPERPLANE:
            memset(weights, 0, table.d * sizeof(double))
            weights[max(split.feature, 0)] = 1.0
            return
        present = state.graph.weights + <Py_ssize_t>node * table.d
    memcpy(weights, present, table.d * sizeof(double))


cdef void refine_split(
    const SearchTable* table, const DiagramState* state, Workspace* ws, int node, NodeSplit* split
) noexcept nogil:
    """Improve the split by hyperplanes; the weights of the result are `best_normal`."""
    cdef ObliqueWorkspace* oblique = &ws.oblique
    cdef int first, second, turn
    if ws.problem.n_members < 2 or table.d < 2:
        return
    if node >= 0 and state.graph.feature[node] == HYPERPLANE:
        take_terms_of(table, oblique, state.graph.weights + <Py_ssize_t>node * table.d)
        load_normal(oblique, state.graph.weights + <Py_ssize_t>node * table.d)
        scan_direction(table, ws, split)
    draw_target_pair(ws, &first, &second)
    set_preferences(table, ws, first, second)
    if oblique.m < 2:
        return
    set_dense_weights(table, state, ws, node, split, oblique.dense)
    take_terms_of(table, oblique, oblique.dense)
    refine_terms(table, state, ws, node, split)
    if table.max_terms == 0:
        return
    for turn in range(MAX_EXCHANGES):
        set_dense_weights(table, state, ws, node, split, oblique.dense)
        choose_terms(table, oblique, &ws.rng, &ws.clock, ws.problem.members, oblique.dense)
        refine_terms(table, state, ws, node, split)
