/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A command of the user's, on the measured CPU at ordinary priority, for as long as is measured. A keeper takes it down with all that it started, also
 * when the engine is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "children.h"
#include "programs.h"

#define COPIES 16u
#define LOOK_NS 5000000L      /* the keeper looks so often */
#define SETTLE_LOOKS 20u      /* one that ends within these could not be started */
#define POLITE_LOOKS 100u     /* between SIGTERM and SIGKILL */
#define TO_THE_END_LOOKS 400u /* what SIGKILL does not end is the kernel's */

typedef struct command {
    struct rts_thread keeper;
    _Atomic bool stop;
    _Atomic bool settled; /**< all copies run, or one has ended */
    _Atomic uint32_t exits;
    uint32_t copies;
    int how; /**< wait status of the last that ended before its time */
    pid_t engine;
    uint64_t cpu_ns;
    rts_ticks began;
    rts_ticks ended;
} command;

_Static_assert(sizeof(command) <= RTS_LOAD_STATE_BYTES, "the state of the load does not fit");

static char why[RTS_LOAD_WHY_BYTES];
static char what[RTS_LOAD_WHY_BYTES];

static void look_later(void)
{
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = LOOK_NS};
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
}

/* ---- the keeper ------------------------------------------------------------------------------------------------ */

static _Noreturn void become(const char *text)
{
    sigset_t none;
    const int nowhere = open("/dev/null", O_RDWR); /* standard output is the record stream */
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    for (int number = 1; number < NSIG; number++) {
        (void)signal(number, SIG_DFL);
    }
    if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || nowhere < 0 || dup2(nowhere, 0) < 0 ||
        dup2(nowhere, 1) < 0 || dup2(nowhere, 2) < 0) {
        _exit(126);
    }
    (void)execl("/bin/sh", "sh", "-c", text, (char *)NULL);
    _exit(127);
}

/** Reaps whatever has ended; notes copies that have. False: nothing is left. */
static bool reap(command *own, const pid_t *copy, bool in_time)
{
    int how = 0;
    pid_t ended;
    while ((ended = waitpid(-1, &how, WNOHANG)) > 0) {
        for (uint32_t i = 0; i < own->copies && in_time; i++) {
            if (copy[i] == ended) {
                own->how = how;
                atomic_fetch_add(&own->exits, 1u);
            }
        }
    }
    return ended == 0 || errno != ECHILD;
}

static void end_all(command *own, const pid_t *copy)
{
    for (uint32_t i = 0; i < own->copies; i++) {
        (void)kill(-copy[i], SIGTERM);
    }
    for (uint32_t looks = 0; looks < TO_THE_END_LOOKS && reap(own, copy, false); looks++) {
        if (looks >= POLITE_LOOKS || getppid() != own->engine) {
            rts_children_kill();
        }
        look_later();
    }
}

static void keep(void *arg)
{
    command *const own = arg;
    pid_t copy[COPIES] = {0};
    struct rusage used;
    const char *const text = getenv("RTSTONE_LOAD_COMMAND");
    /* It outlives a killed engine for as long as it takes to end the command. */
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || prctl(PR_SET_PDEATHSIG, 0) != 0) {
        atomic_fetch_add(&own->exits, 1u);
    }
    for (uint32_t i = 0; i < own->copies; i++) {
        copy[i] = fork();
        if (copy[i] == 0) {
            become(text);
        }
        if (copy[i] < 0) {
            own->copies = i;
            atomic_fetch_add(&own->exits, 1u);
        }
    }
    for (uint32_t looks = 0; !atomic_load(&own->stop) && getppid() == own->engine; looks++) {
        (void)reap(own, copy, true);
        if (looks >= SETTLE_LOOKS || atomic_load(&own->exits) > 0u) {
            atomic_store(&own->settled, true);
        }
        look_later();
    }
    (void)reap(own, copy, true); /* what had ended by then ended too early */
    end_all(own, copy);
    if (getrusage(RUSAGE_CHILDREN, &used) == 0) {
        own->cpu_ns = ((uint64_t)used.ru_utime.tv_sec + (uint64_t)used.ru_stime.tv_sec) * 1000000000u +
                      ((uint64_t)used.ru_utime.tv_usec + (uint64_t)used.ru_stime.tv_usec) * 1000u;
    }
}

/* ---- the engine's side ----------------------------------------------------------------------------------------- */

static void stop(void *state)
{
    command *const own = state;
    own->ended = rts_clock_read();
    atomic_store(&own->stop, true);
    if (own->copies > 0 && rts_port_thread_join(&own->keeper) != RTS_OK) {
        rts_port_fatal("the load's command cannot be ended");
    }
}

static rts_status start(void *state, const rts_load_spec *spec)
{
    command *const own = state;
    const char *const text = getenv("RTSTONE_LOAD_COMMAND");
    const rts_thread_attr attr = {
        .name = "load",
        .priority = RTS_PRIORITY_LOAD,
        .sched = RTS_SCHED_RT, /* whose lowest priority is that of ordinary programs */
        .space = RTS_SPACE_OWN,
        .cpu = spec->cpu,
    };
    why[0] = '\0';
    if (spec->intensity > COPIES) {
        return RTS_INVALID;
    }
    if (text == NULL || text[0] == '\0') {
        (void)snprintf(why, sizeof why,
                       "no command is given: --load-command 'stress-ng --cpu 1', or RTSTONE_LOAD_COMMAND");
        return RTS_UNSUPPORTED;
    }
    (void)snprintf(what, sizeof what, "the load's command: %s", text);
    *own = (command){.copies = spec->intensity, .engine = getpid(), .began = rts_clock_read()};
    if (own->copies == 0) {
        return RTS_OK;
    }
    const rts_status status = rts_port_thread_create(&own->keeper, &attr, keep, own);
    if (status != RTS_OK) {
        return status;
    }
    while (!atomic_load(&own->settled)) {
        look_later();
    }
    if (atomic_load(&own->exits) > 0u) {
        const int how = own->how;
        (void)snprintf(why, sizeof why, "the command ended at once, %s %d: %s",
                       WIFSIGNALED(how) ? "by signal" : "with exit code",
                       WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how), text);
        stop(own);
        return RTS_FAILED;
    }
    own->began = rts_clock_read();
    return RTS_OK;
}

static const char *why_not(const void *state)
{
    (void)state;
    return why[0] == '\0' ? NULL : why;
}

static const char *remark(const void *state)
{
    (void)state;
    return what;
}

static uint64_t faults(const void *state)
{
    const command *const own = state;
    return atomic_load(&own->exits);
}

static void achieved(void *state, rts_load_fact_fn fact, void *arg)
{
    const command *const own = state;
    fact(arg, "programs", own->copies);
    fact(arg, "ended_early", atomic_load(&own->exits));
    fact(arg, "elapsed_ns", rts_programs_ns(own->ended - own->began));
    fact(arg, "cpu_time_ns", own->cpu_ns);
}

const rts_load rts_load_command = {
    .name = "command",
    .summary = "Linux only: a command of yours (--load-command), stress-ng say, on the measured CPU",
    .unit = "copies of it, at most 16",
    .services = 1u << RTS_SERVICE_PROCESSES,
    .state_bytes = sizeof(command),
    .needs = "no command is given (--load-command)",
    .start = start,
    .stop = stop,
    .achieved = achieved,
    .why = why_not,
    .remark = remark,
    .faults = faults,
};
