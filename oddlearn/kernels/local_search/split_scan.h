/* The innermost loop of the search, with the number of targets known to the compiler. */

#ifndef ODDLEARN_SCAN_H
#define ODDLEARN_SCAN_H

#include "common/compiler.h"

typedef struct {
    const int *run;          /* members in the order of their keys */
    const double *keys;
    const double *rows;      /* (members, targets): cost of each member at each target */
    const double *reach;     /* (members,): largest minus smallest cost */
    const double *total;     /* (targets,): sums over all members */
    const double *charge;    /* (targets,) */
    double *prefix;          /* (targets,): sums over the members before the place */
    long members;
    double margin, tolerance;
    double best;             /* value to beat or to equal */
    double allowance;        /* how much the reaches must still make up for */
    double value;            /* of the cut that was found */
} Scan;

/* Go on from place k to the next cut that is as good as the best, and return its place, or the number of members.
   The cut at k itself is passed over when `resume` is set. */
ODDLEARN_INLINE long scan_on_with(Scan *scan, long k, int resume, const int targets, double *prefix)
{
    const double *charge = scan->charge, *total = scan->total;
    const double margin = scan->margin, tolerance = scan->tolerance, best = scan->best;
    double allowance = scan->allowance;
    int t;
    for (t = 0; t < targets; t++)
        prefix[t] = scan->prefix[t];
    for (; k < scan->members; k++) {
        const double *row = scan->rows + (long)scan->run[k] * targets;
        if (allowance <= tolerance && !resume && k > 0 && scan->keys[k] - scan->keys[k - 1] >= margin) {
            double before = prefix[0] + charge[0], after = total[0] - prefix[0] + charge[0];
            for (t = 1; t < targets; t++) {
                const double p = prefix[t] + charge[t], q = total[t] - prefix[t] + charge[t];
                before = p < before ? p : before;
                after = q < after ? q : after;
            }
            allowance = before + after - best;
            if (allowance <= tolerance) {
                scan->value = before + after;
                break;
            }
        }
        resume = 0;
        allowance -= scan->reach[scan->run[k]];
        for (t = 0; t < targets; t++)
            prefix[t] += row[t];
    }
    for (t = 0; t < targets; t++)
        scan->prefix[t] = prefix[t];
    scan->allowance = allowance;
    return k;
}

ODDLEARN_CLONES static long scan_on(Scan *scan, long k, int resume, int targets)
{
    double few[16];
    switch (targets) {
    case 2: return scan_on_with(scan, k, resume, 2, few);
    case 3: return scan_on_with(scan, k, resume, 3, few);
    case 4: return scan_on_with(scan, k, resume, 4, few);
    case 5: return scan_on_with(scan, k, resume, 5, few);
    case 6: return scan_on_with(scan, k, resume, 6, few);
    case 7: return scan_on_with(scan, k, resume, 7, few);
    case 8: return scan_on_with(scan, k, resume, 8, few);
    case 9: return scan_on_with(scan, k, resume, 9, few);
    case 10: return scan_on_with(scan, k, resume, 10, few);
    case 11: return scan_on_with(scan, k, resume, 11, few);
    case 12: return scan_on_with(scan, k, resume, 12, few);
    case 13: return scan_on_with(scan, k, resume, 13, few);
    case 14: return scan_on_with(scan, k, resume, 14, few);
    case 15: return scan_on_with(scan, k, resume, 15, few);
    case 16: return scan_on_with(scan, k, resume, 16, few);
    default: return scan_on_with(scan, k, resume, targets, scan->prefix);
    }
}

/* The least value of any cut of the run between two different keys, or `cap` if none is below it. */
ODDLEARN_INLINE double least_cut_with(const Scan *scan, double cap, const int targets, double *prefix)
{
    const double *charge = scan->charge, *total = scan->total;
    double allowance = 0.0, least = cap;
    long k;
    int t;
    for (t = 0; t < targets; t++)
        prefix[t] = 0.0;
    for (k = 0; k < scan->members; k++) {
        const double *row = scan->rows + (long)scan->run[k] * targets;
        if (allowance <= 0.0 && k > 0 && scan->keys[k] > scan->keys[k - 1]) {
            double before = prefix[0] + charge[0], after = total[0] - prefix[0] + charge[0];
            for (t = 1; t < targets; t++) {
                const double p = prefix[t] + charge[t], q = total[t] - prefix[t] + charge[t];
                before = p < before ? p : before;
                after = q < after ? q : after;
            }
            least = before + after < least ? before + after : least;
            allowance = before + after - cap;
        }
        allowance -= scan->reach[scan->run[k]];
        for (t = 0; t < targets; t++)
            prefix[t] += row[t];
    }
    return least;
}

