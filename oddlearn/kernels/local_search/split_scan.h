/* The innermost loop of the search, with the number of targets known to the compiler. */

#ifndef ODDLEARN_SPLIT_SCAN_H
#define ODDLEARN_SPLIT_SCAN_H

#include <math.h>

#include "common/compiler.h"

/* The functions below are compiled once for every small number of targets, so that loops over targets are unrolled: CASE(T)
   calls the function for T targets and returns. */
#define MAX_UNROLLED 16
#if defined(ODDLEARN_NO_UNROLLING)
#define UNROLL(TARGETS)
#else
#define UNROLL(TARGETS)                                                                                      \
    switch (TARGETS) {                                                                                       \
        CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9)                                      \
        CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) CASE(15) CASE(16)                                       \
    }
#endif

typedef struct {
    const int *order;        /* members in the order of their keys */
    const double *keys;
    const double *costs;     /* (members, targets): cost of each member at each target */
    const double *total;     /* (targets,): sums over all members */
    const double *price;     /* (targets,) */
    double *prefix;          /* (targets,): sums over the members before the place */
    long members;
    double margin, tolerance;
    double best;             /* value to beat or to equal */
    double value;            /* of the split that was found */
} Scan;

/* Go on from place k to the next split that is as good as the best, and return its place, or the number of members.
   The split at k itself is skipped when `resume` is set. */
ODDLEARN_INLINE long next_split_with(Scan *scan, long k, int resume, const int targets, double *prefix)
{
    const double *price = scan->price, *total = scan->total;
    const double margin = scan->margin, tolerance = scan->tolerance, best = scan->best;
    int t;
    for (t = 0; t < targets; t++)
        prefix[t] = scan->prefix[t];
    for (; k < scan->members; k++) {
        const double *row = scan->costs + (long)scan->order[k] * targets;
        if (!resume && k > 0 && scan->keys[k] - scan->keys[k - 1] >= margin) {
            double before = prefix[0] + price[0], after = total[0] - prefix[0] + price[0];
            for (t = 1; t < targets; t++) {
                const double p = prefix[t] + price[t], q = total[t] - prefix[t] + price[t];
                before = p < before ? p : before;
                after = q < after ? q : after;
            }
            if (before + after - best <= tolerance) {
                scan->value = before + after;
                break;
            }
        }
        resume = 0;
        for (t = 0; t < targets; t++)
            prefix[t] += row[t];
    }
    for (t = 0; t < targets; t++)
        scan->prefix[t] = prefix[t];
    return k;
}

ODDLEARN_CLONES static long next_split(Scan *scan, long k, int resume, int targets)
{
    double few[MAX_UNROLLED];
#define CASE(T) case T: return next_split_with(scan, k, resume, T, few);
    UNROLL(targets)
#undef CASE
    return next_split_with(scan, k, resume, targets, scan->prefix);
}

/* Return the smallest value of any split between two different keys; infinite if there is none. */
ODDLEARN_INLINE double min_split_with(const Scan *scan, const int targets, double *prefix)
{
    const double *price = scan->price, *total = scan->total;
    double least = HUGE_VAL;
    long k;
    int t;
    for (t = 0; t < targets; t++)
        prefix[t] = 0.0;
    for (k = 0; k < scan->members; k++) {
        const double *row = scan->costs + (long)scan->order[k] * targets;
        if (k > 0 && scan->keys[k] > scan->keys[k - 1]) {
            double before = prefix[0] + price[0], after = total[0] - prefix[0] + price[0];
            for (t = 1; t < targets; t++) {
                const double p = prefix[t] + price[t], q = total[t] - prefix[t] + price[t];
                before = p < before ? p : before;
                after = q < after ? q : after;
            }
            least = before + after < least ? before + after : least;
        }
        for (t = 0; t < targets; t++)
            prefix[t] += row[t];
    }
    return least;
}

ODDLEARN_CLONES static double min_split(Scan *scan, int targets)
{
    double few[MAX_UNROLLED];
#define CASE(T) case T: return min_split_with(scan, T, few);
    UNROLL(targets)
#undef CASE
    return min_split_with(scan, targets, scan->prefix);
}

/* Sum the costs of the members, and count them, by the bin of their value. */
ODDLEARN_INLINE void sum_bins_with(const double *ODDLEARN_RESTRICT costs, const int *ODDLEARN_RESTRICT members, long count,
                                   const unsigned char *ODDLEARN_RESTRICT bins, const int targets,
                                   double *ODDLEARN_RESTRICT sums, int *ODDLEARN_RESTRICT counts)
{
    long k;
    int t;
    for (k = 0; k < count; k++) {
        const int bin = bins[members[k]];
        const double *row = costs + k * targets;
        double *sum = sums + (long)bin * targets;
        counts[bin]++;
        for (t = 0; t < targets; t++)
            sum[t] += row[t];
    }
}

ODDLEARN_CLONES static void sum_bins(const double *costs, const int *members, long count, const unsigned char *bins, int targets,
                     double *sums, int *counts)
{
#define CASE(T) case T: sum_bins_with(costs, members, count, bins, T, sums, counts); return;
    UNROLL(targets)
#undef CASE
    sum_bins_with(costs, members, count, bins, targets, sums, counts);
}

/* The same over samples of which those with a negative position are no members. */
ODDLEARN_INLINE void sum_rare_with(const double *ODDLEARN_RESTRICT costs, const int *ODDLEARN_RESTRICT position,
                                   const int *ODDLEARN_RESTRICT rare, long count,
                                   const unsigned char *ODDLEARN_RESTRICT bins, const int targets,
                                   double *ODDLEARN_RESTRICT sums, int *ODDLEARN_RESTRICT counts)
{
    long k;
    int t;
    for (k = 0; k < count; k++) {
        const int sample = rare[k], member = position[sample];
        if (member >= 0) {
            const int bin = bins[sample];
            const double *row = costs + (long)member * targets;
            double *sum = sums + (long)bin * targets;
            counts[bin]++;
            for (t = 0; t < targets; t++)
                sum[t] += row[t];
        }
    }
}

ODDLEARN_CLONES static void sum_rare(const double *costs, const int *position, const int *rare, long count,
                                     const unsigned char *bins, int targets, double *sums, int *counts)
{
#define CASE(T) case T: sum_rare_with(costs, position, rare, count, bins, T, sums, counts); return;
    UNROLL(targets)
#undef CASE
    sum_rare_with(costs, position, rare, count, bins, targets, sums, counts);
}

/* For every two targets, sum what the members cost if each goes to its cheaper one; only pairs (t, u) with u < t are right. */
ODDLEARN_INLINE void sum_pairs_with(const double *ODDLEARN_RESTRICT costs, long count, const int targets,
                                    double *ODDLEARN_RESTRICT sums)
{
    long k;
    int t, u;
    for (t = 0; t < targets * targets; t++)
        sums[t] = 0.0;
    for (k = 0; k < count; k++) {
        const double *row = costs + k * targets;
        for (t = 1; t < targets; t++) {
            const double here = row[t];
            double *sum = sums + (long)t * targets;
            for (u = 0; u < t; u++)
                sum[u] += row[u] < here ? row[u] : here;
        }
    }
}

ODDLEARN_CLONES static void sum_pairs(const double *costs, long count, int targets, double *sums)
{
#define CASE(T) case T: sum_pairs_with(costs, count, T, sums); return;
    UNROLL(targets)
#undef CASE
    sum_pairs_with(costs, count, targets, sums);
}

#endif
