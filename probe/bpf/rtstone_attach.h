/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * What the BPF programs that watch a user's own threads and user space agree on. All times are nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef RTSTONE_ATTACH_H
#define RTSTONE_ATTACH_H

#include "rtstone_split.h"

typedef unsigned int rtstone_attach_u32;
typedef unsigned long long rtstone_attach_u64;

#define RTSTONE_ATTACH_THREADS 256 /* at a time. A power of two */
#define RTSTONE_ATTACH_NAMES 8192
#define RTSTONE_ATTACH_COMM 16

/*
 * The slot of a thread, by the last bits of its number: 1 + the slot; 0: no thread with these bits is watched; RTSTONE_ATTACH_SEVERAL:
 * several are, and the table decides. This one look-up dismisses most threads of a machine.
 */
#define RTSTONE_ATTACH_QUICK 4096
#define RTSTONE_ATTACH_SEVERAL (~0ull)

/* The histogram's geometry, by spec/record-stream.md. */
#define RTSTONE_ATTACH_SUB_BITS 8
#define RTSTONE_ATTACH_MAX_BITS 36
#define RTSTONE_ATTACH_BUCKETS                                                                                         \
	(((RTSTONE_ATTACH_MAX_BITS - RTSTONE_ATTACH_SUB_BITS) + 2) << (RTSTONE_ATTACH_SUB_BITS - 1))
/* Room for them: a power of two, so that the kernel's verifier sees by a mask alone that an index lies in it (6.1 needs that). */
#define RTSTONE_ATTACH_ROOM 4096

/* Times of one kind, in ns. */
struct rtstone_attach_series {
	rtstone_attach_u64 samples;
	rtstone_attach_u64 sum;
	rtstone_attach_u64 squares; /* low half of the sum of squares */
	rtstone_attach_u64 squares_high;
	rtstone_attach_u64 least;
	rtstone_attach_u64 most;
	rtstone_attach_u64 most_at; /* when that sample ended */
	rtstone_attach_u64 overflow;
	rtstone_attach_u32 buckets[RTSTONE_ATTACH_ROOM];
};

#define RTSTONE_ATTACH_ENDED 2 /* a slot's state: its thread has ended */

/*
 * One thread. Each waking becomes one sample, or one of `awake` or `untold`, or is still to come (`pending`):
 * wakings = samples + awake + untold + pending. Each sleep that was seen to begin becomes one sample, or one of `untold` or `unseen`.
 */
