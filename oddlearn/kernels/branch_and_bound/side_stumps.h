/* The best stump of one feature on both sides of a split of another: one pass through the items of the set. */

#ifndef ODDLEARN_SIDE_STUMPS_H
#define ODDLEARN_SIDE_STUMPS_H

#include "common/compiler.h"
#include "problem_limits.h"

#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define SMALLER(a, b) ((a) < (b) ? (a) : (b))

/* Two classes: extremes of the sums of signed gains over the prefixes of each side. */
static void scan_two_classes(const int *item, const int *position, long n_splits, const int *signed_gain,
                             const unsigned char *is_positive, int *low, int *high)
{
    int low0 = 0, high0 = 0, low1 = 0, high1 = 0, positive = 0, all = 0;
    long k = 0, s;
    for (s = 0; s < n_splits; s++) {
        const long end = position[s];
        int negative;
        do {
            const int i = item[k], gain = signed_gain[i];
            all += gain;
            positive += gain & -(int)is_positive[i];
        } while (++k < end);
        negative = all - positive;
        low0 = SMALLER(low0, negative);
        high0 = LARGER(high0, negative);
        low1 = SMALLER(low1, positive);
        high1 = LARGER(high1, positive);
    }
    low[0] = low0, high[0] = high0, low[1] = low1, high[1] = high1;
}

/* Any number of classes: the largest gain of a stump on each side, that of its two leaves together. */
static void scan_classes(const int *item, const int *position, long n_splits, long n, const int *label,
                         const long long *gain, int n_classes, const unsigned char *is_positive,
                         long long *prefix, long long *best)
{
    long long total[2][MAX_CLASSES];
    long long largest[2] = {0, 0};
    long k, s;
    int c;
    for (c = 0; c < n_classes; c++)
        total[0][c] = total[1][c] = 0;
    for (s = 0, k = 0; s < n_splits; s++) {
        for (; k < position[s]; k++) {
            const int i = item[k], side = is_positive[i];
            const long long sum = total[side][label[i]] += gain[i];
            largest[side] = LARGER(largest[side], sum);
        }
        prefix[2 * s] = largest[0];
        prefix[2 * s + 1] = largest[1];
    }
    for (c = 0; c < n_classes; c++)
        total[0][c] = total[1][c] = 0;
    largest[0] = largest[1] = best[0] = best[1] = 0;
    for (s = n_splits - 1, k = n - 1; s >= 0; s--) {
        for (; k >= position[s]; k--) {
            const int i = item[k], side = is_positive[i];
            const long long sum = total[side][label[i]] += gain[i];
            largest[side] = LARGER(largest[side], sum);
        }
        best[0] = LARGER(best[0], prefix[2 * s] + largest[0]);
        best[1] = LARGER(best[1], prefix[2 * s + 1] + largest[1]);
    }
}

#endif
