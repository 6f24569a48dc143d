/*
 * How an entry point gets its public names. In the shared library a name appears under every
 * version that glibc has for it on this architecture, so that direct references, dlsym and dlvsym
 * all meet one implementation. In the static library it appears plain.
 *
 * OWN_NAME(function, name, versions): `versions` is one of the OWN_SINCE_* below, which say under
 * which versions glibc knows a name.
 */
#ifndef OWN_POSIX_NAMES_H
#define OWN_POSIX_NAMES_H

#include "base/compiler.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): arguments that name symbols take none. */
#ifdef OWN_SHARED

#define OWN_SYMVER_OLD(function, name, version) __asm__(".symver " #function ", " #name "@" version)
/* One symbol takes one .symver in some assemblers, and only a visible one: every version has an
 * alias. */
#define OWN_ALIAS(function, other)                                                                 \
	extern __typeof__(function) other __attribute__((alias(#function), visibility("default")))
#define OWN_SYMVER_DEFAULT(function, name, version)                                                \
	OWN_ALIAS(function, function##_current);                                                   \
	__asm__(".symver " #function "_current, " #name "@@" version)
#define OWN_TWO(function, name, old, current)                                                      \
	OWN_ALIAS(function, function##_old);                                                       \
	OWN_SYMVER_OLD(function##_old, name, old);                                                 \
	OWN_SYMVER_DEFAULT(function, name, current)

#if defined(__x86_64__)
#define OWN_BASE_VERSION "GLIBC_2.2.5"
/* Always in libc itself: one version. */
#define OWN_SINCE_EVER(function, name)	OWN_SYMVER_DEFAULT(function, name, "GLIBC_2.2.5")
#define OWN_SINCE_COND(function, name)	OWN_TWO(function, name, "GLIBC_2.2.5", "GLIBC_2.3.2")
#define OWN_SINCE_PLAIN(function, name) OWN_TWO(function, name, "GLIBC_2.2.5", "GLIBC_2.34")
#define OWN_SINCE_2_4(function, name)	OWN_TWO(function, name, "GLIBC_2.4", "GLIBC_2.34")
#define OWN_SINCE_2_12(function, name)	OWN_TWO(function, name, "GLIBC_2.12", "GLIBC_2.34")
#define OWN_ONLY_2_4(function, name)	OWN_SYMVER_OLD(function, name, "GLIBC_2.4")
#elif defined(__aarch64__)
#define OWN_BASE_VERSION		"GLIBC_2.17"
#define OWN_SINCE_EVER(function, name)	OWN_SYMVER_DEFAULT(function, name, "GLIBC_2.17")
#define OWN_SINCE_COND(function, name)	OWN_SYMVER_DEFAULT(function, name, "GLIBC_2.17")
#define OWN_SINCE_PLAIN(function, name) OWN_TWO(function, name, "GLIBC_2.17", "GLIBC_2.34")
#define OWN_SINCE_2_4(function, name)	OWN_TWO(function, name, "GLIBC_2.17", "GLIBC_2.34")
#define OWN_SINCE_2_12(function, name)	OWN_TWO(function, name, "GLIBC_2.17", "GLIBC_2.34")
#define OWN_ONLY_2_4(function, name)	OWN_SYMVER_OLD(function, name, "GLIBC_2.17")
#endif
#define OWN_SINCE_2_28(function, name) OWN_TWO(function, name, "GLIBC_2.28", "GLIBC_2.34")
#define OWN_SINCE_2_30(function, name) OWN_TWO(function, name, "GLIBC_2.30", "GLIBC_2.34")
#define OWN_UNDERSCORED(function, name)                                                            \
	OWN_ALIAS(function, function##_underscored);                                               \
	OWN_SYMVER_OLD(function##_underscored, name, OWN_BASE_VERSION)
#define OWN_NAME(function, name, versions) versions(function, name)

#else

#define OWN_SINCE_EVER
#define OWN_SINCE_COND
#define OWN_SINCE_PLAIN
#define OWN_SINCE_2_4
#define OWN_SINCE_2_12
#define OWN_SINCE_2_28
#define OWN_SINCE_2_30
#define OWN_ONLY_2_4
/* glibc's own objects define the underscored names in a static program. */
#define OWN_UNDERSCORED(function, name) OWN_IGNORE_SEMICOLON
#define OWN_NAME(function, name, versions)                                                         \
	extern __typeof__(function) name __attribute__((alias(#function), visibility("default")))

#endif

/* NOLINTEND(bugprone-macro-parentheses) */

#define OWN_IGNORE_SEMICOLON _Static_assert(1, "")

#endif