struct rtstone_attach_thread {
	rtstone_attach_u32 tid;
	rtstone_attach_u32 tgid;
	rtstone_attach_u32 state;   /* of user space or the programs: 0 free, 1 used, RTSTONE_ATTACH_ENDED */
	rtstone_attach_u32 pending; /* it was woken and has not run since */
	rtstone_attach_u32 asleep;
	rtstone_attach_u32 running;
	rtstone_attach_u32 number; /* of all threads that were watched so far, from 0 */
	rtstone_attach_u32 policy; /* of sched(7) */
	rtstone_attach_u32 priority;
	rtstone_attach_u32 cpu; /* 1 + the one on which it ran last; 0: not known */
	rtstone_attach_u64 waking;
	rtstone_attach_u64 out; /* 1: it was seen to give up the CPU */
	rtstone_attach_u64 wakings;
	rtstone_attach_u64 awake;     /* wakings while it had not given up the CPU */
	rtstone_attach_u64 unseen;    /* wakings of a sleeper that were not seen, whether its return was or not */
	rtstone_attach_u64 untold;    /* wakings of a sleeper whose return was not seen */
	rtstone_attach_u64 preempted; /* times that it lost the CPU without wanting to */
	rtstone_attach_u64 by_timer;  /* wakings by a timer of the kernel */
	rtstone_attach_u64 migrations;
	rtstone_attach_u64 unnamed;   /* wakers and holders for which there was no room */
	rtstone_attach_u64 faults[2]; /* page faults at the first and the last look: minor */
	rtstone_attach_u64 major[2];  /* and those that read a disk */
	char comm[RTSTONE_ATTACH_COMM];
	struct rtstone_attach_series latency; /* waking to switch */
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

/*
 * The cycles of a thread that timers wake, kept only when user space asks for them. A cycle begins at the time for which the timer was set
 * (due), and ends when the thread goes to the last sleep before a timer wakes it again. A sleep that anything else ends is a part of the
 * cycle: `blocked`. A thread of SCHED_DEADLINE that yields waits for its next budget, without a waking: the cycle is due when the budget is. due to end = due to waking + waking to the first switch + the four parts.
 */
enum {
	RTSTONE_ATTACH_RUNNING,
	RTSTONE_ATTACH_PREEMPTED, /* it could run and did not, after it had run */
	RTSTONE_ATTACH_BLOCKED,	  /* it slept, and no timer woke it */
	RTSTONE_ATTACH_STOPPED,	  /* by a signal, a debugger or the freezer */
	RTSTONE_ATTACH_PARTS
};
enum {
	RTSTONE_ATTACH_START = RTSTONE_ATTACH_PARTS, /* due to the first switch */
	RTSTONE_ATTACH_EXPIRY,			     /* due to the waking */
	RTSTONE_ATTACH_RESPONSE,		     /* due to the end */
	RTSTONE_ATTACH_FAULTED, /* in its page faults: a share of the parts. Only where they are seen */
	RTSTONE_ATTACH_SERIES
};
#define RTSTONE_ATTACH_DEADLINE 6 /* the policy SCHED_DEADLINE of sched(7) */
/* Why a trail was kept. */
enum {
	RTSTONE_ATTACH_LATE_START,  /* the thread ran late after its due time */
	RTSTONE_ATTACH_LATE_WAKING, /* no timer woke it, and it ran late after the waking */
	RTSTONE_ATTACH_MISS,	    /* its cycle ended after the deadline */
	RTSTONE_ATTACH_LATES
};

/* A thread that slept so often, and no timer woke it, is not in a cycle any more. */
#define RTSTONE_ATTACH_SLEEPS 32

/*
 * A sleep that a signal interrupts, and that goes on, is one sleep: the cycle ends when it first began. It goes on if the next sleep lasts until the
 * same time, as after a stop, or for no more than the rest, as a program does it that got EINTR. Times that differ by no more than this (the slack
 * of an ordinary program's timers) are the same: a program that computes the rest itself misses the time by a little.
 */
#define RTSTONE_ATTACH_SAME_NS 50000
/* The cycle as it was when a sleep began. */
struct rtstone_attach_sleep {
	rtstone_attach_u64 began; /* 0: no such sleep */
	rtstone_attach_u64 part[RTSTONE_ATTACH_PARTS];
	rtstone_attach_u64 faulted;
};

/* cycles = samples of RESPONSE + broken + endless + (1 while one is under way). */
struct rtstone_attach_cycle {
	rtstone_attach_u64 due; /* of the timer that has woken the thread, which has not run since; 0: no timer has */
	rtstone_attach_u64
		budget; /* a thread of SCHED_DEADLINE waits for its next budget, which is due then; 0: it does not */
	rtstone_attach_u64 begun;  /* due time of the cycle under way; 0: none is */
	rtstone_attach_u64 mark;   /* when its phase began */
	rtstone_attach_u64 waited; /* its due time to the first switch */
	rtstone_attach_u64 part[RTSTONE_ATTACH_PARTS];
	rtstone_attach_u32 phase;   /* a part */
	rtstone_attach_u32 sleeps;  /* in the cycle so far */
	rtstone_attach_u64 told;    /* it is a miss so far, and its trail was kept */
	rtstone_attach_u64 faulted; /* in page faults so far */
	struct rtstone_attach_sleep
		interrupted;		  /* the sleep before, if a signal ended it; its timer is not known yet */
	struct rtstone_attach_sleep rest; /* the first of the interrupted sleeps that went on so far */
	rtstone_attach_u64 task;	  /* the kernel's address of the thread, once `interrupted` was set */
	rtstone_attach_u64 rest_due;	  /* of the last of them: until when it was to last */
	rtstone_attach_u64 rest_ns;	  /* and how long, from its interruption on */
	rtstone_attach_u64 cycles;
	rtstone_attach_u64 broken;  /* of which the programs did not see all */
	rtstone_attach_u64 endless; /* with more than RTSTONE_ATTACH_SLEEPS */
	rtstone_attach_u64 waits;   /* sum of `waited` of the complete ones */
	rtstone_attach_u64
		undated; /* wakings by a timer that began no cycle: due later than it woke (a clock was set), or unseen in part */
	rtstone_attach_u64 misses;
	rtstone_attach_u64 late[RTSTONE_ATTACH_LATES];
	rtstone_attach_u64 lost[RTSTONE_ATTACH_LATES]; /* of these the ones whose trail found no room */
	struct rtstone_attach_series of[RTSTONE_ATTACH_SERIES];
};

/* A step as in rtstone_split.h, with its CPU and its number there: a step that is not written yet, or over, has another number. */
struct rtstone_attach_step {
	struct rtstone_split_step step;
	rtstone_attach_u32 number; /* from 1 */
	rtstone_attach_u32 cpu;
};

/* The last steps of a CPU. They are copied in segments. Powers of two. */
#define RTSTONE_ATTACH_STEPS 1024
#define RTSTONE_ATTACH_SEGMENT 64
#define RTSTONE_ATTACH_SEGMENTS 8 /* so many are copied at most */
#define RTSTONE_ATTACH_WAITING 4
struct rtstone_attach_ring {
	rtstone_attach_u64 count;
	rtstone_attach_u64 stolen; /* up to its last switch */
	rtstone_attach_u64 waiting
		[RTSTONE_ATTACH_WAITING]; /* 1 + the slots of threads that wait in its queue; others have no HELD */
	struct rtstone_attach_step step[RTSTONE_ATTACH_STEPS];
};

/*
 * What befell a watched thread itself. The `what` of WAKING, WOKEN and MOVED: the CPU in whose queue it is from then on. That of FAULTS: ns in
 * page faults since the thread last came to run, without those in which it slept. The first four bytes of the `name` are a detail of these:
 * WOKEN: 0 where a task woke it, else one of RTSTONE_ATTACH_BY; LEFT: 1 where it gave up the CPU in a page fault; MOVED: 1 where it was moved
 * while it could run, or because it might no longer run where it was, 0 where it was woken and put there; FAULTS: the page faults that ended.
 */
#define RTSTONE_ATTACH_BY_INTERRUPT 0x10000u /* and its number */
#define RTSTONE_ATTACH_BY_SOFTIRQ 0x20000u   /* and its vector */
#define RTSTONE_ATTACH_MOVED 32
#define RTSTONE_ATTACH_FAULTS 33
#define RTSTONE_ATTACH_OWN 32
#define RTSTONE_ATTACH_TOUCHED 4
struct rtstone_attach_own {
	rtstone_attach_u64 task;  /* the kernel's address of it */
	rtstone_attach_u64 count; /* of its steps so far */
	rtstone_attach_u32 queue; /* 1 + the CPU in whose queue it waits; 0: it does not */
	rtstone_attach_u32 slot;
	/* CPUs whose steps count: the one that woke it, then those in whose queues it was. `end`: of their steps; 0: all so far. */
	struct {
		rtstone_attach_u64 end;
		rtstone_attach_u32 cpu;
		rtstone_attach_u32 used;
	} touched[RTSTONE_ATTACH_TOUCHED];
	rtstone_attach_u64 fault_at;   /* when the page fault under way began or went on; 0: none is under way */
	rtstone_attach_u64 fault_open; /* ns of it so far, before it lost the CPU */
	rtstone_attach_u64 fault_ns;   /* in page faults since it last came to run, or since the last step FAULTS */
	rtstone_attach_u64 faults;     /* so many ended since then */
	struct rtstone_split_stack expired; /* what the waking's timer interrupted, if it came late */
	struct rtstone_attach_step step[RTSTONE_ATTACH_OWN];
};

/* The last record of a trail. Before it come the segments of the CPUs, and the thread's struct rtstone_attach_own. */
struct rtstone_attach_late {
	rtstone_attach_u32 slot;
	rtstone_attach_u32 kind;
	rtstone_attach_u64 index; /* of the cycle or the waking, from 0 */
	rtstone_attach_u64 due;	  /* of LATE_WAKING: the waking */
	rtstone_attach_u64 until;
	rtstone_attach_u32 lost; /* 1: a segment found no room */
	rtstone_attach_u32 pid;
	int prio;
	rtstone_attach_u32 number; /* the thread's: user space adds it */
	char comm[RTSTONE_ATTACH_COMM];
	struct rtstone_split_stack
		chosen; /* what the CPU was at when the thread got it; LATE_START and LATE_WAKING alone */
};

/* A cycle whose MISS was reported, and whose end was then not seen: it is not a sample. */
struct rtstone_attach_unseen {
	rtstone_attach_u64 index;
	rtstone_attach_u32 slot;
	rtstone_attach_u32 unused;
};

/* Bytes of the ring of trails: a power of two. */
#define RTSTONE_ATTACH_TRAILS_BYTES (8u << 20)

struct rtstone_attach_shared {
	rtstone_attach_u64 over;     /* from how many ns on a start is late, and its trail is kept; 0: none is */
	rtstone_attach_u64 deadline; /* from how many ns on a response is a miss; 0: none is */
	rtstone_attach_u32 children; /* 1: processes that a watched thread starts are watched too; threads are anyway */
	rtstone_attach_u32 renamed;  /* 1: so is every thread that takes the name below */
	char comm[RTSTONE_ATTACH_COMM]; /* only threads of this name; empty: of any */
	rtstone_attach_u64 used;	/* threads so far: the number of the next one */
	rtstone_attach_u64
		granted; /* threads so far that may have a slot: user space frees the slots of ended threads */
	rtstone_attach_u64 refused; /* threads for which there was no slot */
	rtstone_attach_u64 known;   /* CPUs whose timers are known */
	rtstone_attach_u64 signals; /* 1: a signal has interrupted a sleep */
	rtstone_attach_u64 faults;  /* 1: the page faults of the threads are seen */
	rtstone_attach_u64 quick[RTSTONE_ATTACH_QUICK];
	rtstone_attach_u32 order[RTSTONE_ATTACH_THREADS]; /* the slot of the thread with this number, modulo the room */
};

#endif
