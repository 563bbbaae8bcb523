/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * The contracts between the device, a source of interrupts, and a bottom half.
 */
#ifndef PROBE_H
#define PROBE_H

#include <linux/types.h>

#include "rtstone_probe.h"

/*
 * A source of the measured interrupt. Its handler runs in hard interrupt context, reads the clock first, and calls
 * probe_interrupt() once for every period. It reports a period without an interrupt by probe_missed(). One file each, source_<name>.c, and one line
 * in sources.c.
 */
struct probe_source {
	const char *name;
	u32 clock; /* RTSTONE_PROBE_CLOCK_* */
	u64 (*hz)(void);
	u64 (*now)(void);
	u32 (*can)(void);  /* RTSTONE_PROBE_CAN_* and RTSTONE_PROBE_ASSERTION_UNKNOWN; after init */
	int (*init)(void); /* when the module is loaded: -errno if this machine has no such source */
	void (*exit)(void);
	/* Interrupts on that CPU at first, first + period, ...; period 0: only those that are triggered. */
	int (*start)(u64 first, u64 period, int cpu);
	/* Raises one; process context. NULL where it cannot. */
	int (*trigger)(void);
	void (*stop)(void); /* on return the handler no longer runs */
};

/* The source of that name; NULL: this build has no such source. */
const struct probe_source *probe_source_find(const char *name);

/*
 * What the handler leaves the rest to. It calls probe_bottom_half() once or more after each kick(), and never from two
 * CPUs at a time. One file each, bottom_<name>.c, and one line in path.c.
 */
struct probe_bottom {
	int (*start)(int cpu, int priority);
	void (*kick)(void); /* hard interrupt context */
	void (*stop)(void); /* on return probe_bottom_half() no longer runs */
	void (*exit)(void);
};

extern const struct probe_bottom probe_bottom_thread;
extern const struct probe_bottom probe_bottom_tasklet;
extern const struct probe_bottom probe_bottom_workqueue;

/* From the source's handler, interrupts off: one period was due at `asserted`; the handler began at `entered`. */
void probe_interrupt(u64 asserted, u64 entered);

/* From a source, on any CPU: so many periods will have no interrupt. The next sample reports them. */
void probe_missed(u64 periods);

/* From the bottom half: serves every interrupt that has come. */
void probe_bottom_half(void);

/* The path of an interrupt from the handler to user space; the device sees to it that these come one at a time. */
void probe_path_init(const struct probe_source *source);
void probe_path_exit(void);
int probe_path_start(const struct rtstone_probe_start *asked);
void probe_path_stop(void);
int probe_path_trigger(void);
/* Makes the calling thread the receiver of the signal from now on; 0: no thread receives one. */
int probe_path_receive(int signal);
/* The next interrupt: waits for it, or -EAGAIN. -EINTR: a signal came first. */
int probe_path_take(struct rtstone_probe_sample *sample, bool wait);

#endif
