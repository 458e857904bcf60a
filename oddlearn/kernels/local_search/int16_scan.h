/* The least value of any cut along a path of samples, where costs are small whole numbers: one vector holds what the
   samples before a place and those after it cost at every target. */

#ifndef ODDLEARN_WHOLE_H
#define ODDLEARN_WHOLE_H

#include "local_search/split_scan.h"

#define ODDLEARN_ENDLESS 32767  /* no sum is larger, and none is negative */

#define ODDLEARN_MOST_LANES 8

typedef short Lanes __attribute__((vector_size(16), aligned(2)));
typedef int Words __attribute__((vector_size(16), aligned(4)));

#if defined(__SSE2__)
#include <emmintrin.h>
#define ODDLEARN_LESSER(a, b) ((Lanes)_mm_min_epi16((__m128i)(a), (__m128i)(b)))
#else
ODDLEARN_INLINE Lanes lesser(Lanes a, Lanes b)
{
    const Lanes less = a < b;
    return (a & less) | (b & ~less);
}
#define ODDLEARN_LESSER(a, b) lesser((Lanes)(a), (Lanes)(b))
#endif

#if defined(__clang__)
#define ODDLEARN_PICK(a, b, i, j, k, l) __builtin_shufflevector((Words)(a), (Words)(b), i, j, k, l)
#else
#define ODDLEARN_PICK(a, b, i, j, k, l) __builtin_shuffle((Words)(a), (Words)(b), (Words){i, j, k, l})
#endif

#define ODDLEARN_EVEN(a, b) ODDLEARN_PICK(a, b, 0, 2, 4, 6)
#define ODDLEARN_ODD(a, b) ODDLEARN_PICK(a, b, 1, 3, 5, 7)

/* Of every word, the lesser of its two lanes: the upper one is shifted onto the lower one, and a 0 into its place. */
ODDLEARN_INLINE Lanes lesser_lane(Lanes pairs)
{
    return ODDLEARN_LESSER(pairs, (Lanes)((Words)pairs >> 16));
}

/* For each of four vectors, the least of its first four lanes plus the least of its last four. */
ODDLEARN_INLINE Words add_least(Lanes a, Lanes b, Lanes c, Lanes d)
{
    const Lanes first = lesser_lane(ODDLEARN_LESSER(ODDLEARN_EVEN(a, b), ODDLEARN_ODD(a, b)));
    const Lanes last = lesser_lane(ODDLEARN_LESSER(ODDLEARN_EVEN(c, d), ODDLEARN_ODD(c, d)));
    return ODDLEARN_EVEN(first, last) + ODDLEARN_ODD(first, last);
}

/* Of eight lanes before a place and eight after it, four of each that the least are among. */
ODDLEARN_INLINE Lanes fold(Lanes before, Lanes after)
{
    const Lanes first = ODDLEARN_LESSER(before, ODDLEARN_PICK(before, before, 2, 3, 0, 1));
    const Lanes last = ODDLEARN_LESSER(after, ODDLEARN_PICK(after, after, 2, 3, 0, 1));
    return (Lanes)ODDLEARN_PICK(first, last, 0, 1, 4, 5);
}

/* `steps` has eight numbers for every sample: what it costs at each target, and if there are no more than four of them,
   the same with a minus. `begin` has what is to be added before a place, in its first eight numbers, and after it, in its
   last eight; if there are no more than four targets, in its first and second four. After a sample that is joined to the
   next there is no cut. */
ODDLEARN_INLINE int least_on_path_with(const int *path, const int *joined, long count, const short *steps,
                                       const short *begin, const int few)
{
    Lanes before = *(const Lanes *)begin, after = *(const Lanes *)(begin + 8), at[4];
    Words least = {ODDLEARN_ENDLESS, ODDLEARN_ENDLESS, ODDLEARN_ENDLESS, ODDLEARN_ENDLESS}, values;
    int j, lowest = ODDLEARN_ENDLESS;
    long k;
    for (k = 0; k + 4 <= count; k += 4) {
        for (j = 0; j < 4; j++) {
            const Lanes step = *(const Lanes *)(steps + 8 * (long)path[k + j]);
            before += step;
            after -= step;
            at[j] = few ? before : fold(before, after);
        }
        values = add_least(at[0], at[1], at[2], at[3]) | *(const Words *)(joined + k);
        least = (Words)ODDLEARN_LESSER(least, values);
    }
    for (j = 0; j < 4; j++)
        lowest = least[j] < lowest ? least[j] : lowest;
    for (; k < count; k++) {
        const Lanes step = *(const Lanes *)(steps + 8 * (long)path[k]);
        before += step;
        after -= step;
        at[0] = few ? before : fold(before, after);
        values = add_least(at[0], at[0], at[0], at[0]) | joined[k];
        lowest = values[0] < lowest ? values[0] : lowest;
    }
    return lowest;
}

static int least_on_path(const int *path, const int *joined, long count, const short *steps, const short *begin, int few)
{
    if (few)
        return least_on_path_with(path, joined, count, steps, begin, 1);
    return least_on_path_with(path, joined, count, steps, begin, 0);
}

/* The same along a feature with few values: steps are first summed by value. If `common` is a bin, not a negative number,
   the samples in it are not listed: they have what is left of the sum of every step. */
ODDLEARN_INLINE int least_in_bins_with(const unsigned char *bins, const int *samples, long count, int n_bins, int common,
                                       const short *steps, const short *every, const short *begin, const int few)
{
    Lanes before = *(const Lanes *)begin, after = *(const Lanes *)(begin + 8), at[4];
    Lanes sums[256 + 3];  /* as many as a bin's number can tell apart */
    Words least = {ODDLEARN_ENDLESS, ODDLEARN_ENDLESS, ODDLEARN_ENDLESS, ODDLEARN_ENDLESS};
    int b, j, lowest = ODDLEARN_ENDLESS;
    long k;
    for (b = 0; b < n_bins + 3; b++)
        sums[b] = (Lanes){0};
    for (k = 0; k < count; k++)
        sums[bins[samples[k]]] += *(const Lanes *)(steps + 8 * (long)samples[k]);
    if (common >= 0) {
        Lanes rest = *(const Lanes *)every;
        for (b = 0; b < n_bins; b++)
            rest -= sums[b];
        sums[common] = rest;
    }
    /* four places at a time; the bins after the last one are empty */
    for (b = 0; b < n_bins; b += 4) {
        for (j = 0; j < 4; j++) {
            before += sums[b + j];
            after -= sums[b + j];
            at[j] = few ? before : fold(before, after);
        }
        least = (Words)ODDLEARN_LESSER(least, add_least(at[0], at[1], at[2], at[3]));
    }
    for (j = 0; j < 4; j++)
        lowest = least[j] < lowest ? least[j] : lowest;
    return lowest;
}

static int least_in_bins(const unsigned char *bins, const int *samples, long count, int n_bins, int common,
                         const short *steps, const short *every, const short *begin, int few)
{
    if (few)
        return least_in_bins_with(bins, samples, count, n_bins, common, steps, every, begin, 1);
    return least_in_bins_with(bins, samples, count, n_bins, common, steps, every, begin, 0);
}

#endif
