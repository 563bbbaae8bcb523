/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * The cycles of a watched thread (rtstone_attach.h), and which of them are late. Included where `attached` is.
 */
#ifndef RTSTONE_BPF_CYCLE_H
#define RTSTONE_BPF_CYCLE_H

#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "rtstone_attach.h"
#include "series.h"
#include "trail.h"

/* User space makes it as large as `threads`, if it wants cycles. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct rtstone_attach_cycle);
} cycles SEC(".maps");

struct of_thread {
	void *ctx;
	struct task_struct *task;
	struct rtstone_attach_cycle *cycle;
	struct rtstone_attach_own *own; /* NULL: no trail is kept */
	__u32 slot;
};

static __always_inline bool find(struct of_thread *of, void *ctx, struct task_struct *task, __u32 slot)
{
	of->ctx = ctx;
	of->task = task;
	of->slot = slot;
	of->cycle = bpf_map_lookup_elem(&cycles, &slot);
	of->own = attached.over ? bpf_map_lookup_elem(&owns, &slot) : NULL;
	if (of->own) {
		of->own->task = (__u64)task;
		of->own->slot = slot;
	}
	return of->cycle;
}

static __always_inline void late(const struct of_thread *of, __u32 kind, __u64 index, __u64 due, __u64 until)
{
	of->cycle->late[kind]++;
	if (of->own && !keep_trail(of->ctx, of->own, of->slot, kind, index, due, until, of->task))
		of->cycle->lost[kind]++;
}

/* The thread begins the cycle of which it has been woken. */
static __always_inline void cycle_begins(const struct of_thread *of, __u64 waking, __u64 now)
{
	struct rtstone_attach_cycle *const cycle = of->cycle;
	const __u64 due = cycle->due, waited = now - due;

	cycle->due = 0;
	cycle->begun = due;
	cycle->waited = waited;
	cycle->mark = now;
	cycle->phase = RTSTONE_ATTACH_RUNNING;
	cycle->sleeps = 0;
	cycle->told = 0;
	cycle->faulted = 0;
	cycle->interrupted.began = cycle->rest.began = 0;
	for (int i = 0; i < RTSTONE_ATTACH_PARTS; i++)
		cycle->part[i] = 0;
	rtstone_add(&cycle->of[RTSTONE_ATTACH_START], waited, now);
	/* A thread that something else had woken before its timer was due waited for no waking. One with a new budget was not woken. */
	if (waking)
		rtstone_add(&cycle->of[RTSTONE_ATTACH_EXPIRY], waking > due ? waking - due : 0, now);
	if (attached.over && waited > attached.over)
		late(of, RTSTONE_ATTACH_LATE_START, cycle->cycles, due, now);
	cycle->cycles++;
}

static __always_inline void cycle_ends(struct rtstone_attach_cycle *cycle, __u64 end, __u64 now)
{
	const __u64 response = end - cycle->begun;

	for (int i = 0; i < RTSTONE_ATTACH_PARTS; i++)
		rtstone_add(&cycle->of[i], cycle->part[i], now);
	rtstone_add(&cycle->of[RTSTONE_ATTACH_RESPONSE], response, now);
	if (attached.faults)
		rtstone_add(&cycle->of[RTSTONE_ATTACH_FAULTED], cycle->faulted, now);
	cycle->waits += cycle->waited;
	if (attached.deadline && response > attached.deadline)
		cycle->misses++;
	cycle->begun = 0;
}

/* The cycle under way is not seen to its end. */
static __always_inline void cycle_breaks(const struct of_thread *of, __u64 *count)
{
	struct rtstone_attach_cycle *const cycle = of->cycle;
	struct rtstone_attach_unseen unseen = {.index = cycle->cycles - 1, .slot = of->slot};

	(*count)++;
	cycle->begun = 0;
	if (cycle->told)
		bpf_ringbuf_output(&trails, &unseen, sizeof(unseen), BPF_RB_NO_WAKEUP);
}

static __always_inline void next_phase(struct rtstone_attach_cycle *cycle, __u32 phase, __u64 now)
{
	cycle->part[cycle->phase % RTSTONE_ATTACH_PARTS] += now - cycle->mark;
	cycle->phase = phase;
	cycle->mark = now;
}

