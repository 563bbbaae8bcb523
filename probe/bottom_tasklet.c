// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * The bottom half as a tasklet: after the interrupt, with interrupts on; on PREEMPT_RT in the thread of soft interrupts.
 */
#include <linux/interrupt.h>

#include "probe.h"

static void serve(struct tasklet_struct *unused)
{
	probe_bottom_half();
}

static DECLARE_TASKLET(tasklet, serve);

static int start(int cpu, int priority)
{
	return 0;
}

static void kick(void)
{
	tasklet_hi_schedule(&tasklet);
}

static void stop(void)
{
	tasklet_kill(&tasklet);
}

const struct probe_bottom probe_bottom_tasklet = {
	.start = start,
	.kick = kick,
	.stop = stop,
};
