// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * An interrupt's way from its handler through the bottom half to user space, stamped at each step.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/semaphore.h>

#include "probe.h"

#define RING RTSTONE_PROBE_RING

static const struct probe_bottom *const bottoms[RTSTONE_PROBE_BOTTOMS] = {
	[RTSTONE_PROBE_BOTTOM_THREAD] = &probe_bottom_thread,
	[RTSTONE_PROBE_BOTTOM_TASKLET] = &probe_bottom_tasklet,
	[RTSTONE_PROBE_BOTTOM_WORKQUEUE] = &probe_bottom_workqueue,
};

/* Periods that the source could not raise; any CPU adds to it. */
static atomic64_t missed;

/*
 * One writer each: `in` is the handler's, `served` the bottom half's, `out` the reader's. They only grow.
 *
 * The reader sleeps on a semaphore, which nothing but the reader and the release touches: a wait queue that serves
 * poll or fasync as well wakes by the longer way, through a lock that sleeps on PREEMPT_RT, and would be measured.
 */
static struct {
	struct semaphore filled;
	u32 in;
	u32 served;
	u32 out;
	u64 lost;
	struct rtstone_probe_sample sample[RING];
} ring;

static const struct probe_source *source;
static const struct probe_bottom *bottom; /* NULL: the handler releases the semaphore itself */
static struct task_struct *receiver;
static int signal_number;
static bool running;
static bool software;
static bool stamped;
static bool signals;

void probe_interrupt(u64 asserted, u64 entered)
{
	struct rtstone_probe_sample *sample;
	u32 in = ring.in;

	/* The reader has finished with the entries that it took. */
	if (in - smp_load_acquire(&ring.out) == RING) {
		WRITE_ONCE(ring.lost, ring.lost + 1);
		return;
	}
	sample = &ring.sample[in % RING];
	sample->asserted = asserted;
	sample->entered = entered;
	sample->lost = ring.lost + (u64)atomic64_read(&missed);
	sample->bottom = 0;
	if (bottom) {
		/* Whoever sees `in` sees the sample. */
		smp_store_release(&ring.in, in + 1);
		bottom->kick();
		return;
	}
	sample->released = stamped ? source->now() : 0;
	/* Whoever sees `in` sees the sample. */
	smp_store_release(&ring.in, in + 1);
	up(&ring.filled);
}

void probe_missed(u64 periods)
{
	atomic64_add(periods, &missed);
}

void probe_bottom_half(void)
{
	u64 begun = stamped ? source->now() : 0;

	/* With `in` come the samples before it. */
	while (ring.served != smp_load_acquire(&ring.in)) {
		struct rtstone_probe_sample *sample = &ring.sample[ring.served % RING];

		sample->bottom = begun;
		ring.served++;
		sample->released = stamped ? source->now() : 0;
		up(&ring.filled);
		if (signals)
			send_sig(signal_number, receiver, 1);
		begun = stamped ? source->now() : 0;
	}
}

int probe_path_take(struct rtstone_probe_sample *sample, bool wait)
{
	if (wait) {
		if (down_interruptible(&ring.filled))
			return -EINTR;
	} else if (down_trylock(&ring.filled)) {
		return -EAGAIN;
	}
	*sample = ring.sample[ring.out % RING];
	/* Read before the handler may write it again. */
	smp_store_release(&ring.out, ring.out + 1);
	return 0;
}

int probe_path_trigger(void)
{
	return running && software ? source->trigger() : -EINVAL;
}

int probe_path_receive(int signal)
{
	if (running)
		return -EBUSY;
	if (signal && (signal < SIGRTMIN || signal > _NSIG))
		return -EINVAL;
	if (receiver)
		put_task_struct(receiver);
	receiver = NULL;
	signal_number = signal;
	if (signal)
		receiver = get_task_struct(current);
	return 0;
}

void probe_path_stop(void)
{
	if (!running)
		return;
	source->stop();
	if (bottom)
		bottom->stop();
	running = false;
}

int probe_path_start(const struct rtstone_probe_start *asked)
{
	u64 first = 0;
	int error;

	if (asked->bottom >= RTSTONE_PROBE_BOTTOMS)
		return -EINVAL;
	software = asked->flags & RTSTONE_PROBE_SOFTWARE;
	stamped = !(asked->flags & RTSTONE_PROBE_UNSTAMPED);
	signals = asked->flags & RTSTONE_PROBE_SIGNAL;
	bottom = bottoms[asked->bottom];
	/* A signal is not sent from hard interrupt context: on PREEMPT_RT its lock sleeps. */
	if (signals && (!receiver || !bottom))
		return -EINVAL;
	if (!(source->can() & (software ? RTSTONE_PROBE_CAN_TRIGGER : RTSTONE_PROBE_CAN_PERIOD)))
		return -EOPNOTSUPP;
	sema_init(&ring.filled, 0);
	ring.in = 0;
	ring.served = 0;
	ring.out = 0;
	ring.lost = 0;
	atomic64_set(&missed, 0);
	if (bottom) {
		error = bottom->start(asked->cpu, asked->priority);
		if (error)
			return error;
	}
	if (!software)
		first = source->now() + asked->phase + asked->period;
	error = source->start(first, software ? 0 : asked->period, asked->cpu);
	if (error && bottom)
		bottom->stop();
	running = !error;
	return error;
}

void probe_path_init(const struct probe_source *chosen)
{
	source = chosen;
	sema_init(&ring.filled, 0);
}

void probe_path_exit(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bottoms); i++)
		if (bottoms[i] && bottoms[i]->exit)
			bottoms[i]->exit();
}
