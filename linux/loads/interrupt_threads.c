/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The threads in which PREEMPT_RT serves interrupts of the load's devices: found by their names, raised, put back.
 */
#include "interrupt_threads.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../files.h"

/* Above the bottom half's thread and the task, below what stands in for a handler. */
#define ABOVE_TOP 3
#define THREADS 8u
#define COMM_BYTES 16u /* TASK_COMM_LEN */

/** An interrupt's thread, and its scheduling before it was raised. */
typedef struct raised {
    pid_t thread;
    int policy;
    struct sched_param param;
} raised;

static int priority(void)
{
    return (int)rts_port_priority_native(RTS_PRIORITY_TOP, RTS_SCHED_RT) + ABOVE_TOP;
}

static raised threads[THREADS];
static unsigned count;

/** True if `comm` is the thread of that device's interrupt: irq/<number>-<device>, cut to fifteen characters. */
static bool serves(const char *comm, const char *device)
{
    if (strncmp(comm, "irq/", 4) != 0) {
        return false;
    }
    const char *at = comm + 4;
    while (isdigit((unsigned char)*at) != 0) {
        at++;
    }
    if (*at != '-') {
        return false;
    }
    const size_t room = COMM_BYTES - 1u - (size_t)(at + 1 - comm);
    return strncmp(at + 1, device, room) == 0 && strlen(at + 1) == (strlen(device) < room ? strlen(device) : room);
}

static void raise_thread(pid_t thread)
{
    const struct sched_param above = {.sched_priority = priority()};
    raised *const one = &threads[count];
    one->thread = thread;
    one->policy = sched_getscheduler(thread);
    if (one->policy >= 0 && sched_getparam(thread, &one->param) == 0 &&
        sched_setscheduler(thread, SCHED_FIFO, &above) == 0) {
        count++;
    }
}

static void read_comm(const char *process, char *comm)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%.20s/comm", process);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? -1 : read(file, comm, COMM_BYTES);
    if (file >= 0) {
        (void)close(file);
    }
    comm[got > 0 ? got - 1 : 0] = '\0'; /* it ends with a newline */
}

static void raise_all(const link_names *names)
{
    const char *const slash = strrchr(names->line, '/');
    const char *const devices[] = {names->near_name, names->far_name, slash == NULL ? names->line : slash + 1};
    DIR *const processes = opendir("/proc");
    const struct dirent *entry;
    while (processes != NULL && (entry = readdir(processes)) != NULL) {
        char comm[COMM_BYTES];
        if (isdigit((unsigned char)entry->d_name[0]) == 0) {
            continue;
        }
        read_comm(entry->d_name, comm);
        for (size_t i = 0; i < sizeof devices / sizeof devices[0] && count < THREADS; i++) {
            if (serves(comm, devices[i])) {
                raise_thread((pid_t)strtol(entry->d_name, NULL, 10));
                break;
            }
        }
    }
    if (processes != NULL) {
        (void)closedir(processes);
    }
}

bool rts_interrupt_threads_there(void)
{
    int64_t realtime = 0;
    char words[4096];
    return (rts_linux_integer("/sys/kernel/realtime", &realtime) && realtime == 1) ||
           (rts_linux_line("/proc/cmdline", words, sizeof words) && strstr(words, "threadirqs") != NULL);
}

unsigned rts_interrupt_threads_raise(void)
{
    link_names names;
    count = 0;
    if (link_names_read(&names) || link_outside_read(&names)) {
        raise_all(&names);
    }
    return count;
}

void rts_interrupt_threads_restore(void)
{
    for (unsigned i = 0; i < count; i++) {
        (void)sched_setscheduler(threads[i].thread, threads[i].policy, &threads[i].param);
    }
}

void rts_interrupt_threads_achieved(rts_load_fact_fn fact, void *arg)
{
    fact(arg, "raised_interrupt_threads", count);
    fact(arg, "interrupt_thread_priority", (uint64_t)priority());
}
