/* Passes over all samples that a compiler can turn into vector code. */

#ifndef ODDLEARN_SAMPLE_PASSES_H
#define ODDLEARN_SAMPLE_PASSES_H

#include "common/compiler.h"

/* Find the samples that reach the threshold; return the sum of their hash keys. */
ODDLEARN_CLONES static unsigned long long split_samples(const double *ODDLEARN_RESTRICT values, double threshold, long n,
                                                       const unsigned long long *ODDLEARN_RESTRICT keys,
                                                       char *ODDLEARN_RESTRICT side)
{
    unsigned long long sum = 0;
    long i;
    for (i = 0; i < n; i++)
        side[i] = values[i] >= threshold;
    for (i = 0; i < n; i++)
        sum += keys[i] & -(unsigned long long)side[i];
    return sum;
}

/* Send the samples at a node on to its targets, and sum their hash keys, of those on the positive side in sums[1]. */
ODDLEARN_CLONES static void pass_node(const int *ODDLEARN_RESTRICT at, const char *ODDLEARN_RESTRICT side, long n, int node,
                                      int negative, int positive, const unsigned long long *ODDLEARN_RESTRICT keys,
                                      int *ODDLEARN_RESTRICT next, unsigned long long *sums)
{
    unsigned long long here = 0, above = 0;
    long i;
    for (i = 0; next && i < n; i++) {
        const int target = side[i] ? positive : negative;
        next[i] = at[i] == node ? target : next[i];
    }
    for (i = 0; i < n; i++) {
        const unsigned long long key = at[i] == node ? keys[i] : 0;
        here += key;
        above += key & -(unsigned long long)side[i];
    }
    sums[0] = here - above;
    sums[1] = above;
}

#endif
