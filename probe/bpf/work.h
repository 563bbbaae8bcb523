/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * What a CPU is at: its interrupt, its soft interrupt, and the timer whose function it runs.
 */
#ifndef RTSTONE_BPF_WORK_H
#define RTSTONE_BPF_WORK_H

#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/* What the CPU is at. A number is 1 + that of the interrupt, 0 outside of one. */
struct at_work {
	__u64 since;			       /* when its task came to run; not kept of the idle task */
	const struct hrtimer_cpu_base *timers; /* its timers; NULL: not known yet */
	__u32 interrupt;
	__u32 softirq;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct at_work);
} cpus SEC(".maps");

static __always_inline struct at_work *here(void)
{
	const __u32 zero = 0;

	return bpf_map_lookup_elem(&cpus, &zero);
}

/* A load where the kernel can check it (from 6.2), else a call. */
#define RUNNING(at)                                                                                                    \
	({                                                                                                             \
		void *running = NULL;                                                                                  \
		if (CAN_CAST)                                                                                          \
			running = bases->clock_base[at].running;                                                       \
		else                                                                                                   \
			bpf_probe_read_kernel(&running, sizeof(running), &work->timers->clock_base[at].running);       \
		running;                                                                                               \
	})

/* True while this CPU runs a timer's function. To ask at a waking costs less than a program at each timer's begin and end. */
static __always_inline bool in_timer(const struct at_work *work)
{
	const struct hrtimer_cpu_base *bases = NULL;

	if (!work->timers)
		return false; /* none has expired here yet */
	if (CAN_CAST)
		bases = bpf_rdonly_cast(work->timers, bpf_core_type_id_kernel(struct hrtimer_cpu_base));
	if (RUNNING(0) || RUNNING(1) || RUNNING(2) || RUNNING(3))
		return true;
	/* These can be preempted: then something else runs. */
	return work->softirq && (RUNNING(4) || RUNNING(5) || RUNNING(6) || RUNNING(7));
}

/* When a timer is due, by CLOCK_MONOTONIC. */
static __always_inline __u64 due_of(struct hrtimer *timer)
{
	return BPF_CORE_READ(timer, _softexpires) - BPF_CORE_READ(timer, base, offset);
}

/* When the timer was due whose function this CPU runs; 0: it was due later than now, since a clock was set. */
static __always_inline __u64 due_of_timer(const struct at_work *work, __u64 now)
{
	const struct hrtimer_cpu_base *bases = NULL;
	struct hrtimer *timer = NULL;
	__u64 due;

	if (CAN_CAST)
		bases = bpf_rdonly_cast(work->timers, bpf_core_type_id_kernel(struct hrtimer_cpu_base));
#define LOOK(at)                                                                                                       \
	if (!timer)                                                                                                    \
	timer = RUNNING(at)
	LOOK(0);
	LOOK(1);
	LOOK(2);
	LOOK(3);
	if (!timer && work->softirq) {
		LOOK(4);
		LOOK(5);
		LOOK(6);
		LOOK(7);
	}
	if (!timer)
		return 0;
	due = CAN_CAST ? timer->_softexpires - timer->base->offset : due_of(timer);
	return due < now ? due : 0;
}

#endif