ODDLEARN_CLONES static double least_cut(Scan *scan, double cap, int targets)
{
    double few[16];
    switch (targets) {
    case 2: return least_cut_with(scan, cap, 2, few);
    case 3: return least_cut_with(scan, cap, 3, few);
    case 4: return least_cut_with(scan, cap, 4, few);
    case 5: return least_cut_with(scan, cap, 5, few);
    case 6: return least_cut_with(scan, cap, 6, few);
    case 7: return least_cut_with(scan, cap, 7, few);
    case 8: return least_cut_with(scan, cap, 8, few);
    case 9: return least_cut_with(scan, cap, 9, few);
    case 10: return least_cut_with(scan, cap, 10, few);
    case 11: return least_cut_with(scan, cap, 11, few);
    case 12: return least_cut_with(scan, cap, 12, few);
    case 13: return least_cut_with(scan, cap, 13, few);
    case 14: return least_cut_with(scan, cap, 14, few);
    case 15: return least_cut_with(scan, cap, 15, few);
    case 16: return least_cut_with(scan, cap, 16, few);
    default: return least_cut_with(scan, cap, targets, scan->prefix);
    }
}

/* Add up the rows of the members, and count them, by the bin of their value. */
ODDLEARN_INLINE void sum_bins_with(const double *ODDLEARN_RESTRICT rows, const int *ODDLEARN_RESTRICT members, long count,
                                   const unsigned char *ODDLEARN_RESTRICT bins, const int targets,
                                   double *ODDLEARN_RESTRICT sums, int *ODDLEARN_RESTRICT counts)
{
    long k;
    int t;
    for (k = 0; k < count; k++) {
        const int bin = bins[members[k]];
        const double *row = rows + k * targets;
        double *sum = sums + (long)bin * targets;
        counts[bin]++;
        for (t = 0; t < targets; t++)
            sum[t] += row[t];
    }
}

ODDLEARN_CLONES static void sum_bins(const double *rows, const int *members, long count, const unsigned char *bins, int targets,
                     double *sums, int *counts)
{
    switch (targets) {
    case 2: sum_bins_with(rows, members, count, bins, 2, sums, counts); return;
    case 3: sum_bins_with(rows, members, count, bins, 3, sums, counts); return;
    case 4: sum_bins_with(rows, members, count, bins, 4, sums, counts); return;
    case 5: sum_bins_with(rows, members, count, bins, 5, sums, counts); return;
    case 6: sum_bins_with(rows, members, count, bins, 6, sums, counts); return;
    case 7: sum_bins_with(rows, members, count, bins, 7, sums, counts); return;
    case 8: sum_bins_with(rows, members, count, bins, 8, sums, counts); return;
    case 9: sum_bins_with(rows, members, count, bins, 9, sums, counts); return;
    case 10: sum_bins_with(rows, members, count, bins, 10, sums, counts); return;
    case 11: sum_bins_with(rows, members, count, bins, 11, sums, counts); return;
    case 12: sum_bins_with(rows, members, count, bins, 12, sums, counts); return;
    case 13: sum_bins_with(rows, members, count, bins, 13, sums, counts); return;
    case 14: sum_bins_with(rows, members, count, bins, 14, sums, counts); return;
    case 15: sum_bins_with(rows, members, count, bins, 15, sums, counts); return;
    case 16: sum_bins_with(rows, members, count, bins, 16, sums, counts); return;
    default: sum_bins_with(rows, members, count, bins, targets, sums, counts);
    }
}

