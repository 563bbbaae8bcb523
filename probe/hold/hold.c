// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * A known fault, to try tools on: a thread that again and again has interrupts off, or preemption, for a known number of instructions.
 * From the first with them off to the one that enables them, that included, they are 2 * loops + 1. arm64 and x86-64.
 */
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>

static unsigned long loops = 1000;
module_param(loops, ulong, 0444);
MODULE_PARM_DESC(loops, "rounds of two instructions with interrupts or preemption off, 1 to 1000000");
static bool preemption;
module_param(preemption, bool, 0444);
MODULE_PARM_DESC(preemption, "preemption is off in place of interrupts");

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
	if (loops < 1 || loops > 1000000) {
		pr_err("rtstone_hold: loops=%lu is not 1 to 1000000\n", loops);
		return -EINVAL;
	}
	thread = kthread_run(hold, NULL, "rtstone_hold");
	return PTR_ERR_OR_ZERO(thread);
}

static void __exit hold_exit(void)
{
	kthread_stop(thread);
}

module_init(hold_init);
module_exit(hold_exit);
MODULE_DESCRIPTION("Holds interrupts off for a known number of instructions, again and again");
MODULE_AUTHOR("rtstone contributors");
MODULE_LICENSE("GPL");
