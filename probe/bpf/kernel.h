/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * The little that the programs see of the kernel's types; the loader finds where each member lies in the running kernel (CO-RE), so
 * that no kernel's headers are needed to build them.
 */
#ifndef RTSTONE_BPF_KERNEL_H
#define RTSTONE_BPF_KERNEL_H

#include <linux/bpf.h>
#include <linux/types.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define RELOCATED __attribute__((preserve_access_index))

typedef __s64 ktime_t;

struct hrtimer_cpu_base;
struct hrtimer;

struct hrtimer_clock_base {
	struct hrtimer_cpu_base *cpu_base;
	struct hrtimer *running; /* while its function runs */
	ktime_t offset;		 /* of its clock, from CLOCK_MONOTONIC */
} RELOCATED;

struct hrtimer_cpu_base {
	struct hrtimer_clock_base clock_base[8]; /* the first four expire in the interrupt, the others in a soft one */
} RELOCATED;

struct hrtimer {
	ktime_t _softexpires; /* the earliest time: the requested one, without the slack of ordinary programs */
	struct hrtimer_clock_base *base;
} RELOCATED;

struct task_struct;

/* The timer of a sleep with an end. */
struct hrtimer_sleeper {
	struct hrtimer timer;
	struct task_struct *task; /* NULL once the timer has expired */
} RELOCATED;

/* A bit a signal. */
struct signals {
	unsigned long sig[1];
} RELOCATED;

struct sigpending {
	struct signals signal;
} RELOCATED;

struct signal_struct {
	struct sigpending shared_pending; /* of the process */
} RELOCATED;

/* These members depend on the kernel's configuration and version: bpf_core_field_exists comes before each. */
struct rt_rq {
	int rt_throttled;
} RELOCATED;

struct rq {
	struct rt_rq rt;
	unsigned long long prev_steal_time_rq; /* ns, brought up to date at each switch */
} RELOCATED;

struct cfs_rq {
	struct rq *rq;
	int throttle_count; /* of it and all above it */
} RELOCATED;

struct sched_entity {
	struct cfs_rq *cfs_rq;
} RELOCATED;

struct sched_rt_entity {
	struct sched_rt_entity *parent;
	struct rt_rq *rt_rq; /* of its group */
} RELOCATED;

struct sched_dl_entity {
	unsigned int dl_throttled : 1;
	unsigned int dl_yielded : 1;
	struct hrtimer dl_timer; /* of its next budget */
} RELOCATED;

struct thread_info {
	unsigned int cpu; /* on which the task runs, or in whose queue it waits; not on every architecture */
} RELOCATED;

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state; /* 0: it can run */
	struct sched_entity se;
	struct sched_rt_entity rt;
	struct sched_dl_entity dl;
	void *dl_server; /* which deadline server has chosen it */
	unsigned int rt_priority;
	unsigned int policy;
	int prio; /* in effect, inheritance included: below 0 of a deadline, 0 the highest real-time one, from 100 on none */
	int pid;
	int tgid;
	struct signal_struct *signal;
	struct sigpending pending;   /* of this thread alone */
	struct signals blocked;	     /* these interrupt no sleep */
	struct signals real_blocked; /* not 0 in sigtimedwait alone, which waits for signals */
	unsigned long jobctl;
	const void *cpus_ptr; /* the CPUs on which it may run: a bit each */
	unsigned long min_flt;
	unsigned long maj_flt;
	char comm[16];
} RELOCATED;

struct irqaction {
	const char *name;
} RELOCATED;

/* Kernels from 6.2 on have it. Plain loads read behind the pointer that it returns; without it, each such read is a call of the kernel. */
extern void *bpf_rdonly_cast(const void *object, __u32 type) __ksym __weak;

/* Whether it is there, by the kernel's own list of such functions. Debian 12's bpftool makes the address of a function 0 in a light skeleton. */
enum special_kfunc_type { KF_bpf_rdonly_cast };

#define CAN_CAST bpf_core_enum_value_exists(enum special_kfunc_type, KF_bpf_rdonly_cast)
#define AS_TASK(address)                                                                                               \
	((const struct task_struct *)bpf_rdonly_cast(address, bpf_core_type_id_kernel(struct task_struct)))

#endif
