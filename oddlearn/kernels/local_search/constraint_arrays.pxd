"""Constraint rows as C arrays: linear rows on what a diagram does with the samples.

The observables are those of `oddlearn.problem.observables`, by columns: assigned[i, c], reached[i, v], positive[i, v],
used[v], parted. A row that is broken adds its weight times the distance to its limits to the objective of the search.
"""

cdef struct Rules:
    int R                      # rows
    int n_class_rows           # rows on assigned
    int n_caps
    bint counts_only           # all rows are limits on numbers of nodes, which growth respects: moves need no other care
    bint by_path               # some row is on reached or positive
    bint keeps_idle            # a node that decides nothing may be needed by a row
    const int* start           # (columns + 1,): nonzeros of each observable
    const int* row             # (nonzeros,)
    const double* coefficient  # (nonzeros,)
    const double* lower        # (R,)
    const double* upper        # (R,)
    double* weight             # (R,): of hard rows it goes up and down with the search
    const double* base_weight  # (R,)
    const unsigned char* hard  # (R,)
    const int* class_rows      # (n_class_rows,)
    # limits on numbers of nodes, which growth respects: sum of cap[k, layer] over the active nodes <= room[k]
    const double* cap          # (n_caps, L)
    const double* room         # (n_caps,)
    int guests                 # nodes beyond the limits that a shake may add; a repair removes the cheapest ones
    # the least flow of a node and of each of its sides, by layer; 0 where there is none
    const double* flow_weight  # (n,)
    const double* least_flow   # (L,)
    const double* least_side   # (L,)
