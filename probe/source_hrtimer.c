// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * A high-resolution timer of the kernel as the source: on any machine, in hard interrupt context on PREEMPT_RT too.
 */
#include <linux/ktime.h>
#include <linux/smp.h>

#include "compat.h"
#include "sources.h"

static struct {
	struct hrtimer timer;
	u64 first;
	u64 period; /* 0: by trigger only */
	int cpu;
} own;

static u64 now(void)
{
	return ktime_get_ns();
}

static u64 hz(void)
{
	return NSEC_PER_SEC;
}

static enum hrtimer_restart handle(struct hrtimer *timer)
{
	u64 entered = now();

	probe_interrupt(ktime_to_ns(hrtimer_get_expires(timer)), entered);
	if (!own.period)
		return HRTIMER_NORESTART;
	/* Advance by one period, even if that is past: missed periods expire at once, each with its own due time. */
	hrtimer_add_expires_ns(timer, own.period);
	return HRTIMER_RESTART;
}

static u32 can(void)
{
	return RTSTONE_PROBE_CAN_PERIOD | RTSTONE_PROBE_CAN_TRIGGER;
}

static int init(void)
{
	hrtimer_setup(&own.timer, handle, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	return 0;
}

static void stop(void)
{
	hrtimer_cancel(&own.timer);
}

static void start_here(void *unused)
{
	hrtimer_start(&own.timer, ns_to_ktime(own.first), HRTIMER_MODE_ABS_PINNED_HARD);
}

static int start(u64 first, u64 period, int cpu)
{
	own.first = first;
	own.period = period;
	own.cpu = cpu;
	if (!period)
		return 0;
	return smp_call_function_single(cpu, start_here, NULL, 1);
}

static void trigger_here(void *unused)
{
	own.first = now();
	start_here(NULL);
}

/* A timer that is due at once. The hardware is given its least interval, which is part of the figure. */
static int trigger(void)
{
	return smp_call_function_single(own.cpu, trigger_here, NULL, 1);
}

const struct probe_source probe_hrtimer = {
	.name = "hrtimer",
	.clock = RTSTONE_PROBE_CLOCK_MONOTONIC,
	.hz = hz,
	.now = now,
	.can = can,
	.init = init,
	.exit = stop,
	.start = start,
	.trigger = trigger,
	.stop = stop,
};
