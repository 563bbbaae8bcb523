/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs commands next to the measurement. A keeper ends them with all that they started, also when the engine is killed.
 */
#include "commands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "children.h"
#include "programs.h"

#define LOOK_NS 5000000L      /* the keeper looks so often */
#define SETTLE_LOOKS 20u      /* one that ends within these could not be started */
#define POLITE_LOOKS 100u     /* between SIGTERM and SIGKILL */
#define TO_THE_END_LOOKS 400u /* what SIGKILL does not end is the kernel's */

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
static bool reap(rts_commands *own, const pid_t *copy, bool in_time)
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

static void end_all(rts_commands *own, const pid_t *copy)
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
    rts_commands *const own = arg;
    pid_t copy[RTS_COMMAND_COPIES] = {0};
    struct rusage used;
    /* The keeper outlives a killed engine for the time that ending the command takes. */
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || prctl(PR_SET_PDEATHSIG, 0) != 0) {
        atomic_fetch_add(&own->exits, 1u);
    }
    for (uint32_t i = 0; i < own->copies; i++) {
        copy[i] = fork();
        if (copy[i] == 0) {
            become(own->text);
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

void rts_commands_stop(void *commands)
{
    rts_commands *const own = commands;
    own->ended = rts_clock_read();
    atomic_store(&own->stop, true);
    if (own->copies > 0 && rts_port_thread_join(&own->keeper) != RTS_OK) {
        rts_port_fatal("the load's command cannot be ended");
    }
}

rts_status rts_commands_start(rts_commands *own, const rts_load_spec *spec, const char *text, uint32_t copies)
{
    if (copies > RTS_COMMAND_COPIES) {
        return RTS_INVALID;
    }
    (void)snprintf(own->what, sizeof own->what, "the load's command: %s", text);
    own->text = text;
    own->copies = copies;
    own->engine = getpid();
    own->began = rts_clock_read();
    if (own->copies == 0) {
        return RTS_OK;
    }
    const rts_status status = rts_programs_make(&own->keeper, keep, own, spec->cpu);
    if (status != RTS_OK) {
        return status;
    }
    while (!atomic_load(&own->settled)) {
        look_later();
    }
    if (atomic_load(&own->exits) > 0u) {
        const int how = own->how;
        (void)snprintf(own->why, sizeof own->why, "the command ended at once, %s %d: %s",
                       WIFSIGNALED(how) ? "by signal" : "with exit code",
                       WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how), text);
        rts_commands_stop(own);
        return RTS_FAILED;
    }
    own->began = rts_clock_read();
    return RTS_OK;
}

const char *rts_commands_why(const void *commands)
{
    const rts_commands *const own = commands;
    return own->why[0] == '\0' ? NULL : own->why;
}

const char *rts_commands_remark(const void *commands)
{
    return ((const rts_commands *)commands)->what;
}

uint64_t rts_commands_faults(const void *commands)
{
    const rts_commands *const own = commands;
    return atomic_load(&own->exits);
}

void rts_commands_achieved(const rts_commands *own, rts_load_fact_fn fact, void *arg)
{
    fact(arg, "ended_early", atomic_load(&own->exits));
    fact(arg, "elapsed_ns", rts_load_ns(own->ended - own->began));
    fact(arg, "cpu_time_ns", own->cpu_ns);
}
