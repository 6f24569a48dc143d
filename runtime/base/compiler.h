/* Compiler facilities that C11 lacks. GNU extensions are allowed in base/ and sys/ only. */
#ifndef OWN_BASE_COMPILER_H
#define OWN_BASE_COMPILER_H

#include <stddef.h>

#define own_likely(condition)	__builtin_expect(!!(condition), 1)
#define own_unlikely(condition) __builtin_expect(!!(condition), 0)

/* For functions of a few instructions that are called all the time: where they begin within a
 * cacheline of code makes a tenth of their speed, and would change with what stands before them. */
#define OWN_CODE_ALIGNED  __attribute__((aligned(64)))
#define OWN_NOINLINE	  __attribute__((noinline))
#define OWN_ALWAYS_INLINE inline __attribute__((always_inline))
#define OWN_COLD	  __attribute__((cold, noinline))
#define OWN_NORETURN	  __attribute__((noreturn))
#define OWN_MUST_CHECK	  __attribute__((warn_unused_result))
#define OWN_PRINTF(f, a)  __attribute__((format(printf, f, a)))
#define OWN_WEAK	  __attribute__((weak))
#define OWN_CONSTRUCTOR	  __attribute__((constructor(101)))
#define OWN_DESTRUCTOR	  __attribute__((destructor(101)))
#define OWN_EXPORT	  __attribute__((visibility("default")))

/* The address that the current function returns to: the calling site of a lock operation. */
#define OWN_CALLER() __builtin_return_address(0)

/* Static TLS: no call and no allocation on access, also for a library that is preloaded. */
#define OWN_TLS _Thread_local __attribute__((tls_model("initial-exec")))

#if defined(__SANITIZE_THREAD__)
#define OWN_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define OWN_THREAD_SANITIZER 1
#endif
#endif
#ifndef OWN_THREAD_SANITIZER
#define OWN_THREAD_SANITIZER 0
#endif

#define OWN_CACHELINE 64
/* x86-64 fetches lines in pairs; whatever must be alone keeps its neighbour free as well. */
#define OWN_CACHELINE_PAIR 128

#define own_container_of(pointer, type, member)                                                    \
	((type *)(void *)((char *)(pointer)-offsetof(type, member)))

#define own_array_size(array) (sizeof(array) / sizeof((array)[0]))

#endif
