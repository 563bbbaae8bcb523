/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * Which threads are watched besides those that user space names: new ones, and those that take a name. None is watched after its end. Included
 * where the maps are.
 */
#ifndef RTSTONE_BPF_THREADS_H
#define RTSTONE_BPF_THREADS_H

#include "kernel.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "rtstone_attach.h"
#include "trail.h"

/* The number of a thread that is watched from now on. False: there is no slot. */
static __always_inline bool claim(__u64 *number)
{
	__u64 next;

	for (int i = 0; i < 16; i++) {
		next = attached.used;
		if (next >= attached.granted)
			break;
		if (__sync_val_compare_and_swap(&attached.used, next, next + 1) == next) {
			*number = next;
			return true;
		}
	}
	__sync_fetch_and_add(&attached.refused, 1);
	return false;
}

static __always_inline void look_quickly(__u32 tid, __u32 slot)
{
	if (__sync_val_compare_and_swap(&attached.quick[tid % RTSTONE_ATTACH_QUICK], 0ull, (__u64)slot + 1))
		attached.quick[tid % RTSTONE_ATTACH_QUICK] = RTSTONE_ATTACH_SEVERAL;
}

static __always_inline void watch(struct task_struct *task)
{
	struct rtstone_attach_thread *thread;
	struct rtstone_attach_own *own;
	__u32 tid = task->pid, slot;
	__u64 number = 0;

	if (bpf_map_lookup_elem(&slots, &tid) || !claim(&number))
		return;
	slot = attached.order[number % RTSTONE_ATTACH_THREADS];
	thread = bpf_map_lookup_elem(&threads, &slot);
	if (!thread)
		return;
	own = attached.over ? bpf_map_lookup_elem(&owns, &slot) : NULL;
	if (own) { /* a thread that has ended may have had it */
		queue(own, slot, 0);
		own->count = own->fault_at = own->fault_open = own->fault_ns = own->faults = 0;
		touch_none(own);
		for (int i = 0; i < RTSTONE_ATTACH_OWN; i++)
			own->step[i].number = 0;
	}
	thread->tid = tid;
	thread->tgid = task->tgid;
	thread->number = number;
	bpf_probe_read_kernel(thread->comm, sizeof(thread->comm), task->comm);
	if (bpf_map_update_elem(&slots, &tid, &slot, BPF_NOEXIST)) { /* user space was faster: the slot is nobody's */
		thread->tid = 0;
		thread->state = RTSTONE_ATTACH_ENDED;
		return;
	}
	thread->state = 1;
	look_quickly(tid, slot);
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
	if (attached.renamed && is_wanted(name)) {
		watch(task); /* under the name that it still has */
		thread = watched(task->pid, &slot);
		if (thread)
			__builtin_memcpy(thread->comm, name, sizeof(name));
	}
	return 0;
}

/* A thread that is not the first of its process takes the number of the first one when it starts another program; that one has ended. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(attach_exec, struct task_struct *task, int before)
{
	__u32 old = before, tid = task->pid, slot = 0;
	struct rtstone_attach_thread *thread;

	if (old == tid)
		return 0;
	thread = watched(old, &slot);
	if (!thread)
		return 0;
	bpf_map_delete_elem(&slots, &old);
	thread->tid = tid;
	if (bpf_map_update_elem(&slots, &tid, &slot, BPF_NOEXIST))
		thread->state = RTSTONE_ATTACH_ENDED;
	else
		look_quickly(tid, slot);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(attach_exit, struct task_struct *task)
{
	struct rtstone_attach_thread *thread;
	struct rtstone_attach_own *own;
	__u32 tid = task->pid, slot = 0;

	thread = watched(tid, &slot);
	if (!thread)
		return 0;
	faults(thread, task);
	own = attached.over ? bpf_map_lookup_elem(&owns, &slot) : NULL;
	if (own)
		queue(own, slot, 0);
	thread->state = RTSTONE_ATTACH_ENDED;
	bpf_map_delete_elem(&slots, &tid); /* its number may be another's soon */
	return 0;
}

#endif
