/* What the kernels ask of the compiler: GCC or clang. Neither MSVC nor clang-cl will do: they define no __GNUC__. */

#ifndef ODDLEARN_COMPILER_H
#define ODDLEARN_COMPILER_H

#if !defined(__GNUC__)
#error "oddlearn's kernels need GCC or clang: vector types and __builtin functions"
#endif

#define ODDLEARN_INLINE static inline __attribute__((always_inline))
#define ODDLEARN_RESTRICT __restrict__

/* two versions of a hot function, chosen when the module is loaded; they give the same numbers */
#if defined(ODDLEARN_NO_VECTORS)
#define ODDLEARN_CLONES
#elif defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && !defined(__clang__)
#define ODDLEARN_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define ODDLEARN_CLONES
#endif

/* a function for processors with an instruction set that must be asked for: see __builtin_cpu_supports */
#if defined(__x86_64__) && !defined(ODDLEARN_NO_VECTORS)
#define ODDLEARN_HAS_TARGETS
#define ODDLEARN_TARGET(NAME) __attribute__((target(NAME)))
#endif

#endif
