/* The best stump on both sides of several splits at once: a split per vector lane. */

#ifndef ODDLEARN_PAIRED_STUMPS_H
#define ODDLEARN_PAIRED_STUMPS_H

#include <string.h>

#include "common/compiler.h"
#include "problem_limits.h"


/* A set of items, sorted by each feature in use. */
typedef struct {
    const int *item;                    /* (features, stride): items of the set in the order of each feature */
    const unsigned char *is_candidate;  /* (features, stride): a stump may split after this position */
    const int *active;                  /* (n_active,): features in use */
    const int *largest_tie;             /* (features, 2): first position of the largest group of equal values, its end */
    long n_active, n, stride;
} SortedRows;

/* the masks of an item are one vector: `side` is aligned to 32 bytes */
typedef short ShortLanes __attribute__((vector_size(32)));
typedef int IntLanes __attribute__((vector_size(32)));
typedef double DoubleLanes __attribute__((vector_size(32)));
typedef long long LongLanes __attribute__((vector_size(32)));

#define PICK(test, a, b, V, M) ((V)(((M)(test) & (M)(a)) | (~(M)(test) & (M)(b))))
#define LOWER(a, b, V, M) PICK((a) < (b), a, b, V, M)
#define HIGHER(a, b, V, M) PICK((a) > (b), a, b, V, M)

/* gcc makes three instructions of each of these where AVX2 has one: half of the time of the loops below */
#if defined(ODDLEARN_HAS_TARGETS)
#include <immintrin.h>
#define HAVE_AVX2_LANES
#define AVX2 ODDLEARN_TARGET("avx2")
#define LOWER_SHORT(a, b, V, M) ((V)_mm256_min_epi16((__m256i)(a), (__m256i)(b)))
#define HIGHER_SHORT(a, b, V, M) ((V)_mm256_max_epi16((__m256i)(a), (__m256i)(b)))
#define LOWER_INT(a, b, V, M) ((V)_mm256_min_epi32((__m256i)(a), (__m256i)(b)))
#define HIGHER_INT(a, b, V, M) ((V)_mm256_max_epi32((__m256i)(a), (__m256i)(b)))
#endif

/* Two classes: signed_gain is the gain of class 0 less that of class 1; extremes of its sums over a prefix. */
#define TWO_CLASSES(NAME, CLONES, LOW, HIGH, T, V, M, N)                                                              \
    CLONES static void NAME(const SortedRows *rows, const T *signed_gain, const T *side,                              \
                                   const double *total, const double *total_negative, double *gain_negative,          \
                                   double *gain_positive)                                                             \
    {                                                                                                                 \
        V low_negative = {0}, high_negative = {0}, low_positive = {0}, high_positive = {0};                           \
        long a, k;                                                                                                    \
        int back;                                                                                                     \
        for (a = 0; a < rows->n_active; a++) {                                                                        \
            const int *item = rows->item + rows->active[a] * rows->stride;                                            \
            const unsigned char *is_candidate = rows->is_candidate + rows->active[a] * rows->stride;                  \
            /* up to the largest group from the front, then down to it from the end: its items are not looked at */   \
            for (back = 0; back < 2; back++) {                                                                        \
            const long step = back ? -1 : 1, end = rows->largest_tie[2 * rows->active[a] + back] - back;              \
            V negative = {0};                                                                                         \
            T before = 0;                                                                                             \
            for (k = back ? rows->n - 1 : 0; k != end; k += step) {                                                   \
                const int i = item[k];                                                                                \
                const T s = signed_gain[i];                                                                           \
                negative += (V)((M)((V){0} + s) & ((const M *)side)[i]);                                              \
                before += s;                                                                                          \
                {                                                                                                     \
                    /* elsewhere the sum counts as 0, which is always one of the extremes: no branch to predict */    \
                    const M here = (M){0} - is_candidate[k - back];                                                   \
                    const V one = (V)((M)negative & here), two = (V)((M)(before - negative) & here);                  \
                    low_negative = LOW(one, low_negative, V, M);                                                      \
                    high_negative = HIGH(one, high_negative, V, M);                                                   \
                    low_positive = LOW(two, low_positive, V, M);                                                      \
                    high_positive = HIGH(two, high_positive, V, M);                                                   \
                }                                                                                                     \
            }                                                                                                         \
            }                                                                                                         \
        }                                                                                                             \
        for (k = 0; k < N; k++) {                                                                                     \
            const double l0 = total_negative[2 * k], l1 = total_negative[2 * k + 1];                                  \
            const double r0 = total[0] - l0, r1 = total[1] - l1;                                                      \
            const double first = l1 + (double)high_negative[k], second = l0 - (double)low_negative[k];                \
            const double third = r1 + (double)high_positive[k], fourth = r0 - (double)low_positive[k];                \
            gain_negative[k] = first > second ? first : second;                                                       \
            gain_positive[k] = third > fourth ? third : fourth;                                                       \
        }                                                                                                             \
    }

