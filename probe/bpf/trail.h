/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * The last steps of each CPU and of each watched thread. Where a cycle is late, both go to user space.
 */
#ifndef RTSTONE_BPF_TRAIL_H
#define RTSTONE_BPF_TRAIL_H

#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "held.h"
#include "rtstone_attach.h"

/* User space makes these as large as the machine takes before it loads them: an element a CPU, and one a thread. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rtstone_attach_ring);
} rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct rtstone_attach_own);
} owns SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} trails SEC(".maps");

static __always_inline struct rtstone_attach_ring *ring_of(__u32 cpu)
{
	return bpf_map_lookup_elem(&rings, &cpu);
}

/* On which CPU a task is, or in whose queue it was last. */
static __always_inline __u32 cpu_of(const struct task_struct *task)
{
	if (bpf_core_field_exists(((struct thread_info *)0)->cpu))
		return CAN_CAST ? AS_TASK(task)->thread_info.cpu : BPF_CORE_READ(task, thread_info.cpu);
	return bpf_get_smp_processor_id();
}

/* Two loads cost less than a call of the kernel. */
static __always_inline void copy_comm(__u64 to[2], const struct task_struct *task)
{
	to[0] = *(const __u64 *)&task->comm[0];
	to[1] = *(const __u64 *)&task->comm[8];
}

static __always_inline void write_step(struct rtstone_attach_step *step, __u32 number, __u64 now, __u32 kind,
				       __u32 what, struct task_struct *task)
{
	step->number = 0; /* a reader passes over it until all is there */
	barrier();
	step->step.at = now;
	step->step.kind = kind;
	step->step.what = what;
	step->step.name[0] = 0;
	copy_comm((__u64 *)step->step.task, task);
	step->step.pid = task->pid;
	step->step.prio = task->prio;
	step->cpu = bpf_get_smp_processor_id();
	barrier();
	step->number = number;
}

/* A step of this CPU. An interrupt may come between its counting and its writing: the count is atomic. */
static __always_inline struct rtstone_attach_step *cpu_step(struct rtstone_attach_ring *ring, __u64 now, __u32 kind,
							    __u32 what, struct task_struct *task)
{
	const __u64 number = __sync_fetch_and_add(&ring->count, 1);
	struct rtstone_attach_step *const step = &ring->step[number % RTSTONE_ATTACH_STEPS];

	write_step(step, number + 1, now, kind, what, task);
	return step;
}

/* A step of the thread's own. Where it is woken while it leaves the CPU, two may come at once. */
static __always_inline struct rtstone_attach_step *own_step(struct rtstone_attach_own *own, __u64 now, __u32 kind,
							    __u32 what)
{
	const __u64 number = __sync_fetch_and_add(&own->count, 1);
	struct rtstone_attach_step *const step = &own->step[number % RTSTONE_ATTACH_OWN];

	write_step(step, number + 1, now, kind, what, bpf_get_current_task_btf());
	return step;
}

static __always_inline void interrupt_step(__u32 kind, int number, struct irqaction *action)
{
	struct rtstone_attach_ring *const ring = ring_of(bpf_get_smp_processor_id());
	struct rtstone_attach_step *step;

	if (!ring)
		return;
	step = cpu_step(ring, bpf_ktime_get_ns(), kind, number, bpf_get_current_task_btf());
	bpf_probe_read_kernel_str(step->step.name, sizeof(step->step.name), action->name);
}

static __always_inline void plain_step(__u32 kind, __u32 what)
{
	struct rtstone_attach_ring *const ring = ring_of(bpf_get_smp_processor_id());

	if (ring)
		cpu_step(ring, bpf_ktime_get_ns(), kind, what, bpf_get_current_task_btf());
}

/*
 * A function of its own: in a loop the compiler would load the offsets of members before it, those that this kernel does not have too, and the
 * verifier refuses such a load wherever it can be reached.
 */
static __noinline __u32 held_by(const struct task_struct *task, const struct task_struct *other)
{
	return rtstone_held(task, other);
}

/* From now on the thread waits in a CPU's queue; or in none. */
static __always_inline void queue(struct rtstone_attach_own *own, __u32 slot, __u32 cpu1)
{
	struct rtstone_attach_ring *ring;

	if (own->queue) {
		ring = ring_of(own->queue - 1);
		for (int i = 0; ring && i < RTSTONE_ATTACH_WAITING; i++)
			if (ring->waiting[i] == slot + 1)
				ring->waiting[i] = 0;
	}
	own->queue = cpu1;
	if (!cpu1)
		return;
	ring = ring_of(cpu1 - 1);
	for (int i = 0; ring && i < RTSTONE_ATTACH_WAITING; i++)
		if (!__sync_val_compare_and_swap(&ring->waiting[i], 0ull, slot + 1ull))
			break;
}

