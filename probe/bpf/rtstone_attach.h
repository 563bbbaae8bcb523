/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * What the BPF programs that watch a user's own threads and user space agree on. All times are nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef RTSTONE_ATTACH_H
#define RTSTONE_ATTACH_H

typedef unsigned int rtstone_attach_u32;
typedef unsigned long long rtstone_attach_u64;

#define RTSTONE_ATTACH_THREADS 256
#define RTSTONE_ATTACH_NAMES 8192
#define RTSTONE_ATTACH_COMM 16

/*
 * Which slot a thread has, by the last bits of its number: 1 + the slot; 0: no thread with these bits is watched; RTSTONE_ATTACH_SEVERAL:
 * several are, the table tells. Most threads of a machine are passed over by this one look.
 */
#define RTSTONE_ATTACH_QUICK 4096
#define RTSTONE_ATTACH_SEVERAL (~0ull)

/* The histogram's geometry, by spec/record-stream.md. */
#define RTSTONE_ATTACH_SUB_BITS 8
#define RTSTONE_ATTACH_MAX_BITS 36
#define RTSTONE_ATTACH_BUCKETS                                                                                         \
	(((RTSTONE_ATTACH_MAX_BITS - RTSTONE_ATTACH_SUB_BITS) + 2) << (RTSTONE_ATTACH_SUB_BITS - 1))

/*
 * One thread. Each waking becomes one sample, or one of `awake` or `untold`, or is still to come (`pending`):
 * wakings = samples + awake + untold + pending. Each sleep that was seen to begin becomes one sample, or one of `untold` or `unseen`.
 */
struct rtstone_attach_thread {
	rtstone_attach_u32 tid;
	rtstone_attach_u32 tgid;
	rtstone_attach_u32 state;   /* of user space or the programs: 1 used, 2 it has ended */
	rtstone_attach_u32 pending; /* it was woken and has not run since */
	rtstone_attach_u32 asleep;
	rtstone_attach_u32 running;
	rtstone_attach_u32 unused;
	rtstone_attach_u32 policy; /* of sched(7) */
	rtstone_attach_u32 priority;
	rtstone_attach_u32 cpu; /* 1 + the one on which it ran last; 0: not known */
	rtstone_attach_u64 waking;
	rtstone_attach_u64 out; /* 1: it was seen to give up the CPU */
	rtstone_attach_u64 wakings;
	rtstone_attach_u64 samples;
	rtstone_attach_u64 awake;     /* wakings while it had not given up the CPU */
	rtstone_attach_u64 unseen;    /* wakings of a sleeper that were not seen, whether its return was or not */
	rtstone_attach_u64 untold;    /* wakings of a sleeper whose return was not seen */
	rtstone_attach_u64 preempted; /* times that it lost the CPU without wanting to */
	rtstone_attach_u64 by_timer;  /* wakings by a timer of the kernel */
	rtstone_attach_u64 migrations;
	rtstone_attach_u64 unnamed; /* wakers and holders for which there was no room */
	rtstone_attach_u64 sum;
	rtstone_attach_u64 squares; /* low half of the sum of squares */
	rtstone_attach_u64 squares_high;
	rtstone_attach_u64 least;
	rtstone_attach_u64 most;
	rtstone_attach_u64 most_at; /* when that sample ended */
	rtstone_attach_u64 overflow;
	rtstone_attach_u64 faults[2]; /* page faults at the first and the last look: minor */
	rtstone_attach_u64 major[2];  /* and those that read a disk */
	char comm[RTSTONE_ATTACH_COMM];
	rtstone_attach_u32 buckets[RTSTONE_ATTACH_BUCKETS];
};

enum {
	RTSTONE_ATTACH_WAKER = 1, /* a task woke the thread */
	RTSTONE_ATTACH_INTERRUPT, /* an interrupt's handler did */
	RTSTONE_ATTACH_SOFTIRQ,	  /* a soft interrupt did */
	RTSTONE_ATTACH_HOLDER	  /* the task that had the CPU last before the thread */
};

struct rtstone_attach_key {
	rtstone_attach_u32 thread;
	rtstone_attach_u32 kind;
	rtstone_attach_u32 number; /* of the interrupt, or of the soft interrupt's vector */
	rtstone_attach_u32 unused;
	char comm[RTSTONE_ATTACH_COMM];
};

struct rtstone_attach_share {
	rtstone_attach_u64 count;
	rtstone_attach_u64 total; /* a holder's: ns that it had the CPU while the thread waited */
	rtstone_attach_u64 most;
};

struct rtstone_attach_shared {
	rtstone_attach_u32 children; /* 1: processes that a watched thread starts are watched too; threads are anyway */
	rtstone_attach_u32 renamed;  /* 1: so is every thread that takes the name below */
	char comm[RTSTONE_ATTACH_COMM]; /* only threads of this name; empty: of any */
	rtstone_attach_u64 used;	/* slots given away so far */
	rtstone_attach_u64 refused;	/* threads for which there was no slot */
	rtstone_attach_u64 known;	/* CPUs whose timers are known */
	rtstone_attach_u64 quick[RTSTONE_ATTACH_QUICK];
};

#endif