/* Any number of classes: gains per class before and after a split, the largest of each. */
#define MANY_CLASSES(NAME, CLONES, HIGH, T, V, M, N)                                                                  \
    CLONES static void NAME(const SortedRows *rows, const T *gain, const int *label, int n_classes,                   \
                                   const T *side, const double *total,                                                \
                                   const double *total_negative, double *gain_negative, double *gain_positive)        \
    {                                                                                                                 \
        V best_negative = {0}, best_positive = {0};                                                                   \
        V negative[MAX_CLASSES], all_negative[MAX_CLASSES];                                                           \
        T before[MAX_CLASSES], all[MAX_CLASSES];                                                                      \
        long a, k;                                                                                                    \
        int back;                                                                                                     \
        int c;                                                                                                        \
        for (c = 0; c < n_classes; c++) {                                                                             \
            all[c] = (T)total[c];                                                                                     \
            for (k = 0; k < N; k++)                                                                                   \
                all_negative[c][k] = (T)total_negative[k * n_classes + c];                                            \
        }                                                                                                             \
        for (a = 0; a < rows->n_active; a++) {                                                                        \
            const int *item = rows->item + rows->active[a] * rows->stride;                                            \
            const unsigned char *is_candidate = rows->is_candidate + rows->active[a] * rows->stride;                  \
            for (back = 0; back < 2; back++) {                                                                        \
            const long step = back ? -1 : 1, end = rows->largest_tie[2 * rows->active[a] + back] - back;              \
            for (c = 0; c < n_classes; c++) {                                                                         \
                negative[c] = (V){0};                                                                                 \
                before[c] = 0;                                                                                        \
            }                                                                                                         \
            for (k = back ? rows->n - 1 : 0; k != end; k += step) {                                                   \
                const int i = item[k];                                                                                \
                const T g = gain[i];                                                                                  \
                negative[label[i]] += (V)((M)((V){0} + g) & ((const M *)side)[i]);                                    \
                before[label[i]] += g;                                                                                \
                if (is_candidate[k - back]) {                                                                         \
                    V first = negative[0], second = all_negative[0] - negative[0];                                    \
                    V third = before[0] - negative[0], fourth = (T)(all[0] - before[0]) - second;                     \
                    for (c = 1; c < n_classes; c++) {                                                                 \
                        const V one = negative[c], two = all_negative[c] - one;                                       \
                        const V three = before[c] - one, four = (T)(all[c] - before[c]) - two;                        \
                        first = HIGH(one, first, V, M);                                                               \
                        second = HIGH(two, second, V, M);                                                             \
                        third = HIGH(three, third, V, M);                                                             \
                        fourth = HIGH(four, fourth, V, M);                                                            \
                    }                                                                                                 \
                    first += second;                                                                                  \
                    third += fourth;                                                                                  \
                    best_negative = HIGH(first, best_negative, V, M);                                                 \
                    best_positive = HIGH(third, best_positive, V, M);                                                 \
                }                                                                                                     \
            }                                                                                                         \
            }                                                                                                         \
        }                                                                                                             \
        for (k = 0; k < N; k++) {                                                                                     \
            gain_negative[k] = (double)best_negative[k];                                                              \
            gain_positive[k] = (double)best_positive[k];                                                              \
        }                                                                                                             \
    }

