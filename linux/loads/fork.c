/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs that start programs: fork, exec of this engine, wait, over and over.
 */
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "programs.h"

/** What the child becomes: the shortest life that an executable of this size can have. */
static _Noreturn void become(void)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0) {
        _exit(126);
    }
    (void)execl("/proc/self/exe", "rtstone-engine", "--version", (char *)NULL);
    _exit(127);
}

static void step(rts_program *own)
{
    const pid_t child = fork();
    int how = 0;
    if (child == 0) {
        become();
    }
    own->counts[0]++;
    if (child < 0 || waitpid(child, &how, 0) != child || !WIFEXITED(how) || WEXITSTATUS(how) != 0) {
        own->failures++;
    }
}

static rts_status start(void *state, const rts_load_spec *spec)
{
    return rts_programs_start(state, spec, step);
}

static void achieved(void *state, rts_load_fact_fn fact, void *arg)
{
    static const char *const names[RTS_PROGRAM_COUNTS] = {"forks"};
    rts_programs_achieved(state, names, fact, arg);
}

const rts_load rts_load_fork = {
    .name = "fork",
    .summary = "Linux only: programs that fork, execute and wait for programs",
    .unit = "programs",
    .services = 1u << RTS_SERVICE_PROGRAMS,
    .state_bytes = sizeof(rts_programs),
    .start = start,
    .stop = rts_programs_stop,
    .achieved = achieved,
    .faults = rts_programs_failures,
};