/* The steps of a CPU count from now on; those of the one before until now, if the thread is there no more. */
static __always_inline void touch(struct rtstone_attach_own *own, __u32 cpu)
{
	struct rtstone_attach_ring *ring;
	bool known = false;

	for (int i = 0; i < RTSTONE_ATTACH_TOUCHED; i++) {
		if (!own->touched[i].used) {
			if (!known) {
				own->touched[i].used = 1;
				own->touched[i].cpu = cpu;
				own->touched[i].end = 0;
			}
			return;
		}
		if (own->touched[i].cpu == cpu) {
			own->touched[i].end = 0;
			known = true;
		} else if (!own->touched[i].end) {
			ring = ring_of(own->touched[i].cpu);
			if (ring)
				own->touched[i].end = ring->count;
		}
	}
}

static __always_inline void touch_none(struct rtstone_attach_own *own)
{
	for (int i = 0; i < RTSTONE_ATTACH_TOUCHED; i++)
		own->touched[i].used = 0;
}

static __always_inline void stack_of(void *ctx, struct rtstone_split_stack *stack, __u64 due, __u64 now)
{
	const long bytes = bpf_get_stack(ctx, stack->frame, sizeof(stack->frame), 0);

	stack->depth = bytes > 0 ? bytes / sizeof(stack->frame[0]) : 0;
	stack->at = now;
	stack->due = due;
}

/* Copies the CPU's segments from the newest to the one that holds a step before `from`. False: a segment found no room. */
static __always_inline bool copy_ring(struct rtstone_attach_ring *ring, __u64 end, __u64 from)
{
	bool room = true;
	__u64 first;

	for (int i = 0; i < RTSTONE_ATTACH_SEGMENTS && end; i++) {
		first = (end - 1) / RTSTONE_ATTACH_SEGMENT * RTSTONE_ATTACH_SEGMENT;
		struct rtstone_attach_step *const segment = &ring->step[first % RTSTONE_ATTACH_STEPS];

		if (bpf_ringbuf_output(&trails, segment, sizeof(*segment) * RTSTONE_ATTACH_SEGMENT, BPF_RB_NO_WAKEUP))
			room = false;
		if (segment->step.at < from)
			break;
		end = first;
	}
	return room;
}

/* False: the trail, or its end, found no room. */
static __always_inline bool keep_trail(void *ctx, struct rtstone_attach_own *own, __u32 slot, __u32 kind, __u64 index,
				       __u64 due, __u64 until, struct task_struct *task)
{
	struct rtstone_attach_late *late;
	struct rtstone_attach_ring *ring;
	bool room = true;

	for (int i = 0; i < RTSTONE_ATTACH_TOUCHED && own->touched[i].used; i++) {
		ring = ring_of(own->touched[i].cpu);
		if (ring)
			room = copy_ring(ring, own->touched[i].end ? own->touched[i].end : ring->count, due) && room;
	}
	if (bpf_ringbuf_output(&trails, own, sizeof(*own), BPF_RB_NO_WAKEUP))
		room = false;
	late = bpf_ringbuf_reserve(&trails, sizeof(*late), 0);
	if (!late)
		return false;
	late->slot = slot;
	late->kind = kind;
	late->index = index;
	late->due = due;
	late->until = until;
	late->lost = !room;
	late->pid = BPF_CORE_READ(task, pid);
	late->prio = BPF_CORE_READ(task, prio);
	late->number = 0;
	bpf_probe_read_kernel(late->comm, sizeof(late->comm), task->comm);
	late->chosen.depth = 0;
	if (kind != RTSTONE_ATTACH_MISS)
		stack_of(ctx, &late->chosen, due, until);
	bpf_ringbuf_submit(late, BPF_RB_NO_WAKEUP);
	return room;
}

/* The steps of a switch: time that a hypervisor took, then by whom the threads that wait in this CPU's queue are held. */
static __always_inline void switch_steps(struct rtstone_attach_ring *ring, __u64 now, struct task_struct *leaving,
					 struct task_struct *coming)
{
	const __u64 stolen = rtstone_stolen(leaving), before = ring->stolen;
	struct rtstone_attach_own *own;
	__u32 by, slot;

	if (stolen > before && before)
		cpu_step(ring, now, RTSTONE_SPLIT_STOLEN, stolen - before > ~0u ? ~0u : stolen - before, leaving);
	ring->stolen = stolen;
	for (int i = 0; i < RTSTONE_ATTACH_WAITING; i++) {
		slot = ring->waiting[i] - 1;
		own = ring->waiting[i] ? bpf_map_lookup_elem(&owns, &slot) : NULL;
		by = own && own->task != (__u64)coming ? held_by((const struct task_struct *)own->task, coming) : 0;
		if (by)
			cpu_step(ring, now, RTSTONE_SPLIT_HELD, by | slot << 8, leaving);
	}
	cpu_step(ring, now, RTSTONE_SPLIT_SWITCH, 0, coming);
}

#endif