TWO_CLASSES(two_short, , LOWER, HIGHER, short, ShortLanes, ShortLanes, 16)
TWO_CLASSES(two_int, , LOWER, HIGHER, int, IntLanes, IntLanes, 8)
TWO_CLASSES(two_double, ODDLEARN_CLONES, LOWER, HIGHER, double, DoubleLanes, LongLanes, 4)
MANY_CLASSES(many_short, , HIGHER, short, ShortLanes, ShortLanes, 16)
MANY_CLASSES(many_int, , HIGHER, int, IntLanes, IntLanes, 8)
MANY_CLASSES(many_double, ODDLEARN_CLONES, HIGHER, double, DoubleLanes, LongLanes, 4)
#ifdef HAVE_AVX2_LANES
TWO_CLASSES(two_short_avx2, AVX2, LOWER_SHORT, HIGHER_SHORT, short, ShortLanes, ShortLanes, 16)
TWO_CLASSES(two_int_avx2, AVX2, LOWER_INT, HIGHER_INT, int, IntLanes, IntLanes, 8)
MANY_CLASSES(many_short_avx2, AVX2, HIGHER_SHORT, short, ShortLanes, ShortLanes, 16)
MANY_CLASSES(many_int_avx2, AVX2, HIGHER_INT, int, IntLanes, IntLanes, 8)
#define CHOSEN(NAME) (__builtin_cpu_supports("avx2") ? NAME##_avx2 : NAME)
#else
#define CHOSEN(NAME) NAME
#endif

/* For each item of the set, in each lane, all bits set where its rank is at most that of the lane's split. */
#define MARK_SIDES(NAME, T, V, M, E, N)                                                                               \
    ODDLEARN_CLONES static void NAME(const SortedRows *rows, const int *const *rank, const int *split, void *side)    \
    {                                                                                                                 \
        const int *item = rows->item + rows->active[0] * rows->stride;                                                \
        int same = 1;                                                                                                 \
        long j, k;                                                                                                    \
        V splits;                                                                                                     \
        for (k = 0; k < N; k++) {                                                                                     \
            splits[k] = (T)split[k];                                                                                  \
            same &= rank[k] == rank[0];                                                                               \
        }                                                                                                             \
        if (same) {                                                                                                   \
            for (j = 0; j < rows->n; j++)                                                                             \
                ((M *)side)[item[j]] = (M)(((V){0} + (T)rank[0][item[j]]) <= splits);                                 \
            return;                                                                                                   \
        }                                                                                                             \
        for (j = 0; j < rows->n; j++)                                                                                 \
            for (k = 0; k < N; k++)                                                                                   \
                ((E *)side)[(long)item[j] * N + k] = (E)-(rank[k][item[j]] <= split[k]);                              \
    }

MARK_SIDES(mark_short, short, ShortLanes, ShortLanes, short, 16)
MARK_SIDES(mark_int, int, IntLanes, IntLanes, int, 8)
MARK_SIDES(mark_double, double, DoubleLanes, LongLanes, long long, 4)

/* The gains of the best stumps on the negative and the positive side of 16, 8 or 4 splits: a rank row and a rank each. */
static void find_paired_stumps(int kind, int n_classes, const SortedRows *rows, const void *signed_gain, const void *gain,
                          const int *label, const int *const *rank, const int *split, void *side,
                          const double *total, const double *total_negative, double *gain_negative, double *gain_positive)
{
    if (kind == LANES_INT16)
        mark_short(rows, rank, split, side);
    else if (kind == LANES_INT32)
        mark_int(rows, rank, split, side);
    else
        mark_double(rows, rank, split, side);
    if (n_classes == 2) {
        if (kind == LANES_INT16)
            CHOSEN(two_short)(rows, signed_gain, side, total, total_negative, gain_negative, gain_positive);
        else if (kind == LANES_INT32)
            CHOSEN(two_int)(rows, signed_gain, side, total, total_negative, gain_negative, gain_positive);
        else
            two_double(rows, signed_gain, side, total, total_negative, gain_negative, gain_positive);
    } else {
        if (kind == LANES_INT16)
            CHOSEN(many_short)(rows, gain, label, n_classes, side, total, total_negative, gain_negative, gain_positive);
        else if (kind == LANES_INT32)
            CHOSEN(many_int)(rows, gain, label, n_classes, side, total, total_negative, gain_negative, gain_positive);
        else
            many_double(rows, gain, label, n_classes, side, total, total_negative, gain_negative, gain_positive);
    }
}

#endif
