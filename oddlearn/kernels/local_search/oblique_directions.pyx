"""Directions of hyperplanes: ridge logistic regression, and exact line searches on the 0-1 cost.

For a pair of targets every decided member has a preference (what it saves on the positive side); the others drop out.
"""

from libc.math cimport exp, fabs
from libc.string cimport memcpy, memset

from oddlearn.kernels.common.rng cimport draw_below, draw_unit
from oddlearn.kernels.common.sorting cimport sort_by_key
from oddlearn.kernels.local_search.workspace cimport out_of_time

cdef enum:
    MAX_NEWTON_STEPS = 8
    MAX_CONJUGATE_STEPS = 12


cdef void pack_columns(const SearchTable* table, const int* members, ObliqueWorkspace* oblique) noexcept nogil:
    """Copy the values of the terms of the decided members side by side."""
    cdef Py_ssize_t j, k, m = oblique.m
    cdef const double* column
    cdef double* packed
    for j in range(oblique.n_terms):
        column = table.columns.values + <Py_ssize_t>oblique.terms[j] * table.n
        packed = oblique.columns + j * m
        for k in range(m):
            packed[k] = column[members[oblique.decided[k]]]


cdef void multiply_packed(
    const ObliqueWorkspace* oblique, const double* normal, double* out
) noexcept nogil:
    """Compute the packed rows times the normal."""
    cdef Py_ssize_t j, k, m = oblique.m
    cdef double a
    cdef const double* column
    memset(out, 0, m * sizeof(double))
    for j in range(oblique.n_terms):
        a = normal[j]
        if a == 0.0:
            continue
        column = oblique.columns + j * m
        for k in range(m):
            out[k] += a * column[k]


# functions copy these pointers to local variables: a write through one might change the struct, for all the compiler knows
cdef struct NewtonScratch:     # of the weights and the threshold, d + 1 numbers each; the last two of the members
    double* gradient
    double* move
    double* residual
    double* direction
    double* product
    double* curvature          # (m,)
    double* along              # (m,)


cdef NewtonScratch divide_work(double* work, Py_ssize_t d, Py_ssize_t m) noexcept nogil:
    """Divide scratch memory among the vectors of the regression."""
    cdef NewtonScratch parts
    parts.gradient = work
    parts.move = parts.gradient + d + 1
    parts.residual = parts.move + d + 1
    parts.direction = parts.residual + d + 1
    parts.product = parts.direction + d + 1
    parts.curvature = parts.product + d + 1
    parts.along = parts.curvature + m
    return parts


cdef double compute_gradient(
    const ObliqueWorkspace* oblique, const NewtonScratch* work, double ridge, double total
) noexcept nogil:
    """Compute gradient and curvature of the regression, and start conjugate gradients; return the gradient's squared norm."""
    cdef Py_ssize_t j, k, m = oblique.m, d = oblique.n_terms
    cdef double z, p, size, squared = 0.0
    cdef const double* column
    cdef double* gradient = work.gradient
    cdef double* move = work.move
    cdef double* residual = work.residual
    cdef double* direction = work.direction
    cdef double* curvature = work.curvature
    cdef double* along = work.along
    for k in range(m):
        z = oblique.distance[k]
        p = 1.0 / (1.0 + exp(-z)) if z > -500 else 0.0
        size = fabs(oblique.preference[k]) / total
        curvature[k] = size * p * (1.0 - p) + 1e-12
        along[k] = size * (p - (1.0 if oblique.preference[k] > 0 else 0.0))
    gradient[d] = 0.0
    for k in range(m):
        gradient[d] += along[k]
    for j in range(d):
        column = oblique.columns + j * m
        z = ridge * oblique.normal[j]
        for k in range(m):
            z += column[k] * along[k]
        gradient[j] = z
    for j in range(d + 1):
        move[j] = 0.0
        residual[j] = direction[j] = -gradient[j]
        squared += gradient[j] * gradient[j]
    return squared


cdef double multiply_hessian(
    const ObliqueWorkspace* oblique, const NewtonScratch* work, double ridge
) noexcept nogil:
    """Compute the Hessian times the direction; return the direction times that."""
    cdef Py_ssize_t j, k, m = oblique.m, d = oblique.n_terms
    cdef double z, p
    cdef double* along = work.along
    cdef double* product = work.product
    cdef const double* curvature = work.curvature
    cdef const double* direction = work.direction
    cdef const double* column
    multiply_packed(oblique, direction, along)
    product[d] = 0.0
    for k in range(m):
        along[k] = curvature[k] * (along[k] + direction[d])
        product[d] += along[k]
    z = product[d] * direction[d]
    for j in range(d):
        column = oblique.columns + j * m
        p = ridge * direction[j]
        for k in range(m):
            p += column[k] * along[k]
        product[j] = p
        z += p * direction[j]
    return z


cdef void solve_newton_system(
    const ObliqueWorkspace* oblique, const NewtonScratch* work, double ridge, double squared
) noexcept nogil:
    """Find the Newton step by conjugate gradients; `squared` is the squared norm of the gradient."""
    cdef Py_ssize_t j, d = oblique.n_terms
    cdef int step
    cdef double z, ratio, before, rest = squared
    cdef double* move = work.move
    cdef double* residual = work.residual
    cdef double* direction = work.direction
    cdef const double* product = work.product
    for step in range(MAX_CONJUGATE_STEPS):
        z = multiply_hessian(oblique, work, ridge)
        if z <= 1e-300:
            return
        ratio = rest / z
        before = rest
        rest = 0.0
        for j in range(d + 1):
            move[j] += ratio * direction[j]
            residual[j] -= ratio * product[j]
            rest += residual[j] * residual[j]
        if rest < 1e-3 * squared:
            return
        ratio = rest / before
        for j in range(d + 1):
            direction[j] = residual[j] + ratio * direction[j]


