/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * What the probe module and user space agree on. Times are ticks of the clock that RTSTONE_PROBE_INFO names.
 */
#ifndef RTSTONE_PROBE_H
#define RTSTONE_PROBE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define RTSTONE_PROBE_DEVICE "rtstone-probe"
#define RTSTONE_PROBE_ABI 1

/* The clock on which a source's interrupt is due and stamped. */
#define RTSTONE_PROBE_CLOCK_MONOTONIC 0 /* nanoseconds of CLOCK_MONOTONIC */
#define RTSTONE_PROBE_CLOCK_COUNTER 1	/* the architecture's counter, as user space reads it */

/* Facts of the loaded source. */
struct rtstone_probe_info {
	__u32 abi;
	__u32 clock;
	__u64 hz; /* of that clock */
	char source[16];
};

/* Asks for interrupts on a CPU: the first at now + phase + period, then one a period (both in ticks). */
struct rtstone_probe_start {
	__u64 period;
	__u64 phase;
	__s32 cpu;
	__u32 reserved; /* 0 */
};

/* One interrupt, as read() gives it. */
struct rtstone_probe_sample {
	__u64 asserted; /* when it was due */
	__u64 entered;	/* the handler's first reading */
	__u64 released; /* just before it released the semaphore */
	__u64 lost;	/* interrupts since START that found no room */
};

#define RTSTONE_PROBE_INFO _IOR('R', 0x51, struct rtstone_probe_info)
#define RTSTONE_PROBE_START _IOW('R', 0x52, struct rtstone_probe_start)
#define RTSTONE_PROBE_STOP _IO('R', 0x53)

/* ---- interrupts for a load: a timer of the kernel that writes bytes to a serial line in loopback --------------- */

#define RTSTONE_TRAFFIC_DEVICE "rtstone-traffic"
#define RTSTONE_TRAFFIC_TIMER 0
#define RTSTONE_TRAFFIC_LINE 1
#define RTSTONE_TRAFFIC_SOURCES 2

/* Asks for the timer's interrupts: intervals in rtstone_traffic.h. */
struct rtstone_traffic_start {
	__u64 seed;
	__u32 rate_hz;
	__s32 cpu;
};

/* One event: waits for the next of that source. ECANCELED: it was stopped, and there are no more. */
struct rtstone_traffic_event {
	__u32 source;
	__u32 byte;
};

/* What came of it. */
struct rtstone_traffic_counts {
	__u64 interrupts[RTSTONE_TRAFFIC_SOURCES];
	__u64 events[RTSTONE_TRAFFIC_SOURCES];
	__u64 lost[RTSTONE_TRAFFIC_SOURCES]; /* of the events, those for which there was no room */
	__u64 sent;
};

#define RTSTONE_TRAFFIC_START _IOW('R', 0x54, struct rtstone_traffic_start)
#define RTSTONE_TRAFFIC_WAIT _IOWR('R', 0x55, struct rtstone_traffic_event)
#define RTSTONE_TRAFFIC_STOP _IOR('R', 0x56, struct rtstone_traffic_counts)

#endif
