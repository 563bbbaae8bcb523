/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * When the interrupts of the load `traffic` come: the same sequence of intervals on every kernel, drawn from a seed.
 */
#ifndef RTSTONE_TRAFFIC_H
#define RTSTONE_TRAFFIC_H

/* The state of the generator for a seed; it must not be 0. */
static inline unsigned long long rtstone_traffic_state(unsigned long long seed)
{
	return seed ? seed : 0x9e3779b97f4a7c15ull;
}

/* xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016). */
static inline unsigned long long rtstone_traffic_draw(unsigned long long *state)
{
	unsigned long long x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * 2685821657736338717ull;
}

/* The next interval: uniform in [mean/2, mean*3/2), in the unit of mean, which is below 2^32. */
static inline unsigned long long rtstone_traffic_interval(unsigned long long *state, unsigned long long mean)
{
	return mean / 2 + ((rtstone_traffic_draw(state) >> 32) * mean >> 32);
}

#endif