/* Records the page faults since the thread came to run, or since this was last called. */
static __always_inline void fault_step(const struct of_thread *of, __u64 now)
{
	struct rtstone_attach_own *const own = of->own;
	struct rtstone_attach_step *step;

	if (!own->fault_ns)
		return;
	step = own_step(own, now, RTSTONE_ATTACH_FAULTS, own->fault_ns > ~0u ? ~0u : own->fault_ns);
	*(__u32 *)step->step.name = own->faults;
	if (of->cycle->begun)
		of->cycle->faulted += own->fault_ns;
	own->fault_ns = own->faults = 0;
}

/* The thread gives up the CPU in this state. True: it sleeps in a page fault. */
static __always_inline bool leaves_in_fault(struct rtstone_attach_own *own, __u32 state, __u64 now)
{
	if (!own->fault_at)
		return false;
	if (state & RTSTONE_SPLIT_STATE_INTERRUPTIBLE) { /* it had no end: a page fault does not sleep so */
		own->fault_at = own->fault_open = 0;
		return false;
	}
	own->fault_open += now - own->fault_at;
	own->fault_at = now;
	if (state == RTSTONE_SPLIT_STATE_RUNNABLE)
		return false; /* it may have had no end */
	own->fault_ns += own->fault_open;
	own->fault_open = 0;
	return true;
}

#define STOPPING                                                                                                       \
	0x9a0000ul /* a stop, a trap of ptrace(2) or the freezer of a control group: JOBCTL in linux/sched/jobctl.h */

/* A signal interrupts a sleep of the task, or is about to. Not in sigtimedwait, whose signals are what it waits for. */
static __always_inline bool is_signalled(const struct task_struct *task)
{
	const unsigned long pending =
		BPF_CORE_READ(task, pending.signal.sig[0]) | BPF_CORE_READ(task, signal, shared_pending.signal.sig[0]);

	return ((pending & ~BPF_CORE_READ(task, blocked.sig[0])) || (BPF_CORE_READ(task, jobctl) & STOPPING)) &&
	       !BPF_CORE_READ(task, real_blocked.sig[0]);
}

static __always_inline void keep_sleep(struct rtstone_attach_sleep *sleep, const struct rtstone_attach_cycle *cycle,
				       __u64 began)
{
	sleep->began = began;
	sleep->faulted = cycle->faulted;
	for (int i = 0; i < RTSTONE_ATTACH_PARTS; i++)
		sleep->part[i] = cycle->part[i];
}

/* A sleep that began then and lasts until `due` is the rest of the one that was interrupted. */
static __always_inline bool is_rest(const struct rtstone_attach_cycle *cycle, __u64 began, __u64 due)
{
	if (!cycle->rest.began || due + RTSTONE_ATTACH_SAME_NS < cycle->rest_due)
		return false;
	return due <= cycle->rest_due + RTSTONE_ATTACH_SAME_NS ||
	       (began < cycle->rest_due && due - began <= cycle->rest_ns);
}

/* The end of a cycle that may be a miss: user space keeps the trail of its last sleep. */
static __always_inline void miss(const struct of_thread *of, __u64 now)
{
	struct rtstone_attach_cycle *const cycle = of->cycle;

	if (cycle->begun && of->own && attached.deadline && now - cycle->begun > attached.deadline) {
		cycle->told = 1;
		late(of, RTSTONE_ATTACH_MISS, cycle->cycles - 1, cycle->begun, now);
	}
}

/* The thread's sleep until `due` has been interrupted, and the thread runs. */
static __always_inline void cycle_interrupted(const struct of_thread *of, __u64 due, __u64 now)
{
	struct rtstone_attach_cycle *const cycle = of->cycle;
	struct rtstone_attach_sleep *const sleep = &cycle->interrupted;
	const bool slept = sleep->began;

	if (!cycle->begun || cycle->phase != RTSTONE_ATTACH_RUNNING || (!slept && !is_signalled(of->task)))
		return;
	if (!slept) { /* it was about to */
		if (of->own)
			fault_step(of, now);
		next_phase(cycle, RTSTONE_ATTACH_RUNNING, now);
		keep_sleep(sleep, cycle, now);
	}
	if (!is_rest(cycle, sleep->began, due)) {
		if (!slept || cycle->rest.began)
			miss(of, sleep->began);
		cycle->rest = *sleep;
	}
	cycle->rest_due = due;
	cycle->rest_ns = due > now ? due - now : 0;
	sleep->began = 0;
}

