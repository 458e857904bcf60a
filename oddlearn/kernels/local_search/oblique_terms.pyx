"""Terms of hyperplanes: which columns of the user a weighted sum is of, where their number is limited.

Columns are exchanged one at a time. What a further column could add to those that stay is seen from the residuals of a
logistic regression on these: their covariance with the column, in standard deviations (matching pursuit).
"""

from libc.math cimport exp, fabs
from libc.string cimport memset

from oddlearn.kernels.common.rng cimport draw_below, draw_unit
from oddlearn.kernels.local_search.oblique_directions cimport pack_columns, ridge_logistic

cdef double RIDGE = 1e-3
cdef double RANDOM_SHARE = 0.25  # of columns that are drawn whatever they could add


cdef void list_terms(const SearchTable* table, ObliqueWorkspace* oblique) noexcept nogil:
    """List the features of the chosen columns."""
    cdef int j
    oblique.n_terms = 0
    for j in range(table.d):
        if oblique.is_chosen[table.column_of[j]]:
            oblique.terms[oblique.n_terms] = j
            oblique.n_terms += 1


cdef void take_terms_of(const SearchTable* table, ObliqueWorkspace* oblique, const double* weights) noexcept nogil:
    """Take the columns of some weights (d,) as terms, or all where there is no limit."""
    cdef int j
    memset(oblique.is_chosen, table.max_terms == 0, table.n_columns)
    for j in range(table.d):
        if weights[j] != 0.0:
            oblique.is_chosen[table.column_of[j]] = 1
    list_terms(table, oblique)


cdef int count_columns(const SearchTable* table, const ObliqueWorkspace* oblique) noexcept nogil:
    """Return the number of chosen columns."""
    cdef int column, count = 0
    for column in range(table.n_columns):
        count += oblique.is_chosen[column]
    return count


cdef int draw_column(const SearchTable* table, const ObliqueWorkspace* oblique, RngState* rng, bint chosen) noexcept nogil:
    """Draw one of the columns that are, or are not, chosen; -1 if there is none."""
    cdef int column, drawn = -1, count = 0
    for column in range(table.n_columns):
        if oblique.is_chosen[column] == chosen:
            count += 1
            if draw_below(rng, count) == 0:
                drawn = column
    return drawn


cdef void compute_residuals(ObliqueWorkspace* oblique) noexcept nogil:
    """Compute into `change` what each decided member would have the regression change, in sum 0."""
    cdef Py_ssize_t k, m = oblique.m
    cdef double z, p, mean = 0.0
    for k in range(m):
        z = oblique.distance[k]
        p = 1.0 / (1.0 + exp(-z)) if z > -500 else 0.0
        oblique.change[k] = fabs(oblique.preference[k]) * ((1.0 if oblique.preference[k] > 0 else 0.0) - p)
        mean += oblique.change[k] / m
    for k in range(m):
        oblique.change[k] -= mean


cdef void compute_slopes(const SearchTable* table, ObliqueWorkspace* oblique, const int* members) noexcept nogil:
    """Compute how much each column could reduce the loss: the largest of its features' squares of covariance by variance."""
    cdef Py_ssize_t j, k, m = oblique.m
    cdef double x, total, squares, product
    cdef const double* column
    memset(oblique.slope, 0, table.n_columns * sizeof(double))
    for j in range(table.d):
        if oblique.is_chosen[table.column_of[j]]:
            continue
        column = table.columns.values + j * table.n
        total = squares = product = 0.0
        for k in range(m):
            x = column[members[oblique.decided[k]]]
            total += x
            squares += x * x
            product += x * oblique.change[k]
        squares -= total * total / m
        if squares > 1e-12 * m:
            x = product * product / squares
            oblique.slope[table.column_of[j]] = max(oblique.slope[table.column_of[j]], x)


cdef int draw_steep_column(const SearchTable* table, ObliqueWorkspace* oblique, RngState* rng) noexcept nogil:
    """Draw a column that is not chosen, those with the larger slopes with the larger chances; -1 if none has one."""
    cdef int column, best = -1
    cdef double value, most = 0.0
    for column in range(table.n_columns):
        value = oblique.slope[column] * (0.2 + draw_unit(rng))
        if value > most:
            most, best = value, column
    return best


cdef void fit_chosen(ObliqueWorkspace* oblique, const SearchTable* table, const int* members, StopClock* clock) noexcept nogil:
    """Fit the regression on the chosen columns; with none, every member is as far from both sides."""
    list_terms(table, oblique)
    if oblique.n_terms == 0:
        memset(oblique.distance, 0, oblique.m * sizeof(double))
        return
    pack_columns(table, members, oblique)
    ridge_logistic(oblique, clock, RIDGE)


cdef void choose_terms(
    const SearchTable* table, ObliqueWorkspace* oblique, RngState* rng, StopClock* clock, const int* members,
    const double* weights
) noexcept nogil:
    """Choose as many columns as are allowed: those of some weights (d,), one of them exchanged where they are as many."""
    cdef int column, count
    take_terms_of(table, oblique, weights)
    count = count_columns(table, oblique)
    while count >= table.max_terms:
        oblique.is_chosen[draw_column(table, oblique, rng, True)] = 0
        count -= 1
    while count < table.max_terms:
        column = -1
        if draw_unit(rng) >= RANDOM_SHARE:
            fit_chosen(oblique, table, members, clock)
            compute_residuals(oblique)
            compute_slopes(table, oblique, members)
            clock.work += 3.0 * oblique.m * table.d
            column = draw_steep_column(table, oblique, rng)
        if column < 0:
            column = draw_column(table, oblique, rng, False)
        if column < 0:
            break
        oblique.is_chosen[column] = 1
        count += 1
    list_terms(table, oblique)