cdef void ridge_logistic(
    ObliqueWorkspace* oblique, StopClock* clock, double ridge
) noexcept nogil:
    """Find the normal of a weighted ridge logistic regression, by Newton steps with conjugate gradients."""
    cdef Py_ssize_t j, k, m = oblique.m, d = oblique.n_terms
    cdef int step
    cdef double total = 0.0, bias = 0.0, squared
    cdef NewtonScratch work = divide_work(oblique.work, d, m)
    for k in range(m):
        total += fabs(oblique.preference[k])
    memset(oblique.normal, 0, d * sizeof(double))
    if total == 0.0:
        return
    memset(oblique.distance, 0, m * sizeof(double))
    for step in range(MAX_NEWTON_STEPS):
        squared = compute_gradient(oblique, &work, ridge, total)
        if squared < 1e-14 or out_of_time(clock):
            break
        clock.work += m * (10.0 * d + 20.0)
        solve_newton_system(oblique, &work, ridge, squared)
        for j in range(d):
            oblique.normal[j] += work.move[j]
        bias += work.move[d]
        multiply_packed(oblique, oblique.normal, oblique.distance)
        for k in range(m):
            oblique.distance[k] += bias


cdef double best_step(
    const SearchTable* table, ObliqueWorkspace* oblique, RngState* rng, int sign, double* gain
) noexcept nogil:
    """Return the step along the line, of the given sign, that saves most; `gain` becomes what it saves.

    A member changes sides where distance + step * change passes 0.
    """
    cdef Py_ssize_t k, count = 0
    cdef double step, change = 0.0, best = 0.0, place = 0.0, following
    cdef bint is_tie
    for k in range(oblique.m):
        if oblique.change[k] == 0.0:
            continue
        step = -sign * oblique.distance[k] / oblique.change[k]
        if step > 0.0 or (step == 0.0 and oblique.distance[k] >= 0.0 and sign * oblique.change[k] < 0.0):
            oblique.sort_key[count] = step
            oblique.sort_id[count] = <int>k
            count += 1
    sort_by_key(oblique.sort_key, oblique.sort_id, count)
    for k in range(count):
        # on the positive side now: it will lose its preference; on the negative side: gain it
        if oblique.distance[oblique.sort_id[k]] >= 0.0:
            change += oblique.preference[oblique.sort_id[k]]
        else:
            change -= oblique.preference[oblique.sort_id[k]]
        following = oblique.sort_key[k + 1] if k + 1 < count else 1.5 * oblique.sort_key[k] + 0.1
        if following <= oblique.sort_key[k] * (1.0 + 1e-9):
            continue
        is_tie = change >= best - table.tolerance
        if not is_tie or (change <= best + table.tolerance and best < 0.0 and draw_below(rng, 4) == 0):
            best = change
            place = 0.5 * (oblique.sort_key[k] + following)
    gain[0] = -best
    return sign * place


cdef bint search_line(
    const SearchTable* table, ObliqueWorkspace* oblique, RngState* rng, double* step
) noexcept nogil:
    """Move the distances along the line where that saves something; return whether it did."""
    cdef Py_ssize_t k
    cdef double gain_up, gain_down
    cdef double up = best_step(table, oblique, rng, 1, &gain_up)
    cdef double down = best_step(table, oblique, rng, -1, &gain_down)
    if max(gain_up, gain_down) <= table.tolerance:
        return False
    step[0] = up if gain_up >= gain_down else down
    for k in range(oblique.m):
        oblique.distance[k] += step[0] * oblique.change[k]
    return True


cdef bint coordinate_search(
    const SearchTable* table, ObliqueWorkspace* oblique, RngState* rng, StopClock* clock
) noexcept nogil:
    """Make one pass of exact line searches, one weight at a time and pairs of weights; return whether any helped."""
    cdef Py_ssize_t j, k, i, m = oblique.m
    cdef double step, share
    cdef bint helped = False
    cdef const double* column
    cdef const double* other
    cdef int d = oblique.n_terms
    cdef int turn, start = draw_below(rng, d)
    for turn in range(d + min(d, 8)):
        if out_of_time(clock):
            break
        clock.work += 40.0 * m
        j = (start + turn) % d
        column = oblique.columns + j * m
        i, share = -1, 0.0
        if turn >= d or draw_below(rng, 4) == 0:
            i = draw_below(rng, d)
            share = 2.0 * draw_unit(rng) - 1.0
            other = oblique.columns + i * m
            for k in range(m):
                oblique.change[k] = column[k] + share * other[k]
        else:
            memcpy(oblique.change, column, m * sizeof(double))
        # a shift of the threshold at the same time keeps the change balanced around 0
        if draw_below(rng, 2) == 0:
            step = oblique.change[draw_below(rng, <int>m)]
            for k in range(m):
                oblique.change[k] -= step
        if search_line(table, oblique, rng, &step):
            oblique.normal[j] += step
            if i >= 0:
                oblique.normal[i] += step * share
            helped = True
    return helped
