/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * Times of one kind: their number, sum, sum of squares, extremes and histogram (spec/record-stream.md).
 */
#ifndef RTSTONE_BPF_SERIES_H
#define RTSTONE_BPF_SERIES_H

#include "kernel.h"

#include <bpf/bpf_helpers.h>

#include "rtstone_attach.h"

static __always_inline __u32 rtstone_bucket(__u64 value)
{
	const __u64 floor = value | 1u << (RTSTONE_ATTACH_SUB_BITS - 1);
	__u32 length = 0;
	__u64 rest = floor;

	if (rest >> 32) {
		length += 32;
		rest >>= 32;
	}
	if (rest >> 16) {
		length += 16;
		rest >>= 16;
	}
	if (rest >> 8) {
		length += 8;
		rest >>= 8;
	}
	if (rest >> 4) {
		length += 4;
		rest >>= 4;
	}
	if (rest >> 2) {
		length += 2;
		rest >>= 2;
	}
	length += rest >> 1 ? 2 : 1;
	length -= RTSTONE_ATTACH_SUB_BITS;
	return (length << (RTSTONE_ATTACH_SUB_BITS - 1)) + (value >> length);
}

static __always_inline void rtstone_add_square(struct rtstone_attach_series *series, __u64 value)
{
	const __u64 high = value >> 32, low = value & 0xffffffffu, mixed = 2 * high * low;
	const __u64 parts[] = {low * low, mixed << 32};

	series->squares_high += high * high + (mixed >> 32);
	for (int i = 0; i < 2; i++) {
		series->squares += parts[i];
		if (series->squares < parts[i])
			series->squares_high++;
	}
}

static __always_inline void rtstone_add(struct rtstone_attach_series *series, __u64 value, __u64 now)
{
	if (value >> RTSTONE_ATTACH_MAX_BITS)
		series->overflow++;
	else
		series->buckets[rtstone_bucket(value) % RTSTONE_ATTACH_ROOM]++; /* a bucket lies in it anyway */
	/* Most parts of a cycle are 0. */
	if (value) {
		series->sum += value;
		rtstone_add_square(series, value);
	}
	if (!series->samples || value < series->least)
		series->least = value;
	if (!series->samples || value > series->most) {
		series->most = value;
		series->most_at = now;
	}
	series->samples++;
}

#endif
