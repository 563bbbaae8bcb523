// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * arm64's physical timer (CNTP) as the source. A kernel that was entered at EL1 keeps time by the virtual timer and leaves
 * this one alone, so its interrupt is ours, as it is on bare metal and under FreeRTOS on the same board.
 */
#include <linux/errno.h>
#include <linux/interrupt.h>
#include <linux/of.h>
#include <linux/of_irq.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "sources.h"

#define PHYSICAL_NON_SECURE 1 /* its place in the device tree's list of the timer's interrupts */

#define ENABLE 1ul
#define MASKED 2ul

static DEFINE_PER_CPU(int, cookie);

static struct {
	unsigned int irq;
	u64 first;
	u64 period; /* 0: by trigger only */
	int cpu;
} own;

/* The counter is read in order: nothing before it is still to come, nothing after it has begun (Arm ARM D11.2.1). */
static u64 now(void)
{
	u64 value;

	asm volatile("isb\n\tmrs %0, cntpct_el0\n\tisb" : "=r"(value) : : "memory");
	return value;
}

static u64 hz(void)
{
	u64 value;

	asm volatile("mrs %0, cntfrq_el0" : "=r"(value));
	return value;
}

static u64 due(void)
{
	u64 value;

	asm volatile("mrs %0, cntp_cval_el0" : "=r"(value));
	return value;
}

static void set_due(u64 value)
{
	asm volatile("msr cntp_cval_el0, %0\n\tisb" : : "r"(value) : "memory");
}

static void set_control(u64 value)
{
	asm volatile("msr cntp_ctl_el0, %0\n\tisb" : : "r"(value) : "memory");
}

static irqreturn_t handle(int irq, void *unused)
{
	u64 entered = now();
	u64 asserted = due();

	/* Advance by one period, even if that is past: the line stays up, and the missed periods are served next. */
	if (own.period)
		set_due(asserted + own.period);
	else
		set_control(MASKED);
	probe_interrupt(asserted, entered);
	return IRQ_HANDLED;
}

static u32 can(void)
{
	return RTSTONE_PROBE_CAN_PERIOD | RTSTONE_PROBE_CAN_TRIGGER;
}

static int init(void)
{
	struct device_node *node = of_find_compatible_node(NULL, NULL, "arm,armv8-timer");

	if (!node)
		return -ENODEV;
	own.irq = irq_of_parse_and_map(node, PHYSICAL_NON_SECURE);
	of_node_put(node);
	if (!own.irq)
		return -ENXIO;
	own.cpu = -1;
	return request_percpu_irq(own.irq, handle, "rtstone_probe", &cookie);
}

static void exit_source(void)
{
	free_percpu_irq(own.irq, &cookie);
}

static void start_here(void *unused)
{
	set_control(MASKED);
	set_due(own.first);
	enable_percpu_irq(own.irq, IRQ_TYPE_NONE);
	if (own.period)
		set_control(ENABLE);
}

static void trigger_here(void *unused)
{
	set_due(now());
	set_control(ENABLE);
}

static void stop_here(void *unused)
{
	set_control(MASKED);
	disable_percpu_irq(own.irq);
}

static int start(u64 first, u64 period, int cpu)
{
	own.first = first;
	own.period = period;
	own.cpu = cpu;
	return smp_call_function_single(cpu, start_here, NULL, 1);
}

static int trigger(void)
{
	return smp_call_function_single(own.cpu, trigger_here, NULL, 1);
}

static void stop(void)
{
	smp_call_function_single(own.cpu, stop_here, NULL, 1);
}

const struct probe_source probe_arm_timer = {
	.name = "arm-timer",
	.clock = RTSTONE_PROBE_CLOCK_COUNTER,
	.hz = hz,
	.now = now,
	.can = can,
	.init = init,
	.exit = exit_source,
	.start = start,
	.trigger = trigger,
	.stop = stop,
};
