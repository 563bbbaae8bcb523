/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The BPF programs that watch threads, which are part of the engine: in the kernel, and on their tracepoints.
 */
#ifndef RTSTONE_LINUX_BPF_ATTACH_PROGRAMS_H
#define RTSTONE_LINUX_BPF_ATTACH_PROGRAMS_H

#include <stdbool.h>

#include "../../probe/bpf/rtstone_attach.h"
#include "attach.h"
#include "calls.h"

/** The memory that the programs write. It stays until the process ends. */
struct rts_attach_counts {
    struct rtstone_attach_thread *threads; /**< by slot */
    struct rtstone_attach_cycle *cycles;   /**< by slot; NULL: none are kept */
    volatile struct rtstone_attach_shared *shared;
    int slots; /**< the map from a thread to its slot */
    int names; /**< the map of wakers and holders */
};

/**
 * Loads the programs. `cycles`: they count cycles too; `trails`: they record what the kernel did before a late sample. Returns an exit code;
 * a failure's reason is given to `say`.
 */
int rts_attach_load(bool cycles, bool trails, rts_attach_complain say, struct rts_attach_counts *counts);

/** Runs them from now on, those that are of use. Returns an exit code. */
int rts_attach_start(void);

/** Each CPU has reported its timers: the program that learns this would only cost from now on, and ends. */
void rts_attach_timers_known(void);

/** A signal has interrupted a sleep, so more may: only then is a program at each timer worth its cost. */
void rts_attach_to_timers(void);

/** Adds what the programs took. */
void rts_attach_add_cost(rts_bpf_cost *cost);

/** Runs them no more; does nothing if nothing is attached. */
void rts_attach_stop(void);

/** Gives them back to the kernel; does nothing if none are loaded. */
void rts_attach_unload(void);

#endif
