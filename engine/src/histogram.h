/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which bucket a value belongs to, by the geometry of spec/record-stream.md.
 *
 * Error bound: a bucket at or above 2^sub_bits is 2^e wide and its lowest value is at least 2^(sub_bits-1) * 2^e, so a value
 * is known to within 2^-(sub_bits-1) of itself; below 2^sub_bits it is known exactly.
 */
#ifndef RTS_HISTOGRAM_H
#define RTS_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/** Number of bits that a value takes, 0 for 0. */
static inline uint32_t rts_bit_length(uint64_t value)
{
#if defined(__GNUC__)
    return value == 0u ? 0u : 64u - (uint32_t)__builtin_clzll(value);
#else
    uint32_t length = 0;
    for (; value != 0u; value >>= 1) {
        length++;
    }
    return length;
#endif
}

/** Buckets that magnitudes below 2^bits need. */
#define RTS_HISTOGRAM_BUCKETS(sub_bits, bits)                                                                          \
    ((bits) <= (sub_bits) ? (size_t)1 << (bits) : ((size_t)((bits) - (sub_bits)) + 2u) << ((sub_bits)-1u))

/** Bucket of a magnitude. */
static inline size_t rts_histogram_index(uint32_t sub_bits, uint64_t magnitude)
{
    /* The bit set here makes every length at least sub_bits, so that no branch is needed for short magnitudes. */
    const uint32_t e = rts_bit_length(magnitude | ((uint64_t)1 << (sub_bits - 1u))) - sub_bits;
    return ((size_t)e << (sub_bits - 1u)) + (size_t)(magnitude >> e);
}

/** Lowest magnitude of a bucket. */
static inline uint64_t rts_histogram_lowest(uint32_t sub_bits, size_t index)
{
    const size_t half = (size_t)1 << (sub_bits - 1u);
    if (index < 2u * half) {
        return index;
    }
    const size_t e = index / half - 1u;
    return (uint64_t)(index - e * half) << e;
}

/** How many magnitudes share a bucket. */
static inline uint64_t rts_histogram_width(uint32_t sub_bits, size_t index)
{
    const size_t half = (size_t)1 << (sub_bits - 1u);
    return index < 2u * half ? 1u : (uint64_t)1 << (index / half - 1u);
}

#endif
