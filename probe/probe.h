/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * The contract between the device and a source of interrupts.
 */
#ifndef PROBE_H
#define PROBE_H

#include <linux/types.h>

#include "rtstone_probe.h"

/*
 * A source of the measured interrupt. Its handler runs in hard interrupt context, reads the clock first, and calls
 * probe_interrupt() once for every period.
 */
struct probe_source {
	const char *name;
	u32 clock; /* RTSTONE_PROBE_CLOCK_* */
	u64 (*hz)(void);
	u64 (*now)(void);
	int (*init)(void); /* when the module is loaded: -errno if this machine has no such source */
	void (*exit)(void);
	int (*start)(u64 first, u64 period, int cpu); /* interrupts at first, first + period, ... */
	void (*stop)(void);			      /* on return the handler no longer runs */
};

extern const struct probe_source probe_hrtimer;
#ifdef CONFIG_ARM64
extern const struct probe_source probe_arm_timer;
#endif
#if defined(CONFIG_X86_64) && defined(CONFIG_PCI)
#define PROBE_EDU
extern const struct probe_source probe_edu;
#endif

/* From the source's handler, interrupts off: one period was due at `asserted`; the handler began at `entered`. */
void probe_interrupt(u64 asserted, u64 entered);

#endif
