/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * Wake-up latency of threads that are named by user space: from sched_waking to the sched_switch that gives them a CPU, whatever woke them.
 *
 * All is counted here, thread by thread, so no event can be lost on its way: user space reads the counts at the end. A thread's waking is
 * serialised by its own lock, its switches by the run queue's, so nothing here needs a lock.
 */
#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "rtstone_attach.h"
#include "series.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2 * RTSTONE_ATTACH_THREADS);
	__type(key, __u32);
	__type(value, __u32);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RTSTONE_ATTACH_THREADS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct rtstone_attach_thread);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RTSTONE_ATTACH_NAMES);
	__type(key, struct rtstone_attach_key);
	__type(value, struct rtstone_attach_share);
} names SEC(".maps");

#include "work.h"

volatile struct rtstone_attach_shared attached;

#include "cycle.h" /* which looks into it */

#define BETWEEN(program, point, member, first, number)                                                                 \
	SEC("tp_btf/" point)                                                                                           \
	int BPF_PROG(program, first)                                                                                   \
	{                                                                                                              \
		struct at_work *const work = here();                                                                   \
                                                                                                                       \
		if (work)                                                                                              \
			work->member = number;                                                                         \
		return 0;                                                                                              \
	}

BETWEEN(attach_interrupt, "irq_handler_entry", interrupt, int irq, irq + 1)
BETWEEN(attach_after_interrupt, "irq_handler_exit", interrupt, int irq, 0)
BETWEEN(attach_softirq, "softirq_entry", softirq, unsigned int vector, vector + 1)
BETWEEN(attach_after_softirq, "softirq_exit", softirq, unsigned int vector, 0)

/* Records where this CPU keeps its timers. User space detaches the program once each CPU has recorded it. */
SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(attach_timer, struct hrtimer *timer)
{
	struct at_work *const work = here();

	if (work && !work->timers) {
		work->timers = timer->base->cpu_base;
		__sync_fetch_and_add(&attached.known, 1);
	}
	return 0;
}

static __always_inline struct rtstone_attach_thread *watched(__u32 tid, __u32 *slot)
{
	const __u64 quick = attached.quick[tid % RTSTONE_ATTACH_QUICK];
	struct rtstone_attach_thread *thread;
	__u32 *found;

	if (!quick)
		return NULL;
	*slot = quick - 1;
	if (quick == RTSTONE_ATTACH_SEVERAL) {
		found = bpf_map_lookup_elem(&slots, &tid);
		if (!found)
			return NULL;
		*slot = *found;
	}
	thread = bpf_map_lookup_elem(&threads, slot);
	return thread && thread->tid == tid && thread->state != RTSTONE_ATTACH_ENDED ? thread : NULL;
}

static __always_inline struct rtstone_attach_share *share_of(struct rtstone_attach_thread *thread,
							     const struct rtstone_attach_key *key)
{
	static const struct rtstone_attach_share none = {};
	struct rtstone_attach_share *share = bpf_map_lookup_elem(&names, key);

	if (!share) {
		bpf_map_update_elem(&names, key, &none, BPF_NOEXIST);
		share = bpf_map_lookup_elem(&names, key);
		if (!share)
			thread->unnamed++;
	}
	return share;
}

/* The waker of a thread if an interrupt or a soft interrupt is it; 0: a task. */
static __always_inline __u32 waker_of(const struct at_work *work)
{
	if (work && work->interrupt)
		return RTSTONE_ATTACH_BY_INTERRUPT | ((work->interrupt - 1) & 0xffff);
	return work && work->softirq ? RTSTONE_ATTACH_BY_SOFTIRQ | (work->softirq - 1) : 0;
}