/* The same over samples of which those without a place are no members. */
ODDLEARN_INLINE void sum_rare_with(const double *ODDLEARN_RESTRICT rows, const int *ODDLEARN_RESTRICT place,
                                   const int *ODDLEARN_RESTRICT rare, long count,
                                   const unsigned char *ODDLEARN_RESTRICT bins, const int targets,
                                   double *ODDLEARN_RESTRICT sums, int *ODDLEARN_RESTRICT counts)
{
    long k;
    int t;
    for (k = 0; k < count; k++) {
        const int sample = rare[k], member = place[sample];
        if (member >= 0) {
            const int bin = bins[sample];
            const double *row = rows + (long)member * targets;
            double *sum = sums + (long)bin * targets;
            counts[bin]++;
            for (t = 0; t < targets; t++)
                sum[t] += row[t];
        }
    }
}

ODDLEARN_CLONES static void sum_rare(const double *rows, const int *place, const int *rare, long count,
                                     const unsigned char *bins, int targets, double *sums, int *counts)
{
    switch (targets) {
    case 2: sum_rare_with(rows, place, rare, count, bins, 2, sums, counts); return;
    case 3: sum_rare_with(rows, place, rare, count, bins, 3, sums, counts); return;
    case 4: sum_rare_with(rows, place, rare, count, bins, 4, sums, counts); return;
    case 5: sum_rare_with(rows, place, rare, count, bins, 5, sums, counts); return;
    case 6: sum_rare_with(rows, place, rare, count, bins, 6, sums, counts); return;
    case 7: sum_rare_with(rows, place, rare, count, bins, 7, sums, counts); return;
    case 8: sum_rare_with(rows, place, rare, count, bins, 8, sums, counts); return;
    case 9: sum_rare_with(rows, place, rare, count, bins, 9, sums, counts); return;
    case 10: sum_rare_with(rows, place, rare, count, bins, 10, sums, counts); return;
    case 11: sum_rare_with(rows, place, rare, count, bins, 11, sums, counts); return;
    case 12: sum_rare_with(rows, place, rare, count, bins, 12, sums, counts); return;
    case 13: sum_rare_with(rows, place, rare, count, bins, 13, sums, counts); return;
    case 14: sum_rare_with(rows, place, rare, count, bins, 14, sums, counts); return;
    case 15: sum_rare_with(rows, place, rare, count, bins, 15, sums, counts); return;
    case 16: sum_rare_with(rows, place, rare, count, bins, 16, sums, counts); return;
    default: sum_rare_with(rows, place, rare, count, bins, targets, sums, counts);
    }
}

/* For every two targets, what the members cost if each goes to its cheaper one; only pairs (t, u) with u < t are right. */
ODDLEARN_INLINE void sum_pairs_with(const double *ODDLEARN_RESTRICT rows, long count, const int targets,
                                    double *ODDLEARN_RESTRICT sums)
{
    long k;
    int t, u;
    for (t = 0; t < targets * targets; t++)
        sums[t] = 0.0;
    for (k = 0; k < count; k++) {
        const double *row = rows + k * targets;
        for (t = 1; t < targets; t++) {
            const double here = row[t];
            double *sum = sums + (long)t * targets;
            for (u = 0; u < t; u++)
                sum[u] += row[u] < here ? row[u] : here;
        }
    }
}

ODDLEARN_CLONES static void sum_pairs(const double *rows, long count, int targets, double *sums)
{
    switch (targets) {
    case 4: sum_pairs_with(rows, count, 4, sums); return;
    case 5: sum_pairs_with(rows, count, 5, sums); return;
    case 6: sum_pairs_with(rows, count, 6, sums); return;
    case 7: sum_pairs_with(rows, count, 7, sums); return;
    case 8: sum_pairs_with(rows, count, 8, sums); return;
    case 9: sum_pairs_with(rows, count, 9, sums); return;
    case 10: sum_pairs_with(rows, count, 10, sums); return;
    case 11: sum_pairs_with(rows, count, 11, sums); return;
    case 12: sum_pairs_with(rows, count, 12, sums); return;
    case 13: sum_pairs_with(rows, count, 13, sums); return;
    case 14: sum_pairs_with(rows, count, 14, sums); return;
    case 15: sum_pairs_with(rows, count, 15, sums); return;
    case 16: sum_pairs_with(rows, count, 16, sums); return;
    default: sum_pairs_with(rows, count, targets, sums);
    }
}

#endif
