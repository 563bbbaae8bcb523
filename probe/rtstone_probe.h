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
#define RTSTONE_PROBE_ABI 2

/* The clock on which a source's interrupt is due and stamped. */
#define RTSTONE_PROBE_CLOCK_MONOTONIC 0 /* nanoseconds of CLOCK_MONOTONIC */
#define RTSTONE_PROBE_CLOCK_COUNTER 1	/* the architecture's counter, as user space reads it */

/* What a source can do. */
#define RTSTONE_PROBE_CAN_PERIOD 1u	   /* interrupts of its own, which land wherever the kernel then is */
#define RTSTONE_PROBE_CAN_TRIGGER 2u	   /* interrupts that user space asks for one by one */
#define RTSTONE_PROBE_ASSERTION_UNKNOWN 4u /* a line from outside: `asserted` is `entered` */

/* Facts of the loaded source. */
struct rtstone_probe_info {
	__u32 abi;
	__u32 clock;
	__u64 hz; /* of that clock */
	char source[16];
	__u32 can;
	__u32 reserved; /* 0 */
};

/* The bottom half to which the handler leaves the rest, and which then releases the semaphore. NONE: the handler releases it. */
#define RTSTONE_PROBE_BOTTOM_NONE 0u
#define RTSTONE_PROBE_BOTTOM_THREAD 1u /* a thread like those of the kernel's own threaded handlers */
#define RTSTONE_PROBE_BOTTOM_TASKLET 2u
#define RTSTONE_PROBE_BOTTOM_WORKQUEUE 3u
#define RTSTONE_PROBE_BOTTOMS 4u

/* The source's interrupts come by TRIGGER, one each; else by period. */
#define RTSTONE_PROBE_SOFTWARE 1u
/* The bottom half sends the signal of RECEIVE too. */
#define RTSTONE_PROBE_SIGNAL 2u
/* Between the handler's first reading and the reader's own no clock is read: `bottom` and `released` are 0. */
#define RTSTONE_PROBE_UNSTAMPED 4u

/* Asks for interrupts on a CPU: the first at now + phase + period, then one a period (both in ticks). */
struct rtstone_probe_start {
	__u64 period; /* 0 with SOFTWARE; else at least 10 us, and below 2^32 */
	__u64 phase;
	__s32 cpu;
	__u32 bottom;
	__u32 flags;
	__s32 priority; /* SCHED_FIFO priority of the bottom half's thread, 1 to 98; 0: as the kernel's own have it, 50 */
};

/* Interrupts that the module stores for a reader that lags: a power of two. */
#define RTSTONE_PROBE_RING 4096u

/* One interrupt, as read() gives it. */
struct rtstone_probe_sample {
	__u64 asserted; /* when it was due */
	__u64 entered;	/* the handler's first reading */
	__u64 bottom;	/* the bottom half's first reading; 0: no bottom half */
	__u64 released; /* just before the semaphore was released, or the signal sent */
	__u64 lost;	/* periods since START without a sample: no room, or the line was still up or raised too late */
};

#define RTSTONE_PROBE_INFO _IOR('R', 0x51, struct rtstone_probe_info)
#define RTSTONE_PROBE_START _IOW('R', 0x52, struct rtstone_probe_start)
#define RTSTONE_PROBE_STOP _IO('R', 0x53)
/* Raises one interrupt now; it is due at the time of the call to its source. Only between a START with SOFTWARE and STOP. */
#define RTSTONE_PROBE_TRIGGER _IO('R', 0x57)
/* The calling thread is to have that signal (SIGRTMIN to SIGRTMAX as the kernel counts them, 32 to 64); 0: nobody. Not while it runs. */
#define RTSTONE_PROBE_RECEIVE _IOW('R', 0x58, __s32)

/* ---- programmed I/O in kernel space: blocks between a register and a memory region of a PCI device ------------ */

#define RTSTONE_WINDOW_DEVICE "rtstone-window"
#define RTSTONE_WINDOW_BLOCK 4096u

struct rtstone_window_info {
	char place[24]; /* as 0000:00:04.0/2 */
	__u64 bytes;
};

#define RTSTONE_WINDOW_WRITE 0u
#define RTSTONE_WINDOW_FLUSHED 1u /* likewise, and one access reads back */
#define RTSTONE_WINDOW_READ 2u
#define RTSTONE_WINDOW_WAYS 3u

/* One block, access by access. */
struct rtstone_window_move {
	__u64 at;    /* of its first byte; a multiple of 8 */
	__u64 value; /* of every access that writes, in its low bits */
	__u64 sum;   /* of the data read */
	__u32 way;
	__u32 bits; /* of an access: 8, 16, 32, and 64 where the CPU has such */
};

#define RTSTONE_WINDOW_INFO _IOR('R', 0x59, struct rtstone_window_info)
#define RTSTONE_WINDOW_MOVE _IOWR('R', 0x5a, struct rtstone_window_move)

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

/* One event: waits for the next of that source. ECANCELED: it does not run, or was stopped, and there are no more. */
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
