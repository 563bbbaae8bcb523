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

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define ENDED 2

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

volatile struct rtstone_attach_shared attached;

static __always_inline struct at_work *here(void)
{
	const __u32 zero = 0;

	return bpf_map_lookup_elem(&cpus, &zero);
}

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

/* Tells where this CPU keeps its timers. User space detaches it once each CPU has told. */
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

extern void *bpf_rdonly_cast(const void *object, __u32 type) __ksym __weak;

/* A load where the kernel can check it (from 6.2), else a call. */
#define RUNNING(at)                                                                                                    \
	({                                                                                                             \
		void *running = NULL;                                                                                  \
		if (bpf_rdonly_cast)                                                                                   \
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
	if (bpf_rdonly_cast)
		bases = bpf_rdonly_cast(work->timers, bpf_core_type_id_kernel(struct hrtimer_cpu_base));
	if (RUNNING(0) || RUNNING(1) || RUNNING(2) || RUNNING(3))
		return true;
	/* These can be preempted: then something else runs. */
	return work->softirq && (RUNNING(4) || RUNNING(5) || RUNNING(6) || RUNNING(7));
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
	return thread && thread->tid == tid && thread->state != ENDED ? thread : NULL;
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

SEC("tp_btf/sched_waking")
int BPF_PROG(attach_waking, struct task_struct *task)
{
	struct rtstone_attach_key key = {};
	struct rtstone_attach_thread *thread;
	struct rtstone_attach_share *share;
	struct at_work *work;

	thread = watched(task->pid, &key.thread);
	if (!thread)
		return 0;
	thread->wakings++;
	if (thread->pending)
		thread->awake++; /* the one before led to no sleep's end */
	thread->waking = bpf_ktime_get_ns();
	thread->pending = 1;
	work = here();
	if (work && in_timer(work)) {
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

static __always_inline __u32 bucket(__u64 value)
{
	const __u64 floor = value | 1u << (RTSTONE_ATTACH_SUB_BITS - 1);
	__u32 length = 0;
	__u64 rest = floor;

	if (rest >> 32) {
		length += 32;
		rest >>= 32;
	}
	if (rest >> 16) {
		length += 16;
		rest >>= 16;
	}
	if (rest >> 8) {
		length += 8;
		rest >>= 8;
	}
	if (rest >> 4) {
		length += 4;
		rest >>= 4;
	}
	if (rest >> 2) {
		length += 2;
		rest >>= 2;
	}
	length += rest >> 1 ? 2 : 1;
	length -= RTSTONE_ATTACH_SUB_BITS;
	return (length << (RTSTONE_ATTACH_SUB_BITS - 1)) + (value >> length);
}

static __always_inline void add_square(struct rtstone_attach_thread *thread, __u64 value)
{
	const __u64 high = value >> 32, low = value & 0xffffffffu, mixed = 2 * high * low;
	const __u64 parts[] = {low * low, mixed << 32};

	thread->squares_high += high * high + (mixed >> 32);
	for (int i = 0; i < 2; i++) {
		thread->squares += parts[i];
		if (thread->squares < parts[i])
			thread->squares_high++;
	}
}

static __always_inline void sample(struct rtstone_attach_thread *thread, __u64 value, __u64 now)
{
	const __u32 at = bucket(value);

	if (value >> RTSTONE_ATTACH_MAX_BITS || at >= RTSTONE_ATTACH_BUCKETS)
		thread->overflow++;
	else
		thread->buckets[at]++;
	thread->sum += value;
	add_square(thread, value);
	if (!thread->samples || value < thread->least)
		thread->least = value;
	if (!thread->samples || value > thread->most) {
		thread->most = value;
		thread->most_at = now;
	}
	thread->samples++;
}

static __always_inline void held(struct rtstone_attach_thread *thread, struct rtstone_attach_key *key,
				 struct task_struct *before, __u64 from, __u64 now)
{
	const __u64 began = from > thread->waking ? from : thread->waking;
	const __u64 length = now > began ? now - began : 0;
	struct rtstone_attach_share *share;

	key->kind = RTSTONE_ATTACH_HOLDER;
	bpf_probe_read_kernel(key->comm, sizeof(key->comm), before->comm);
	share = share_of(thread, key);
	if (share) {
		share->count++;
		share->total += length;
		if (length > share->most)
			share->most = length;
	}
}

SEC("tp_btf/sched_switch")
int BPF_PROG(attach_switch, bool preempt, struct task_struct *leaving, struct task_struct *coming)
{
	struct rtstone_attach_key key = {};
	struct rtstone_attach_thread *thread;
	const __u64 now = coming->pid ? bpf_ktime_get_ns() : 0;
	const __u32 cpu = bpf_get_smp_processor_id() + 1;
	struct at_work *const work = here();
	__u32 slot = 0;

	if (!work)
		return 0;
	if (leaving->pid) {
		thread = watched(leaving->pid, &slot);
		if (thread)
			left(thread, leaving, preempt);
	}
	if (coming->pid) {
		thread = watched(coming->pid, &key.thread);
		if (thread) {
			if (!thread->pending)
				thread->unseen += thread->asleep;
			else if (thread->asleep || !thread->out) {
				thread->policy = coming->policy;
				thread->priority = coming->rt_priority;
				sample(thread, now > thread->waking ? now - thread->waking : 0, now);
				if (leaving->pid)
					held(thread, &key, leaving, work->since, now);
			} else
				thread->awake++;
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

static __always_inline void watch(struct task_struct *task)
{
	__u32 tid = task->pid, slot;
	struct rtstone_attach_thread *thread;

	if (bpf_map_lookup_elem(&slots, &tid))
		return;
	slot = __sync_fetch_and_add(&attached.used, 1);
	thread = slot < RTSTONE_ATTACH_THREADS ? bpf_map_lookup_elem(&threads, &slot) : NULL;
	if (!thread) {
		__sync_fetch_and_add(&attached.refused, 1);
		return;
	}
	thread->tid = tid;
	thread->tgid = task->tgid;
	thread->state = 1;
	bpf_probe_read_kernel(thread->comm, sizeof(thread->comm), task->comm);
	bpf_map_update_elem(&slots, &tid, &slot, BPF_NOEXIST);
	if (__sync_val_compare_and_swap(&attached.quick[tid % RTSTONE_ATTACH_QUICK], 0ull, (__u64)slot + 1))
		attached.quick[tid % RTSTONE_ATTACH_QUICK] = RTSTONE_ATTACH_SEVERAL;
}

static __always_inline bool is_wanted(const char *name)
{
	for (int i = 0; i < RTSTONE_ATTACH_COMM; i++) {
		if (name[i] != attached.comm[i])
			return false;
		if (!name[i])
			break;
	}
	return true;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(attach_fork, struct task_struct *parent, struct task_struct *child)
{
	char name[RTSTONE_ATTACH_COMM];
	__u32 tid = parent->pid;

	if (!bpf_map_lookup_elem(&slots, &tid) || (attached.children != 1 && parent->tgid != child->tgid))
		return 0;
	bpf_probe_read_kernel(name, sizeof(name), child->comm);
	if (!attached.comm[0] || is_wanted(name))
		watch(child);
	return 0;
}

SEC("tp_btf/task_rename")
int BPF_PROG(attach_rename, struct task_struct *task, const char *comm)
{
	struct rtstone_attach_thread *thread;
	char name[RTSTONE_ATTACH_COMM] = {};
	__u32 slot = 0;

	bpf_probe_read_kernel_str(name, sizeof(name), comm);
	thread = watched(task->pid, &slot);
	if (thread) {
		__builtin_memcpy(thread->comm, name, sizeof(name));
		return 0;
	}
	if (attached.renamed && is_wanted(name))
		watch(task);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(attach_exit, struct task_struct *task)
{
	struct rtstone_attach_thread *thread;
	__u32 tid = task->pid, slot = 0;

	thread = watched(tid, &slot);
	if (!thread)
		return 0;
	faults(thread, task);
	thread->state = ENDED;
	bpf_map_delete_elem(&slots, &tid); /* its number may be another's soon */
	return 0;
}
