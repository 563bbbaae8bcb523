/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * The kernel's own account of a thread that can run and does not, and of time that a hypervisor took. A value that a kernel does not have is 0.
 */
#ifndef RTSTONE_BPF_HELD_H
#define RTSTONE_BPF_HELD_H

#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "rtstone_split.h"

/* Number of groups above a thread that are read. */
#define RTSTONE_HELD_LEVELS 4
/* From this priority on a task has no real-time budget. Below 0 it is of SCHED_DEADLINE and has a budget of its own. */
#define RTSTONE_HELD_REAL_TIME 100

static __always_inline bool rtstone_out_of_budget(const struct task_struct *task)
{
	int throttled = 0;

	if (bpf_core_field_exists(((struct sched_rt_entity *)0)->rt_rq)) {
		const struct sched_rt_entity *entity = CAN_CAST ? &AS_TASK(task)->rt : &task->rt;

		for (int level = 0; level < RTSTONE_HELD_LEVELS && entity && !throttled; level++) {
			throttled = CAN_CAST ? entity->rt_rq->rt_throttled : BPF_CORE_READ(entity, rt_rq, rt_throttled);
			entity = CAN_CAST ? entity->parent : BPF_CORE_READ(entity, parent);
		}
		return throttled;
	}
	if (bpf_core_field_exists(((struct rt_rq *)0)->rt_throttled) &&
	    bpf_core_field_exists(((struct sched_entity *)0)->cfs_rq) &&
	    bpf_core_field_exists(((struct cfs_rq *)0)->rq))
		throttled = CAN_CAST ? AS_TASK(task)->se.cfs_rq->rq->rt.rt_throttled
				     : BPF_CORE_READ(task, se.cfs_rq, rq, rt.rt_throttled);
	return throttled;
}

/* One of RTSTONE_SPLIT_BY, or 0. `other`: who gets the CPU instead, or has it. */
static __always_inline __u32 rtstone_held(const struct task_struct *task, const struct task_struct *other)
{
	const int priority = CAN_CAST ? AS_TASK(task)->prio : BPF_CORE_READ(task, prio);

	if (priority < 0 && BPF_CORE_READ_BITFIELD_PROBED(task, dl.dl_throttled))
		return RTSTONE_SPLIT_BY_DEADLINE_BUDGET;
	if (priority >= 0 && priority < RTSTONE_HELD_REAL_TIME && rtstone_out_of_budget(task))
		return RTSTONE_SPLIT_BY_REAL_TIME_BUDGET;
	if (priority >= RTSTONE_HELD_REAL_TIME && bpf_core_field_exists(((struct cfs_rq *)0)->throttle_count) &&
	    bpf_core_field_exists(((struct sched_entity *)0)->cfs_rq) &&
	    BPF_CORE_READ(task, se.cfs_rq, throttle_count) > 0)
		return RTSTONE_SPLIT_BY_QUOTA;
	if (priority < RTSTONE_HELD_REAL_TIME && bpf_core_field_exists(((struct task_struct *)0)->dl_server) &&
	    other->dl_server)
		return RTSTONE_SPLIT_BY_FAIR_SERVER;
	return 0;
}

/* Time that a hypervisor has taken from this CPU, in ns; `task` is one of this CPU. */
static __always_inline __u64 rtstone_stolen(const struct task_struct *task)
{
	if (bpf_core_field_exists(((struct rq *)0)->prev_steal_time_rq) &&
	    bpf_core_field_exists(((struct sched_entity *)0)->cfs_rq) &&
	    bpf_core_field_exists(((struct cfs_rq *)0)->rq))
		return task->se.cfs_rq->rq->prev_steal_time_rq;
	return 0;
}

#endif