static __always_inline void cycle_wakes(const struct of_thread *of, __u64 due, __u32 waker, bool self, __u64 now);

/* The timer of the thread's sleep expires when a signal has just woken the thread: it wakes nobody, and the sleep is over all the same. */
static __always_inline void cycle_expires(const struct of_thread *of, __u64 due, __u64 now)
{
	struct rtstone_attach_cycle *const cycle = of->cycle;

	/* The signal is pending until the thread is on its way back to user space: so the thread is still in that sleep. */
	if (!cycle->begun || !cycle->interrupted.began || !is_signalled(of->task))
		return;
	if (!is_rest(cycle, cycle->interrupted.began, due)) {
		if (cycle->rest.began)
			miss(of, cycle->interrupted.began);
		cycle->rest = cycle->interrupted;
	}
	cycle->rest_due = due; /* so that cycle_slept takes it for the rest */
	cycle_wakes(of, due, 0, cycle->phase == RTSTONE_ATTACH_RUNNING, now);
}

/* A timer wakes the thread from a sleep that began then: so its cycle has ended. */
static __always_inline void cycle_slept(const struct of_thread *of, __u64 began, __u64 due, __u64 now)
{
	struct rtstone_attach_cycle *const cycle = of->cycle;

	if (is_rest(cycle, began, due)) {
		began = cycle->rest.began;
		cycle->faulted = cycle->rest.faulted;
		for (int i = 0; i < RTSTONE_ATTACH_PARTS; i++)
			cycle->part[i] = cycle->rest.part[i];
	} else if (cycle->rest.began) {
		miss(of, began);
	}
	cycle_ends(cycle, began, now);
}

/* A waking, by a timer that was due (0: by something else; `waker`: it, if it is no task). `self`: the thread is on this CPU still. */
static __always_inline void cycle_wakes(const struct of_thread *of, __u64 due, __u32 waker, bool self, __u64 now)
{
	struct rtstone_attach_cycle *const cycle = of->cycle;
	struct rtstone_attach_own *const own = of->own;
	struct rtstone_attach_step *step;
	__u64 end = cycle->mark;
	__u32 by, cpu;

	if (due) {
		if (own && self)
			fault_step(of, now);
		if (cycle->begun && cycle->phase == RTSTONE_ATTACH_RUNNING) { /* it was about to sleep */
			next_phase(cycle, RTSTONE_ATTACH_BLOCKED, now);
			end = now;
			if (!cycle->rest.began)
				miss(of, now);
		}
		if (cycle->begun)
			cycle_slept(of, end, due, now);
		cycle->due = due;
	} else if (cycle->begun && cycle->sleeps > RTSTONE_ATTACH_SLEEPS) {
		cycle_breaks(of, &cycle->endless);
	} else if (cycle->begun && cycle->phase >= RTSTONE_ATTACH_BLOCKED) {
		cycle->interrupted.began = 0;
		if (cycle->phase == RTSTONE_ATTACH_BLOCKED && is_signalled(of->task)) {
			keep_sleep(&cycle->interrupted, cycle, cycle->mark);
			cycle->task = (__u64)of->task;
			attached.signals = 1;
		}
		if (own && own->fault_at)
			cycle->faulted += now - cycle->mark;
		next_phase(cycle, RTSTONE_ATTACH_PREEMPTED, now);
	}
	if (own) {
		cpu = cpu_of(of->task);
		by = held_by(of->task, bpf_get_current_task_btf());
		if (by)
			own_step(own, now, RTSTONE_SPLIT_HELD, by);
		step = own_step(own, now, due ? RTSTONE_SPLIT_WAKING : RTSTONE_SPLIT_WOKEN, cpu);
		*(__u32 *)step->step.name = waker;
		if (due ? due >= end
			: !cycle->begun) /* else it was busy when it was due, and the CPUs where it was count too */
			touch_none(own);
		if (due || !cycle->begun)
			touch(own, bpf_get_smp_processor_id());
		if (due && now - due > attached.over / 2)
			stack_of(of->ctx, &own->expired, due, now);
		touch(own, cpu);
		if (!self)
			queue(own, of->slot, cpu + 1);
	}
	if (due && self)
		cycle_begins(of, now, now);
}

