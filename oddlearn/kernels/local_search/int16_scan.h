/* The smallest value of any split along a path of samples, where costs are small integers: one vector holds what the samples
   before a place and those after it cost at every target. */

#ifndef ODDLEARN_INT16_SCAN_H
#define ODDLEARN_INT16_SCAN_H

#include "common/compiler.h"

#define ODDLEARN_INT16_INF 32767  /* no sum is larger, and none is negative */

#define ODDLEARN_MAX_LANES 8

typedef short Lanes __attribute__((vector_size(16), aligned(2)));
typedef int Words __attribute__((vector_size(16), aligned(4)));

#if defined(__SSE2__)
#include <emmintrin.h>
#define ODDLEARN_MIN(a, b) ((Lanes)_mm_min_epi16((__m128i)(a), (__m128i)(b)))
#else
ODDLEARN_INLINE Lanes min_of(Lanes a, Lanes b)
{
    const Lanes less = a < b;
    return (a & less) | (b & ~less);
}
#define ODDLEARN_MIN(a, b) min_of((Lanes)(a), (Lanes)(b))
#endif

#if defined(__clang__)
#define ODDLEARN_PICK(a, b, i, j, k, l) __builtin_shufflevector((Words)(a), (Words)(b), i, j, k, l)
#else
#define ODDLEARN_PICK(a, b, i, j, k, l) __builtin_shuffle((Words)(a), (Words)(b), (Words){i, j, k, l})
#endif

#define ODDLEARN_EVEN(a, b) ODDLEARN_PICK(a, b, 0, 2, 4, 6)
#define ODDLEARN_ODD(a, b) ODDLEARN_PICK(a, b, 1, 3, 5, 7)

/* Return the smaller of the two lanes of every word: the upper one is shifted onto the lower one, and a 0 into its place. */
ODDLEARN_INLINE Lanes min_lane(Lanes pairs)
{
    return ODDLEARN_MIN(pairs, (Lanes)((Words)pairs >> 16));
}

/* Return, for each of four vectors, the smallest of its first four lanes plus the smallest of its last four. */
ODDLEARN_INLINE Words add_least(Lanes a, Lanes b, Lanes c, Lanes d)
{
    const Lanes first = min_lane(ODDLEARN_MIN(ODDLEARN_EVEN(a, b), ODDLEARN_ODD(a, b)));
    const Lanes last = min_lane(ODDLEARN_MIN(ODDLEARN_EVEN(c, d), ODDLEARN_ODD(c, d)));
    return ODDLEARN_EVEN(first, last) + ODDLEARN_ODD(first, last);
}

/* Reduce eight lanes before a place and eight after it to four of each that the smallest are among. */
ODDLEARN_INLINE Lanes fold(Lanes before, Lanes after)
{
    const Lanes first = ODDLEARN_MIN(before, ODDLEARN_PICK(before, before, 2, 3, 0, 1));
    const Lanes last = ODDLEARN_MIN(after, ODDLEARN_PICK(after, after, 2, 3, 0, 1));
    return (Lanes)ODDLEARN_PICK(first, last, 0, 1, 4, 5);
}

/* Return four numbers of 0 or more as words. */
ODDLEARN_INLINE Words widen(const short *numbers)
{
#if defined(__SSE2__)
    return (Words)_mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i *)numbers), _mm_setzero_si128());
#else
    return (Words){numbers[0], numbers[1], numbers[2], numbers[3]};
#endif
}

/* Return the smallest value of any split along the path.
   `costs` has eight numbers for every sample: what it costs at each target, and if there are no more than four of them,
   the same negated. `initial` has what is to be added before a place, in its first eight numbers, and after it, in its
   last eight; if there are no more than four targets, in its first and second four. After a sample that is tied to the
   next there is no split. */
ODDLEARN_INLINE int min_on_path_with(const int *path, const short *tied, long count, const short *costs,
                                     const short *initial, const int four)
{
    Lanes before = *(const Lanes *)initial, after = *(const Lanes *)(initial + 8), at[4];
    Words least = {ODDLEARN_INT16_INF, ODDLEARN_INT16_INF, ODDLEARN_INT16_INF, ODDLEARN_INT16_INF}, values;
    int j, lowest = ODDLEARN_INT16_INF;
    long k;
    for (k = 0; k + 4 <= count; k += 4) {
        for (j = 0; j < 4; j++) {
            const Lanes cost = *(const Lanes *)(costs + 8 * (long)path[k + j]);
            before += cost;
            after -= cost;
            at[j] = four ? before : fold(before, after);
        }
        values = add_least(at[0], at[1], at[2], at[3]) | widen(tied + k);
        least = (Words)ODDLEARN_MIN(least, values);
    }
    for (j = 0; j < 4; j++)
        lowest = least[j] < lowest ? least[j] : lowest;
    for (; k < count; k++) {
        const Lanes cost = *(const Lanes *)(costs + 8 * (long)path[k]);
        before += cost;
        after -= cost;
        at[0] = four ? before : fold(before, after);
        values = add_least(at[0], at[0], at[0], at[0]) | tied[k];
        lowest = values[0] < lowest ? values[0] : lowest;
    }
    return lowest;
}

static int min_on_path(const int *path, const short *tied, long count, const short *costs, const short *initial, int four)
{
    if (four)
        return min_on_path_with(path, tied, count, costs, initial, 1);
    return min_on_path_with(path, tied, count, costs, initial, 0);
}

/* Return the same along a feature with few values: costs are first summed by value. If `common` is a bin, not a negative number,
   the samples in it are not listed: they have what is left of the total. */
ODDLEARN_INLINE int min_in_bins_with(const unsigned char *bins, const int *samples, long count, int n_bins, int common,
                                     const short *costs, const short *total, const short *initial, const int four)
{
    Lanes before = *(const Lanes *)initial, after = *(const Lanes *)(initial + 8), at[4];
    Lanes sums[256 + 3];  /* as many as a bin's number can tell apart */
    Words least = {ODDLEARN_INT16_INF, ODDLEARN_INT16_INF, ODDLEARN_INT16_INF, ODDLEARN_INT16_INF};
    int b, j, lowest = ODDLEARN_INT16_INF;
    long k;
    for (b = 0; b < n_bins + 3; b++)
        sums[b] = (Lanes){0};
    for (k = 0; k < count; k++)
        sums[bins[samples[k]]] += *(const Lanes *)(costs + 8 * (long)samples[k]);
    if (common >= 0) {
        Lanes rest = *(const Lanes *)total;
        for (b = 0; b < n_bins; b++)
            rest -= sums[b];
        sums[common] = rest;
    }
    /* four places at a time; the bins after the last one are empty */
    for (b = 0; b < n_bins; b += 4) {
        for (j = 0; j < 4; j++) {
            before += sums[b + j];
            after -= sums[b + j];
            at[j] = four ? before : fold(before, after);
        }
        least = (Words)ODDLEARN_MIN(least, add_least(at[0], at[1], at[2], at[3]));
    }
    for (j = 0; j < 4; j++)
        lowest = least[j] < lowest ? least[j] : lowest;
    return lowest;
}

static int min_in_bins(const unsigned char *bins, const int *samples, long count, int n_bins, int common,
                       const short *costs, const short *total, const short *initial, int four)
{
    if (four)
        return min_in_bins_with(bins, samples, count, n_bins, common, costs, total, initial, 1);
    return min_in_bins_with(bins, samples, count, n_bins, common, costs, total, initial, 0);
}

#endif
