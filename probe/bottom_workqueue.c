// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * The bottom half as an item of the system's work queue of high priority: a thread of the ordinary class at nice -20.
 */
#include <linux/workqueue.h>

#include "probe.h"

static int on_cpu;

static void serve(struct work_struct *unused)
{
	probe_bottom_half();
}

static DECLARE_WORK(work, serve);

static int start(int cpu, int priority)
{
	on_cpu = cpu;
	return 0;
}

static void kick(void)
{
	queue_work_on(on_cpu, system_highpri_wq, &work);
}

static void stop(void)
{
	cancel_work_sync(&work);
}

const struct probe_bottom probe_bottom_workqueue = {
	.start = start,
	.kick = kick,
	.stop = stop,
};
