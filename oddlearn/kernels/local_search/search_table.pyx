"""Read the arrays of a training problem: see `SearchArrays` and `ConstraintArrays` of the local search."""

import numpy as np


cdef tuple read_arrays(SearchTable* table, arrays, seed):
    """Point the table into the arrays of a problem; return what must be kept alive meanwhile."""
    cdef const double[:, ::1] columns = arrays.columns, cost = arrays.cost, weight = arrays.weight
    cdef const int[::1] layer = arrays.layer, first = arrays.first, column_of = arrays.column_of
    random = np.random.default_rng(seed)
    cdef const double[::1] hash_weights = random.random(columns.shape[1])
    cdef const unsigned long long[::1] hash_keys = random.integers(2**63, size=columns.shape[1], dtype=np.uint64)
    table.d, table.n = columns.shape[0], columns.shape[1]
    table.C, table.N, table.L = cost.shape[0], layer.shape[0], first.shape[0] - 1
    table.max_terms, table.n_columns = arrays.max_terms, max(arrays.column_of) + 1
    table.column_of = &column_of[0]
    table.costs.cost, table.costs.class_weight = &cost[0, 0], &weight[0, 0]
    table.layers.of_node, table.layers.first = &layer[0], &first[0]
    table.hashing.weights, table.hashing.keys = &hash_weights[0], &hash_keys[0]
    read_columns(table, arrays)
    read_bins(table, arrays)
    return arrays, hash_weights, hash_keys


cdef read_columns(SearchTable* table, arrays):
    """Point the table into the columns and their orders; read what is of use without constraints and hyperplanes only."""
    cdef const double[:, ::1] values = arrays.columns
    cdef const int[:, ::1] order = arrays.order, rank = arrays.rank
    cdef const short[:, ::1] tied = arrays.tied_with_next
    cdef const float[:, ::1] ordered = arrays.ordered
    cdef const int[::1] label = arrays.label
    if ordered.shape[0]:
        table.columns.sorted_values = &ordered[0, 0]
    table.columns.values, table.columns.order, table.columns.rank = &values[0, 0], &order[0, 0], &rank[0, 0]
    if table.oblique or has_constraints(table):
        return
    if tied.shape[0] and not table.disabled & INT16_BOUNDS:
        table.columns.tied_with_next = &tied[0, 0]
    if label.shape[0] and not table.disabled & LABEL_SUMS:
        table.costs.label = &label[0]


cdef read_bins(SearchTable* table, arrays):
    """Point the table into the bins of features with few values."""
    cdef const int[::1] n_bins = arrays.n_bins, common = arrays.common, rare = arrays.rare
    cdef const unsigned char[:, ::1] bins = arrays.bins
    cdef const double[:, ::1] values = arrays.bin_values
    cdef const Py_ssize_t[::1] rare_first = arrays.rare_first
    if values.shape[1] != MAX_BINS:
        raise ValueError(f"bin_values must have {MAX_BINS} columns")
    table.bins.count, table.bins.of_sample, table.bins.values = &n_bins[0], &bins[0, 0], &values[0, 0]
    table.bins.common, table.bins.rare_start = &common[0], &rare_first[0]
    if rare.shape[0]:
        table.bins.rare = &rare[0]


cdef tuple read_constraints(ConstraintArrays* constraints, arrays):
    """Point the constraints into the arrays of a problem's rows; return what must be kept alive meanwhile.

    The penalties are a copy, which each thread changes for itself.
    """
    cdef const int[::1] start = arrays.start, row = arrays.row, class_rows = arrays.class_rows
    cdef const double[::1] coefficient = arrays.coefficient, lower = arrays.lower, upper = arrays.upper
    cdef const double[::1] base_penalty = arrays.weight
    cdef double[::1] penalty = np.array(arrays.weight)
    cdef const unsigned char[::1] is_hard = arrays.hard
    constraints.R, constraints.n_class_rows = lower.shape[0], class_rows.shape[0]
    constraints.node_limits_only, constraints.uses_paths = arrays.counts_only, arrays.by_path
    constraints.keeps_idle_nodes = arrays.keeps_idle
    constraints.start, constraints.lower, constraints.upper = &start[0], &lower[0], &upper[0]
    constraints.penalty, constraints.base_penalty, constraints.is_hard = &penalty[0], &base_penalty[0], &is_hard[0]
    if row.shape[0]:
        constraints.row, constraints.coefficient = &row[0], &coefficient[0]
    if constraints.n_class_rows:
        constraints.class_rows = &class_rows[0]
    read_limits(constraints, arrays)
    return arrays, penalty


cdef read_limits(ConstraintArrays* constraints, arrays):
    """Point the constraints into limits on numbers of nodes and minimum flows."""
    cdef const double[:, ::1] coefficient = arrays.cap
    cdef const double[::1] limit = arrays.room, flow_weight = arrays.flow_weight
    cdef const double[::1] min_flow = arrays.least_flow, min_side_flow = arrays.least_side
    constraints.flow_weight = &flow_weight[0]
    constraints.min_flow, constraints.min_side_flow = &min_flow[0], &min_side_flow[0]
    constraints.n_node_limits = limit.shape[0]
    if constraints.n_node_limits:
        constraints.node_limit_coefficient, constraints.node_limit = &coefficient[0, 0], &limit[0]
