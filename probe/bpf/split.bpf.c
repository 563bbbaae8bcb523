/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * Stamps the boundaries of one thread's wake-up by a timer: the timer's handler, the waking of the thread, the switch to it.
 *
 * The tracepoints are system-wide, so each program first checks whether the call concerns it; the cost of that is measured.
 * A timer is identified by the exact nanosecond for which user space armed it, a thread by its address. One thread is measured at a
 * time, and each of its boundaries happens before the next, so nothing here needs a lock.
 */
#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "held.h"
#include "rtstone_split.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RTSTONE_SPLIT_RING_BYTES);
} events SEC(".maps");

volatile struct rtstone_split_shared split;

/* A step of the trail; where none is kept, a look at one number. Interrupts may come between steps of a softirq: the count is atomic. */
static __always_inline struct rtstone_split_step *step(__u32 kind, __u32 what, struct task_struct *task)
{
	struct rtstone_split_step *now;

	if (!split.trailed || split.trailed != bpf_get_smp_processor_id() + 1)
		return NULL;
	now = (struct rtstone_split_step *)&split.trail[__sync_fetch_and_add(&split.steps, 1) % RTSTONE_SPLIT_TRAIL];
	now->at = bpf_ktime_get_ns();
	now->kind = kind;
	now->what = what;
	now->name[0] = 0;
	if (!task)
		task = bpf_get_current_task_btf();
	bpf_probe_read_kernel(now->task, sizeof(now->task), task->comm);
	now->pid = task->pid;
	now->prio = task->prio;
	return now;
}

static __always_inline void interrupt(__u32 kind, int number, struct irqaction *action)
{
	struct rtstone_split_step *now = step(kind, number, NULL);

	if (now)
		bpf_probe_read_kernel_str(now->name, sizeof(now->name), action->name);
}