/* When a thread of SCHED_DEADLINE that has yielded gets its next budget, by CLOCK_MONOTONIC; 0: it is none, or has not. */
static __always_inline __u64 next_budget(const struct task_struct *task)
{
	if (task->policy != RTSTONE_ATTACH_DEADLINE || !BPF_CORE_READ_BITFIELD_PROBED(task, dl.dl_throttled) ||
	    !BPF_CORE_READ_BITFIELD_PROBED(task, dl.dl_yielded))
		return 0;
	return BPF_CORE_READ(task, dl.dl_timer._softexpires);
}

/* The thread gets a CPU with a new budget: so its cycle before has ended, and another one begins. */
static __always_inline void cycle_renewed(const struct of_thread *of, __u64 now)
{
	struct rtstone_attach_cycle *const cycle = of->cycle;
	const __u32 cpu = bpf_get_smp_processor_id();

	if (cycle->begun)
		cycle_ends(cycle, cycle->mark, now);
	cycle->due = cycle->budget < now ? cycle->budget : now;
	cycle->budget = 0;
	if (of->own) {
		touch_none(of->own);
		touch(of->own, cpu);
		own_step(of->own, cycle->due, RTSTONE_SPLIT_WAKING, cpu);
	}
}

/* The thread gets a CPU. `waking`: the one with which this wake-up began; 0: this is not a wake-up. */
static __always_inline void cycle_runs(const struct of_thread *of, __u64 waking, __u64 since, __u64 index, __u64 now)
{
	struct rtstone_attach_cycle *const cycle = of->cycle;

	if (of->own) {
		queue(of->own, of->slot, 0);
		if (of->own->fault_at)
			of->own->fault_at = now;
	}
	if (cycle->budget) {
		cycle_renewed(of, now);
		since = 0;
	}
	if (cycle->due)
		cycle_begins(of, since, now);
	else if (cycle->begun && cycle->phase != RTSTONE_ATTACH_PREEMPTED)
		cycle_breaks(of, &cycle->broken);
	else if (cycle->begun)
		next_phase(cycle, RTSTONE_ATTACH_RUNNING, now);
	else if (waking && attached.over && now - waking > attached.over)
		late(of, RTSTONE_ATTACH_LATE_WAKING, index, waking, now);
}

/* It gives the CPU up. `state`: of the kernel's, 0 where it did not want to. `budget`: next_budget(). */
static __always_inline void cycle_leaves(const struct of_thread *of, __u32 state, __u64 budget, __u64 now)
{
	struct rtstone_attach_cycle *const cycle = of->cycle;
	const __u32 cpu = bpf_get_smp_processor_id();
	struct rtstone_attach_step *step;
	bool in_fault;
	const __u32 phase = state == RTSTONE_SPLIT_STATE_RUNNABLE	 ? RTSTONE_ATTACH_PREEMPTED
			    : (state & RTSTONE_SPLIT_STATE_STOPPED) != 0 ? RTSTONE_ATTACH_STOPPED
									 : RTSTONE_ATTACH_BLOCKED;

	cycle->budget = budget;
	if (cycle->begun && cycle->phase != RTSTONE_ATTACH_RUNNING)
		cycle_breaks(of, &cycle->broken);
	if (cycle->due && phase != RTSTONE_ATTACH_PREEMPTED) { /* it ran since, and that was not seen */
		cycle->due = 0;
		cycle->undated++;
	}
	if (cycle->begun)
		next_phase(cycle, phase, now);
	if (phase == RTSTONE_ATTACH_BLOCKED) {
		cycle->sleeps++;
		cycle->interrupted.began = 0;
	}
	if (!of->own)
		return;
	in_fault = leaves_in_fault(of->own, state, now);
	fault_step(of, now);
	step = own_step(of->own, now, RTSTONE_SPLIT_LEFT, state);
	*(__u32 *)step->step.name = in_fault;
	if (phase == RTSTONE_ATTACH_PREEMPTED)
		queue(of->own, of->slot, cpu + 1);
	if (phase == RTSTONE_ATTACH_BLOCKED && !cycle->rest.began) /* else it is not known yet which sleep is the end */
		miss(of, now);
}

#endif
