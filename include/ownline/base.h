/*
 * What the headers of ownline share. Nothing here is for programs, but for the value of
 * OWNLINE_CACHELINE. Names that end in an underscore are private wherever they stand.
 */
#ifndef OWNLINE_BASE_H
#define OWNLINE_BASE_H

#if !defined(__linux__) || !(defined(__x86_64__) || defined(__aarch64__))
#error "ownline is for Linux on x86-64 and aarch64"
#endif
#if !defined(__GNUC__)
#error "ownline's headers need gcc or clang: they use the __atomic built-in functions"
#endif

/* sys/single_threaded.h came with glibc 2.32. */
#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define OWNLINE_SINGLE_THREADED_ (__libc_single_threaded != 0)
#endif
#endif
#ifndef OWNLINE_SINGLE_THREADED_
#define OWNLINE_SINGLE_THREADED_ 0
#endif

#include <stddef.h>
#include <stdint.h>

/* What a lock is aligned to and fills, in bytes. */
#define OWNLINE_CACHELINE 64

#ifdef __cplusplus
#define OWNLINE_ALIGNAS_(bytes)		     alignas(bytes)
#define OWNLINE_STATIC_ASSERT_(truth, words) static_assert(truth, words)
#define OWNLINE_BEGIN_			     extern "C" {
#define OWNLINE_END_			     }
#else
#define OWNLINE_ALIGNAS_(bytes)		     _Alignas(bytes)
#define OWNLINE_STATIC_ASSERT_(truth, words) _Static_assert(truth, words)
#define OWNLINE_BEGIN_
#define OWNLINE_END_
#endif

#define OWNLINE_EXPORT_		 __attribute__((visibility("default")))
#define OWNLINE_MUST_CHECK_	 __attribute__((warn_unused_result))
#define OWNLINE_NONNULL_(...)	 __attribute__((nonnull(__VA_ARGS__)))
#define OWNLINE_UNLIKELY_(truth) __builtin_expect(!!(truth), 0)
#define OWNLINE_FUNCTION_	 static inline __attribute__((always_inline, unused))

/*
 * ThreadSanitizer sees the inline steps and not those inside the library. Where one side of a
 * pair was made inside, these make it again on the same word, in the sanitizer's sight.
 */
#if defined(__SANITIZE_THREAD__)
#define OWNLINE_TSAN_ 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define OWNLINE_TSAN_ 1
#endif
#endif
#ifdef OWNLINE_TSAN_
#define OWNLINE_SHOW_ACQUIRE_(word) ((void)__atomic_load_n(word, __ATOMIC_ACQUIRE))
#define OWNLINE_SHOW_RELEASE_(word) ((void)__atomic_fetch_or(word, 0u, __ATOMIC_RELEASE))
#else
#define OWNLINE_SHOW_ACQUIRE_(word) ((void)0)
#define OWNLINE_SHOW_RELEASE_(word) ((void)0)
#endif

#endif