/* `with_cycles` is a constant: there are two programs of each kind, and cycles cost only where user space wants them. */
static __always_inline int waking(void *ctx, struct task_struct *task, bool with_cycles)
{
	struct rtstone_attach_key key = {};
	struct rtstone_attach_thread *thread;
	struct rtstone_attach_share *share;
	struct at_work *work;
	struct of_thread of;
	bool by_timer;
	__u64 due;

	thread = watched(task->pid, &key.thread);
	if (!thread)
		return 0;
	thread->wakings++;
	if (thread->pending)
		thread->awake++; /* the one before led to no sleep's end */
	thread->waking = bpf_ktime_get_ns();
	thread->pending = 1;
	work = here();
	by_timer = work && in_timer(work);
	if (with_cycles && find(&of, ctx, task, key.thread)) {
		due = by_timer ? due_of_timer(work, thread->waking) : 0;
		if (by_timer && !due)
			of.cycle->undated++;
		cycle_wakes(&of, due, waker_of(work), (__u64)bpf_get_current_task_btf() == (__u64)task, thread->waking);
	}
	if (by_timer) {
		thread->by_timer++; /* the most frequent by far: it takes no table */
		return 0;
	}
	if (work && work->interrupt) {
		key.kind = RTSTONE_ATTACH_INTERRUPT;
		key.number = work->interrupt - 1;
	} else if (work && work->softirq) {
		key.kind = RTSTONE_ATTACH_SOFTIRQ;
		key.number = work->softirq - 1;
	} else {
		key.kind = RTSTONE_ATTACH_WAKER;
		bpf_get_current_comm(key.comm, sizeof(key.comm));
	}
	share = share_of(thread, &key);
	if (share)
		share->count++;
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(attach_waking, struct task_struct *task)
{
	return waking(ctx, task, false);
}

SEC("tp_btf/sched_waking")
int BPF_PROG(cycle_waking, struct task_struct *task)
{
	return waking(ctx, task, true);
}

static __always_inline void faults(struct rtstone_attach_thread *thread, struct task_struct *task)
{
	thread->faults[1] = task->min_flt;
	thread->major[1] = task->maj_flt;
}

static __always_inline void left(struct rtstone_attach_thread *thread, struct task_struct *task, bool preempt)
{
	if (!thread->running && thread->out) {
		/* It is at its next leave: its return was not seen, and if it was asleep and nothing is pending, its waking neither. */
		if (thread->pending)
			thread->untold++;
		else
			thread->unseen += thread->asleep;
		thread->pending = 0;
	}
	thread->running = 0;
	if (!thread->out) {
		thread->faults[0] = task->min_flt;
		thread->major[0] = task->maj_flt;
	}
	faults(thread, task);
	thread->out = 1;
	thread->asleep = !preempt && task->__state != 0;
	if (!thread->asleep)
		thread->preempted++;
}

static __always_inline void held(struct rtstone_attach_thread *thread, struct rtstone_attach_key *key,
				 struct task_struct *before, __u64 from, __u64 now)
{
	const __u64 began = from > thread->waking ? from : thread->waking;
	const __u64 length = now > began ? now - began : 0;
	struct rtstone_attach_share *share;

	key->kind = RTSTONE_ATTACH_HOLDER;
	copy_comm((__u64 *)key->comm, before);
	share = share_of(thread, key);
	if (share) {
		share->count++;
		share->total += length;
		if (length > share->most)
			share->most = length;
	}
}

static __always_inline int switched(void *ctx, bool preempt, struct task_struct *leaving, struct task_struct *coming,
				    bool with_cycles)
{
	struct rtstone_attach_key key __attribute__((aligned(8))) = {};
	struct rtstone_attach_thread *thread;
	const __u64 now = with_cycles || coming->pid ? bpf_ktime_get_ns() : 0;
	const __u32 cpu = bpf_get_smp_processor_id() + 1;
	struct at_work *const work = here();
	struct rtstone_attach_ring *ring;
	struct of_thread of;
	__u64 woken = 0, budget;
	__u32 slot = 0;

	if (!work)
		return 0;
	if (leaving->pid) {
		thread = watched(leaving->pid, &slot);
		if (thread) {
			left(thread, leaving, preempt);
			if (with_cycles && find(&of, ctx, leaving, slot)) {
				budget = next_budget(leaving);
				cycle_leaves(&of,
					     budget    ? RTSTONE_SPLIT_STATE_INTERRUPTIBLE
					     : preempt ? RTSTONE_SPLIT_STATE_RUNNABLE
						       : leaving->__state,
					     budget, now);
			}
		}
	}
	if (with_cycles && attached.over) {
		ring = ring_of(cpu - 1);
		if (ring)
			switch_steps(ring, now, leaving, coming);
	}
	if (coming->pid) {
		thread = watched(coming->pid, &key.thread);
		if (thread) {
			if (!thread->pending)
				thread->unseen += thread->asleep;
			else if (thread->asleep || !thread->out) {
				thread->policy = coming->policy;
				thread->priority = coming->rt_priority;
				woken = thread->waking;
				rtstone_add(&thread->latency, now > woken ? now - woken : 0, now);
				if (leaving->pid)
					held(thread, &key, leaving, work->since, now);
			} else
				thread->awake++;
			if (with_cycles && find(&of, ctx, coming, key.thread))
				cycle_runs(&of, woken, thread->waking, thread->latency.samples - 1, now);
			thread->pending = 0;
			thread->asleep = 0;
			thread->running = 1;
			if (thread->cpu && thread->cpu != cpu)
				thread->migrations++;
			thread->cpu = cpu;
		}
	}
	work->since = now;
	/* No interrupt spans a switch. Where the end of one was not seen, it ends here. */
	work->interrupt = work->softirq = 0;
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(attach_switch, bool preempt, struct task_struct *leaving, struct task_struct *coming)
{
	return switched(ctx, preempt, leaving, coming, false);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(cycle_switch, bool preempt, struct task_struct *leaving, struct task_struct *coming)
{
	return switched(ctx, preempt, leaving, coming, true);
}

/* Something else ends a sleep before its timer does. It matters if that was a signal: see rtstone_attach_sleep. */
SEC("tp_btf/hrtimer_cancel")
int BPF_PROG(cycle_cancel, struct hrtimer *timer)
{
	struct task_struct *const task = bpf_get_current_task_btf();
	struct of_thread of;
	__u32 slot = 0;

	if (!watched(task->pid, &slot) || BPF_CORE_READ((struct hrtimer_sleeper *)timer, task) != task)
		return 0;
	if (find(&of, ctx, task, slot))
		cycle_interrupted(&of, due_of(timer), bpf_ktime_get_ns());
	return 0;
}

/* A timer expires: of interest is that of a sleep that a signal has just ended. Attached once there has been such a signal. */
SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(cycle_expire, struct hrtimer *timer)
{
	const struct rtstone_attach_cycle *cycle;
	struct task_struct *task;
	struct of_thread of;
	__u32 slot = 0;

	task = BPF_CORE_READ((struct hrtimer_sleeper *)timer, task); /* of another timer it is anything */
	if (!watched(BPF_CORE_READ(task, pid), &slot))
		return 0;
	cycle = bpf_map_lookup_elem(&cycles, &slot);
	if (cycle && cycle->task == (__u64)task && find(&of, ctx, task, slot))
		cycle_expires(&of, due_of(timer), bpf_ktime_get_ns());
	return 0;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(trail_interrupt, int number, struct irqaction *action)
{
	interrupt_step(RTSTONE_SPLIT_INTERRUPT, number, action);
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(trail_after_interrupt, int number, struct irqaction *action)
{
	interrupt_step(RTSTONE_SPLIT_INTERRUPT_END, number, action);
	return 0;
}

#define STEP(program, point, kind)                                                                                     \
	SEC("tp_btf/" point)                                                                                           \
	int BPF_PROG(program)                                                                                          \
	{                                                                                                              \
		plain_step(kind, 0);                                                                                   \
		return 0;                                                                                              \
	}

STEP(trail_timer, "hrtimer_expire_entry", RTSTONE_SPLIT_TIMER)
STEP(trail_after_timer, "hrtimer_expire_exit", RTSTONE_SPLIT_TIMER_END)

SEC("tp_btf/softirq_entry")
int BPF_PROG(trail_softirq, unsigned int vector)
{
	plain_step(RTSTONE_SPLIT_SOFTIRQ, vector);
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(trail_after_softirq, unsigned int vector)
{
	plain_step(RTSTONE_SPLIT_SOFTIRQ_END, vector);
	return 0;
}

/* False: the task may no longer run on this CPU. */
static __always_inline bool may_run(const struct task_struct *task, __u32 cpu)
{
	const char *const cpus = BPF_CORE_READ(task, cpus_ptr);
	unsigned char bits = 0xff;

	bpf_probe_read_kernel(&bits, sizeof(bits), cpus + cpu / 8);
	return bits >> cpu % 8 & 1;
}

/* A watched thread is put into another CPU's queue. */
SEC("tp_btf/sched_migrate_task")
int BPF_PROG(trail_migration, struct task_struct *task, int cpu)
{
	struct rtstone_attach_own *own;
	struct rtstone_attach_step *step;
	__u32 slot = 0;

	if (!watched(task->pid, &slot))
		return 0;
	own = bpf_map_lookup_elem(&owns, &slot);
	if (!own)
		return 0;
	step = own_step(own, bpf_ktime_get_ns(), RTSTONE_ATTACH_MOVED, cpu);
	*(__u32 *)step->step.name = task->__state != RTSTONE_SPLIT_STATE_WAKING || !may_run(task, cpu_of(task));
	touch(own, cpu);
	if (own->queue)
		queue(own, slot, cpu + 1);
	return 0;
}

static __always_inline struct rtstone_attach_own *own_of_current(void)
{
	__u32 slot = 0;

	return watched(bpf_get_current_task_btf()->pid, &slot) ? bpf_map_lookup_elem(&owns, &slot) : NULL;
}

/*
 * A page fault begins (PERF_COUNT_SW_PAGE_FAULTS). Its tracepoints are not those of all architectures. One that leads to a signal or to an error of a
 * system call has no end.
 */
SEC("perf_event")
int trail_fault(void *ctx)
{
	struct rtstone_attach_own *const own = own_of_current();

	if (own) {
		own->fault_at = bpf_ktime_get_ns();
		own->fault_open = 0;
	}
	return 0;
}

/* It has been handled (PERF_COUNT_SW_PAGE_FAULTS_MIN, _MAJ). */
SEC("perf_event")
int trail_after_fault(void *ctx)
{
	struct rtstone_attach_own *const own = own_of_current();

	if (own && own->fault_at) {
		own->fault_ns += own->fault_open + bpf_ktime_get_ns() - own->fault_at;
		own->faults++;
		own->fault_at = own->fault_open = 0;
	}
	return 0;
}

#include "threads.h"
