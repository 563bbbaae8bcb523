/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs of two threads: one runs on the measured CPU, the other, on another CPU, interrupts it over and over by membarrier(2).
 */
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../files.h"
#include "programs.h"

#define STEP_NS 1000000u

enum { BARRIERS };

static int32_t measured;
static int32_t other;
static uint64_t counted; /* of the measured CPU, before */
static uint64_t interrupts;

static long barrier(int command)
{
    return syscall(SYS_membarrier, command, 0u, 0);
}

/** The kernel's count of interrupts by other CPUs on one CPU: RES, CAL and TLB of x86, IPI0 … of arm64. */
static uint64_t count_interrupts(int32_t cpu)
{
    FILE *const file = fopen("/proc/interrupts", "re");
    char line[4096];
    uint64_t sum = 0;
    int column = -1;
    char name[16];
    (void)snprintf(name, sizeof name, "CPU%d", (int)cpu);
    if (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *rest = NULL;
        int at = 0;
        for (char *word = strtok_r(line, " \n", &rest); word != NULL; word = strtok_r(NULL, " \n", &rest), at++) {
            column = strcmp(word, name) == 0 ? at : column;
        }
    }
    while (file != NULL && column >= 0 && fgets(line, sizeof line, file) != NULL) {
        char *rest = NULL;
        char *word = strtok_r(line, " \n", &rest);
        if (word == NULL || (strcmp(word, "RES:") != 0 && strcmp(word, "CAL:") != 0 && strcmp(word, "TLB:") != 0 &&
                             strncmp(word, "IPI", 3) != 0)) {
            continue;
        }
        for (int i = 0; i <= column && word != NULL; i++) {
            word = strtok_r(NULL, " \n", &rest);
        }
        sum += word == NULL ? 0u : strtoull(word, NULL, 10);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return sum;
}

static void *send_main(void *arg)
{
    rts_program *const own = arg;
    cpu_set_t where;
    CPU_ZERO(&where);
    CPU_SET((size_t)other, &where);
    if (sched_setaffinity(0, sizeof where, &where) != 0) {
        own->failures++;
        return NULL;
    }
    while (!atomic_load_explicit(own->stop, memory_order_relaxed)) {
        if (barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) {
            own->counts[BARRIERS]++;
        } else {
            own->failures++;
        }
    }
    return NULL;
}

/** Is where the interrupts go: the kernel sends them only to CPUs on which the process runs. */
static void step(rts_program *own)
{
    static pthread_t sender;
    static bool sends;
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = STEP_NS};
    if (!sends) {
        sends = barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 &&
                pthread_create(&sender, NULL, send_main, own) == 0;
        if (!sends) {
            own->failures++;
            (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
            return;
        }
    }
    const rts_ticks begin = rts_clock_read();
    while (rts_load_ns(rts_clock_read() - begin) < STEP_NS) {
    }
    if (atomic_load(own->stop)) {
        (void)pthread_join(sender, NULL);
    }
}

static bool find_other(int32_t cpu)
{
    for (int32_t at = 0; at < CPU_SETSIZE; at++) {
        int32_t there = 0;
        if (at != cpu && rts_port_cpu_resolve(at, &there) == RTS_OK) {
            other = there;
            return true;
        }
    }
    return false;
}

static rts_status start(void *state, const rts_load_spec *spec)
{
    const long commands = barrier(MEMBARRIER_CMD_QUERY);
    rts_programs *const own = state;
    measured = spec->cpu;
    if (spec->intensity > RTS_PROGRAMS) {
        return RTS_INVALID;
    }
    if (!find_other(spec->cpu)) {
        (void)snprintf(own->why, sizeof own->why,
                       "there is no other CPU that could interrupt the measured one: it takes two");
        return RTS_UNSUPPORTED;
    }
    if (commands < 0 || (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) {
        (void)snprintf(own->why, sizeof own->why, "this kernel has no expedited membarrier(2)");
        return RTS_UNSUPPORTED;
    }
    counted = count_interrupts(measured);
    return rts_programs_start(state, spec, step);
}

static void stop(void *state)
{
    interrupts = count_interrupts(measured) - counted;
    rts_programs_stop(state);
}

static void achieved(void *state, rts_load_fact_fn fact, void *arg)
{
    static const char *const names[RTS_PROGRAM_COUNTS] = {"barriers"};
    rts_programs_achieved(state, names, fact, arg);
    fact(arg, "barriers_per_s", rts_programs_per_s(state, rts_programs_sum(state, BARRIERS)));
    fact(arg, "ipi_interrupts", interrupts);
    fact(arg, "ipi_interrupts_per_s", rts_programs_per_s(state, interrupts));
}

const rts_load rts_load_ipi_storm = {
    .name = "ipi-storm",
    .summary = "Linux only: programs whose other thread interrupts the measured CPU from another one",
    .unit = "programs",
    .services = 1u << RTS_SERVICE_PROGRAMS,
    .state_bytes = sizeof(rts_programs),
    .needs = "it takes two CPUs and an expedited membarrier(2)",
    .start = start,
    .stop = stop,
    .achieved = achieved,
    .why = rts_programs_why,
    .faults = rts_programs_failures,
};
