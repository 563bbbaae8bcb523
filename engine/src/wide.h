/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * 128-bit sums: 64-bit squares add up to more than 64 bits hold, and small targets have no wider type.
 *
 * The rts_wide_portable_* functions need nothing wider than uint64_t; rts_wide_* are the same by the compiler's own 128-bit
 * type where it has one. The tests compare the two.
 */
#ifndef RTS_WIDE_H
#define RTS_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"

/** An unsigned 128-bit number, or a signed one in two's complement. */
typedef struct rts_wide {
    uint64_t high;
    uint64_t low;
} rts_wide;

/** a + b modulo 2^128. */
static inline rts_wide rts_wide_portable_add(rts_wide a, rts_wide b)
{
    rts_wide sum;
    sum.low = a.low + b.low;
    sum.high = a.high + b.high + (uint64_t)(sum.low < a.low);
    return sum;
}

/** m squared, exactly. */
static inline rts_wide rts_wide_portable_square(uint64_t m)
{
    const uint64_t low = m & 0xffffffffu;
    const uint64_t high = m >> 32;
    const uint64_t cross = low * high; /* enters twice: shifted by 33 */
    const rts_wide outer = {high * high, low * low};
    const rts_wide middle = {cross >> 31, cross << 33};
    return rts_wide_portable_add(outer, middle);
}

#if defined(__SIZEOF_INT128__) && !defined(RTS_WIDE_PORTABLE)
__extension__ typedef unsigned __int128 rts_native_wide;

static inline rts_wide rts_wide_from_native(rts_native_wide value)
{
    const rts_wide wide = {(uint64_t)(value >> 64), (uint64_t)value};
    return wide;
}

static inline rts_wide rts_wide_add(rts_wide a, rts_wide b)
{
    const rts_native_wide x = ((rts_native_wide)a.high << 64) | a.low;
    const rts_native_wide y = ((rts_native_wide)b.high << 64) | b.low;
    return rts_wide_from_native(x + y);
}

static inline rts_wide rts_wide_square(uint64_t m)
{
    return rts_wide_from_native((rts_native_wide)m * m);
}
#else
static inline rts_wide rts_wide_add(rts_wide a, rts_wide b)
{
    return rts_wide_portable_add(a, b);
}

static inline rts_wide rts_wide_square(uint64_t m)
{
    return rts_wide_portable_square(m);
}
#endif

/** Adds to `sum` what 64 bits hold. The high half rarely changes, so it is not read otherwise. */
static inline void rts_wide_add_low(rts_wide *sum, uint64_t low)
{
    sum->low += low;
    if (RTS_RARE(sum->low < low)) {
        sum->high++;
    }
}

/** value, its sign carried through the high half. */
static inline rts_wide rts_wide_from_signed(int64_t value)
{
    const rts_wide wide = {value < 0 ? UINT64_MAX : 0u, (uint64_t)value};
    return wide;
}

static inline bool rts_wide_is_negative(rts_wide value)
{
    return (value.high >> 63) != 0u;
}

/** −value in two's complement. */
static inline rts_wide rts_wide_negate(rts_wide value)
{
    const rts_wide inverse = {~value.high, ~value.low};
    const rts_wide one = {0u, 1u};
    return rts_wide_portable_add(inverse, one);
}

#endif
