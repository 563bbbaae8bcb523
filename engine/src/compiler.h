/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The features that the engine needs of a compiler beyond C11, each with a plain replacement.
 */
#ifndef RTS_COMPILER_H
#define RTS_COMPILER_H

#if defined(__GNUC__)
#define RTS_RARE(condition) __builtin_expect(!!(condition), 0)
#define RTS_NOINLINE __attribute__((noinline))
#define RTS_COLD __attribute__((noinline, cold))
#else
#define RTS_RARE(condition) (condition)
#define RTS_NOINLINE
#define RTS_COLD
#endif

#endif
