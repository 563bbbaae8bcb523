/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * What the BPF programs of the kernel-side split and user space agree on. All times are nanoseconds of CLOCK_MONOTONIC.
 */
#ifndef RTSTONE_SPLIT_H
#define RTSTONE_SPLIT_H

/* The same names and sizes in both worlds, without a header of either. */
typedef unsigned int rtstone_split_u32;
typedef unsigned long long rtstone_split_u64;

#define RTSTONE_SPLIT_RING_BYTES 65536

/* One wake-up as the kernel saw it. A boundary that it did not see is 0. */
struct rtstone_split_event {
	rtstone_split_u64 sequence; /* from 1; a number that is left out is an event that was lost */
	rtstone_split_u64 due;	    /* what the timer was armed for */
	rtstone_split_u64 handler;  /* hrtimer_expire_entry: the timer's function is about to be called */
	rtstone_split_u64 waking;   /* sched_waking: the task is about to be made runnable */
	rtstone_split_u64 switched; /* sched_switch: the scheduler has chosen the task */
};

/* The event trail: the last steps of the measured CPU, so that a late sample can be explained. A power of two. */
#define RTSTONE_SPLIT_TRAIL 1024
enum {
	RTSTONE_SPLIT_SWITCH = 1,    /* to the task */
	RTSTONE_SPLIT_INTERRUPT,     /* what: its number; name: its device's, or driver's */
	RTSTONE_SPLIT_INTERRUPT_END, /* the same two */
	RTSTONE_SPLIT_SOFTIRQ,	     /* what: its vector */
	RTSTONE_SPLIT_SOFTIRQ_END,
	RTSTONE_SPLIT_TIMER, /* a timer of the kernel expires */
	RTSTONE_SPLIT_TIMER_END,
	RTSTONE_SPLIT_WAKING, /* of the measured thread, here, by its timer */
	RTSTONE_SPLIT_WOKEN,  /* of the measured thread, here, by anything else */
	RTSTONE_SPLIT_LEFT, /* the measured thread gives up the CPU; what: the bits of its state (RTSTONE_SPLIT_STATE) */
	RTSTONE_SPLIT_HELD,  /* that thread can run and may not; what: by whom, RTSTONE_SPLIT_BY */
	RTSTONE_SPLIT_STOLEN /* what: ns that a hypervisor took since the CPU's switch before */
};
/* A state of the kernel: struct task_struct. None of these bits, and not 0: it sleeps. */
#define RTSTONE_SPLIT_STATE_RUNNABLE 0u
#define RTSTONE_SPLIT_STATE_INTERRUPTIBLE 1u /* a signal ends the sleep */
#define RTSTONE_SPLIT_STATE_WAKING 0x200u    /* it is being woken, and a CPU is chosen for it */
#define RTSTONE_SPLIT_STATE_STOPPED 0x800cu  /* stopped by a signal, traced, frozen */
enum {
	RTSTONE_SPLIT_BY_REAL_TIME_BUDGET = 1, /* real-time tasks are throttled */
	RTSTONE_SPLIT_BY_QUOTA = 2,	       /* its control group's CPU time is used up */
	RTSTONE_SPLIT_BY_FAIR_SERVER = 4,      /* who comes is lent a deadline by the fair server */
	RTSTONE_SPLIT_BY_DEADLINE_BUDGET = 8   /* its own budget of SCHED_DEADLINE is used up */
};
struct rtstone_split_step {
	rtstone_split_u64 at;
	rtstone_split_u32 kind;
	rtstone_split_u32 what;
	char name[16];
	char task[16];	       /* that has the CPU from here on */
	rtstone_split_u32 pid; /* the task's, as the kernel numbers it */
	int prio;	       /* the task's, as the kernel counts it: struct task_struct */
};

/* What the kernel was at when a late sample's timer expired, or when the thread got the CPU at last: calls, the innermost first. */
#define RTSTONE_SPLIT_FRAMES 32
struct rtstone_split_stack {
	rtstone_split_u64 due; /* the sample's; another's stack is of no use */
	rtstone_split_u64 at;
	rtstone_split_u32 depth;
	rtstone_split_u64 frame[RTSTONE_SPLIT_FRAMES];
};

/* The handlers of one interrupt, whose device announces itself: when each was entered. A power of two. */
#define RTSTONE_SPLIT_ENTRIES 64
#define RTSTONE_SPLIT_DRIVER 32

/* Lies in memory that both sides see. User space writes the first part, the programs the second. */
struct rtstone_split_shared {
	rtstone_split_u64 due;	  /* of the wake-up that is looked for */
	rtstone_split_u64 device; /* of the PID name space of user space, and its number there */
	rtstone_split_u64 inode;
	rtstone_split_u32 thread;	   /* the measured thread, as it is numbered there */
	rtstone_split_u32 trailed;	   /* 1 + the CPU whose trail is kept; 0: none is */
	rtstone_split_u64 over;		   /* with a trail: a sample is late from here on, in ns */
	rtstone_split_u32 line;		   /* 1 + the number of the interrupt whose handler is stamped; 0: of none */
	char driver[RTSTONE_SPLIT_DRIVER]; /* the name of that handler: other devices may share the interrupt */

	rtstone_split_u64 task; /* the kernel's address of that thread, once it has been seen; user space sets 0 */
	rtstone_split_u32 pid;	/* the thread's, as in a step */
	int prio;
	rtstone_split_u64 stolen;	   /* from the trail's CPU, at its last switch */
	rtstone_split_u32 runnable;	   /* the thread can run and does not */
	struct rtstone_split_event flight; /* the wake-up that is under way, or the last */
	rtstone_split_u64 lost;		   /* events for which the ring had no room */
	rtstone_split_u64 steps;	   /* of the trail so far; step n is trail[n % RTSTONE_SPLIT_TRAIL] */
	struct rtstone_split_step trail[RTSTONE_SPLIT_TRAIL];
	rtstone_split_u64 entries; /* of that handler so far; entry n is entered[n % RTSTONE_SPLIT_ENTRIES] */
	rtstone_split_u64 entered[RTSTONE_SPLIT_ENTRIES];
	struct rtstone_split_step left;	    /* when the thread gave up the CPU last, however long ago */
	struct rtstone_split_stack expired; /* at the expiry of a late timer: contains the interrupted code */
	struct rtstone_split_stack chosen;  /* at the switch to the late thread: the code of the task before it */
};

#endif
