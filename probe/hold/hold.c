// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * A known fault, to try tools on: a thread that again and again has interrupts off, or preemption, for a known number of instructions.
 * From the first with them off to the one that enables them, that included, they are 2 * loops + 1. arm64 and x86-64.
 *
 * Writing hold_ns has interrupts off once, on the writer's CPU, for so many nanoseconds; held has when that began and ended.
 */
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

static unsigned long loops = 1000;
module_param(loops, ulong, 0444);
MODULE_PARM_DESC(loops, "rounds of two instructions with interrupts or preemption off, 1 to 1000000; 0: only hold_ns");
static bool preemption;
module_param(preemption, bool, 0444);
MODULE_PARM_DESC(preemption, "preemption is off in place of interrupts");

#define HOLD_NS_MAX 100000000

static struct task_struct *thread;

#ifdef CONFIG_ARM64
#define INTERRUPTS_OFF "msr daifset, #3\n\t"
#define INTERRUPTS_ON "msr daifclr, #3\n\t"
#define ROUNDS                                                                                                         \
	"1: subs %0, %0, #1\n\t"                                                                                       \
	"b.ne 1b\n\t"
#else
#define INTERRUPTS_OFF "cli\n\t"
#define INTERRUPTS_ON "sti\n\t"
#define ROUNDS                                                                                                         \
	"1: dec %0\n\t"                                                                                                \
	"jnz 1b\n\t"
#endif

static noinline void hold_section(unsigned long rounds)
{
	asm volatile(INTERRUPTS_OFF ROUNDS INTERRUPTS_ON : "+r"(rounds) : : "cc", "memory");
}

static noinline void hold_preemption(unsigned long rounds)
{
	preempt_disable();
	asm volatile(ROUNDS : "+r"(rounds) : : "cc", "memory");
	preempt_enable();
}

/* Since the module was loaded: CLOCK_MONOTONIC in ns. The lock of the module's parameters guards both. */
static u64 held_from, held_to;

static noinline void hold_once(u64 ns)
{
	unsigned long flags;

	local_irq_save(flags);
	held_from = ktime_get_mono_fast_ns();
	do {
		held_to = ktime_get_mono_fast_ns();
	} while (held_to - held_from < ns);
	local_irq_restore(flags);
}

static int hold_ns_set(const char *text, const struct kernel_param *unused)
{
	u64 ns;
	int error = kstrtou64(text, 10, &ns);

	if (error)
		return error;
	if (ns < 1 || ns > HOLD_NS_MAX)
		return -EINVAL;
	hold_once(ns);
	return 0;
}

static const struct kernel_param_ops hold_ns_ops = {
	.set = hold_ns_set,
};
module_param_cb(hold_ns, &hold_ns_ops, NULL, 0200);
MODULE_PARM_DESC(hold_ns, "written: interrupts are off on this CPU for so many ns, 1 to 100000000");

static int held_get(char *text, const struct kernel_param *unused)
{
	return scnprintf(text, PAGE_SIZE, "%llu %llu\n", held_from, held_to);
}

static const struct kernel_param_ops held_ops = {
	.get = held_get,
};
module_param_cb(held, &held_ops, NULL, 0444);
MODULE_PARM_DESC(held, "when the last hold_ns began and ended, CLOCK_MONOTONIC in ns");

static int hold(void *unused)
{
	while (!kthread_should_stop()) {
		if (preemption)
			hold_preemption(loops);
		else
			hold_section(loops);
		schedule_timeout_interruptible(1);
	}
	return 0;
}

static int __init hold_init(void)
{
	if (loops > 1000000) {
		pr_err("rtstone_hold: loops=%lu is not 0 to 1000000\n", loops);
		return -EINVAL;
	}
	if (!loops)
		return 0;
	thread = kthread_run(hold, NULL, "rtstone_hold");
	return PTR_ERR_OR_ZERO(thread);
}

static void __exit hold_exit(void)
{
	if (thread)
		kthread_stop(thread);
}

module_init(hold_init);
module_exit(hold_exit);
MODULE_DESCRIPTION("Holds interrupts off for a known number of instructions, again and again");
MODULE_AUTHOR("rtstone contributors");
MODULE_LICENSE("GPL");
