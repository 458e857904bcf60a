/* How many items of one set another set lacks. */

#ifndef ODDLEARN_MISSING_H
#define ODDLEARN_MISSING_H

#if defined(__GNUC__)
#define COUNT_BITS(word) __builtin_popcountll(word)
#else
static long count_bits(unsigned long long word)
{
    long n = 0;
    for (; word; word &= word - 1)
        n++;
    return n;
}
#define COUNT_BITS(word) count_bits(word)
#endif

#define COUNT_MISSING(NAME, TARGET)                                                                          \
    TARGET static long NAME(const unsigned long long *solved, const unsigned long long *present, long words) \
    {                                                                                                        \
        long w, n = 0;                                                                                       \
        for (w = 0; w < words; w++)                                                                          \
            n += COUNT_BITS(solved[w] & ~present[w]);                                                        \
        return n;                                                                                            \
    }

COUNT_MISSING(missing_plain, )

/* one instruction counts the bits of a word, where the processor has it */
#if defined(__x86_64__) && defined(__GNUC__)
COUNT_MISSING(missing_counted, __attribute__((target("popcnt"))))
#define count_missing(solved, present, words)                                                                \
    (__builtin_cpu_supports("popcnt") ? missing_counted(solved, present, words)                              \
                                      : missing_plain(solved, present, words))
#else
#define count_missing missing_plain
#endif

#endif