/* Whether this is the handler that is stamped. Handlers of one interrupt never run at the same time. */
static __always_inline bool is_stamped(int number, struct irqaction *action)
{
	char name[RTSTONE_SPLIT_DRIVER] = "";

	if (!split.line || split.line != (__u32)number + 1)
		return false;
	bpf_probe_read_kernel_str(name, sizeof(name), action->name);
	for (int i = 0; i < RTSTONE_SPLIT_DRIVER; i++)
		if (name[i] != split.driver[i])
			return false;
	return true;
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(on_interrupt, int number, struct irqaction *action)
{
	if (is_stamped(number, action)) {
		split.entered[split.entries % RTSTONE_SPLIT_ENTRIES] = bpf_ktime_get_ns();
		__sync_fetch_and_add(&split.entries, 1);
	}
	interrupt(RTSTONE_SPLIT_INTERRUPT, number, action);
	return 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(off_interrupt, int number, struct irqaction *action, int answer)
{
	if (!answer && is_stamped(number, action)) /* IRQ_NONE: another device's */
		__sync_fetch_and_add(&split.entries, -1);
	interrupt(RTSTONE_SPLIT_INTERRUPT_END, number, action);
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(on_softirq, unsigned int vector)
{
	step(RTSTONE_SPLIT_SOFTIRQ, vector, NULL);
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(off_softirq, unsigned int vector)
{
	step(RTSTONE_SPLIT_SOFTIRQ_END, vector, NULL);
	return 0;
}

/* Only for a sample that is already late by half of the limit: few other samples have this in their time. */
static __always_inline void keep_stack(void *ctx, volatile struct rtstone_split_stack *stack, __u64 at)
{
	long bytes;

	if (!split.trailed || at < split.due + split.over / 2)
		return;
	bytes = bpf_get_stack(ctx, (void *)stack->frame, sizeof(stack->frame), 0);
	stack->depth = bytes > 0 ? bytes / sizeof(stack->frame[0]) : 0;
	stack->at = at;
	stack->due = split.due;
}

SEC("tp_btf/hrtimer_expire_entry")
int BPF_PROG(on_expiry, struct hrtimer *timer, ktime_t *now)
{
	step(RTSTONE_SPLIT_TIMER, 0, NULL);
	if ((__u64)timer->_softexpires != split.due)
		return 0;
	split.flight.handler = bpf_ktime_get_ns();
	keep_stack(ctx, &split.expired, split.flight.handler);
	split.flight.due = split.due;
	split.flight.waking = 0;
	split.flight.switched = 0;
	return 0;
}

SEC("tp_btf/hrtimer_expire_exit")
int BPF_PROG(off_expiry)
{
	step(RTSTONE_SPLIT_TIMER_END, 0, NULL);
	return 0;
}

/* Who keeps a thread that can run from the CPU, as the kernel itself has it. */
static __always_inline void held(struct task_struct *coming)
{
	const __u32 by = rtstone_held((const struct task_struct *)split.task, coming);

	if (by)
		step(RTSTONE_SPLIT_HELD, by, NULL);
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	if ((__u64)task != split.task)
		return 0;
	if (split.trailed) {
		split.runnable = 1;
		held(bpf_get_current_task_btf());
	}
	if (split.flight.due != split.due || split.flight.waking) {
		step(RTSTONE_SPLIT_WOKEN, 0, NULL);
		return 0;
	}
	split.flight.waking = bpf_ktime_get_ns();
	step(RTSTONE_SPLIT_WAKING, 0, NULL);
	return 0;
}

/* The thread is learnt when it gives up the CPU: only then is it sure who it is, whatever name space user space lives in. */
static __always_inline void learn(struct task_struct *leaving)
{
	struct bpf_pidns_info who = {};

	if (bpf_get_ns_current_pid_tgid(split.device, split.inode, &who, sizeof(who)) == 0 && who.pid == split.thread) {
		split.pid = leaving->pid;
		split.prio = leaving->prio;
		split.task = (__u64)leaving;
	}
}

static __always_inline void tell(void)
{
	struct rtstone_split_event *event;

	split.flight.sequence++;
	event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event) {
		split.lost++;
		return;
	}
	event->sequence = split.flight.sequence;
	event->due = split.flight.due;
	event->handler = split.flight.handler;
	event->waking = split.flight.waking;
	event->switched = split.flight.switched;
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP); /* the reader looks once it runs: this very switch lets it */
}

/* A switch of the trail's CPU: the time stolen before it, how the thread left, which task keeps it waiting. */
static __always_inline void change(bool preempt, struct task_struct *leaving, struct task_struct *coming)
{
	const __u64 stolen = rtstone_stolen(leaving), before = split.stolen;
	struct rtstone_split_step *left;
	__u32 state;

	if (stolen > before && before)
		step(RTSTONE_SPLIT_STOLEN, stolen - before > ~0u ? ~0u : stolen - before, NULL);
	split.stolen = stolen;
	if ((__u64)leaving == split.task) {
		state = preempt ? RTSTONE_SPLIT_STATE_RUNNABLE : leaving->__state;
		split.runnable = state == RTSTONE_SPLIT_STATE_RUNNABLE;
		left = step(RTSTONE_SPLIT_LEFT, state, NULL);
		if (left)
			__builtin_memcpy((void *)&split.left, left, sizeof(*left));
	}
	if ((__u64)coming == split.task)
		split.runnable = 0;
	else if (split.runnable)
		held(coming);
	step(RTSTONE_SPLIT_SWITCH, 0, coming);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *leaving, struct task_struct *coming)
{
	if (split.trailed && split.trailed == bpf_get_smp_processor_id() + 1)
		change(preempt, leaving, coming);
	if (!split.task && split.thread)
		learn(leaving);
	if ((__u64)coming != split.task || split.flight.due != split.due || !split.flight.waking ||
	    split.flight.switched)
		return 0;
	split.flight.switched = bpf_ktime_get_ns();
	keep_stack(ctx, &split.chosen, split.flight.switched);
	tell();
	return 0;
}
