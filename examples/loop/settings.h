/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The options of both programs.
 */
#ifndef RTSTONE_EXAMPLE_SETTINGS_H
#define RTSTONE_EXAMPLE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "wait.h"

enum { FAULTS_AT_MOST = 16, USAGE = 2, REFUSED = 3 };

typedef struct settings {
    const char *program;  /* "loop" or "executor" */
    uint64_t period_ns;   /* from one due time to the next */
    uint64_t deadline_ns; /* from due to end; longer is a miss */
    uint64_t cycles;      /* how many due times there are */
    uint64_t work_ns;     /* how long a cycle computes */
    int priority;         /* SCHED_FIFO, or 0 for SCHED_OTHER */
    int cpu;
    int threads;   /* of the executor's pool */
    bool catch_up; /* run every cycle, however late; else leave out those whose due time has passed */
    bool raw;      /* print every cycle */
    const wait_kind *wait;

    const fault *faults[FAULTS_AT_MOST];
    uint32_t fault_count;
    bool together; /* every planted cycle has all of the faults, else one of them, drawn */
    uint64_t seed;
    uint64_t every; /* cycles from one planted fault to the next, on average */
    uint64_t length_min_ns, length_max_ns;
} settings;

/** Reads the command line, or ends the program: code 0 after --help, USAGE after one line that names the error. */
settings settings_read(const char *program, int argc, char *const argv[]);

/** The priority of a thread that helps: just below the loop's, if there is one below. */
int settings_below(const settings *from);

/** Ends the program with REFUSED and one line: the system refuses `text`; after EPERM also the remedy. */
_Noreturn void settings_refused(const settings *from, const char *text, int error);

#endif
