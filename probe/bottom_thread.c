// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * The bottom half as a thread, which the handler wakes as the kernel wakes those of threaded handlers. It is one of our
 * own, since a timer's interrupt has no such thread; it is the same for every source.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <uapi/linux/sched/types.h>

#include "probe.h"

#define USUAL_PRIORITY 50 /* of the kernel's own interrupt threads (MAX_RT_PRIO / 2) */

static struct task_struct *thread;
static atomic_t kicked;
static atomic_t asked; /* stop() wants to know that all is served */
static DECLARE_COMPLETION(served);

static int serve(void *unused)
{
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		if (!atomic_read(&kicked) && !atomic_read(&asked))
			schedule();
		__set_current_state(TASK_RUNNING);
		if (atomic_xchg(&kicked, 0))
			probe_bottom_half();
		if (atomic_xchg(&asked, 0))
			complete(&served);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int start(int cpu, int priority)
{
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_FIFO,
		.sched_priority = priority ? priority : USUAL_PRIORITY,
	};
	int error;

	if (!thread) {
		struct task_struct *made = kthread_create(serve, NULL, "rtstone_bottom");

		if (IS_ERR(made))
			return PTR_ERR(made);
		/*
		 * Before it is woken for the first time. From 6.14 on an unbound thread gives itself the CPUs of the kernel's
		 * housekeeping when it begins, and again when a CPU comes or goes: on an isolated CPU it would not stay.
		 */
		kthread_bind(made, cpu);
		thread = made;
	}
	atomic_set(&kicked, 0);
	error = set_cpus_allowed_ptr(thread, cpumask_of(cpu));
	if (!error)
		error = sched_setattr_nocheck(thread, &attr);
	if (!error)
		wake_up_process(thread);
	return error;
}

static void kick(void)
{
	atomic_set(&kicked, 1);
	wake_up_process(thread);
}

/* It stays for the next start: to make one takes long where ordinary threads hardly run. */
static void stop(void)
{
	reinit_completion(&served);
	atomic_set(&asked, 1);
	wake_up_process(thread);
	wait_for_completion(&served);
}

static void end(void)
{
	if (thread)
		kthread_stop(thread);
	thread = NULL;
}

const struct probe_bottom probe_bottom_thread = {
	.start = start,
	.kick = kick,
	.stop = stop,
	.exit = end,
};
