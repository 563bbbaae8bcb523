/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programs in the name space of the cable's far device. A keeper owns them and the name space; it kills all when one ends.
 */
#include "far_programs.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system.h"

/** Shared by the engine and the keeper. */
typedef struct shared {
    rts_cable cable;
    _Atomic int program[RTS_FAR_PROGRAMS];
} shared;

static shared *common;
static pid_t keeper;

void rts_far_signal(int number)
{
    for (unsigned i = 0; i < RTS_FAR_PROGRAMS; i++) {
        const pid_t program = (pid_t)atomic_load(&common->program[i]);
        if (program > 0) {
            (void)kill(program, number);
        }
    }
}

/* ---- the keeper ------------------------------------------------------------------------------------------------ */

static void as_children_are(pid_t parent)
{
    const struct sched_param ordinary = {.sched_priority = 0};
    sigset_t none;
    (void)sigemptyset(&none);
    for (int number = 1; number < NSIG; number++) {
        (void)signal(number, SIG_DFL);
    }
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (sched_setscheduler(0, SCHED_OTHER, &ordinary) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ||
        getppid() != parent) {
        _exit(126);
    }
}

static _Noreturn void become(const rts_far_spec *spec, char *const words[])
{
    (void)fcntl(spec->descriptor, F_SETFD, 0);
    const int nowhere = open("/dev/null", O_RDWR); /* standard output is the record stream */
    bool ready = nowhere >= 0 && dup2(nowhere, 0) >= 0 && dup2(nowhere, 1) >= 0;
    for (char *const *each = spec->environment; *each != NULL && ready; each++) {
        ready = putenv(*each) == 0;
    }
    if (!ready) {
        _exit(126);
    }
    (void)execv(words[0], words);
    _exit(127);
}

static bool start_program(const rts_far_spec *spec, unsigned number)
{
    const pid_t self = getpid();
    const pid_t made = fork();
    if (made == 0) {
        as_children_are(self);
        become(spec, spec->words[number]);
    }
    atomic_store(&common->program[number], (int)made);
    return made > 0;
}

static _Noreturn void keep(const rts_far_spec *spec, pid_t engine)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)spec->cpu, &one);
    as_children_are(engine);
    bool sound = sched_setaffinity(0, sizeof one, &one) == 0 && rts_cable_enter_far(&common->cable) &&
                 link_up("lo", INADDR_LOOPBACK) && start_program(spec, 0);
    atomic_store(&common->cable.far_is_up, sound);
    for (unsigned i = 1; i < RTS_FAR_PROGRAMS && sound; i++) {
        while (!spec->may_go_on() && waitpid(-1, NULL, WNOHANG) == 0) {
            (void)usleep(10000);
        }
        sound = spec->may_go_on() && start_program(spec, i);
    }
    if (sound) {
        (void)waitpid(-1, NULL, 0); /* none ends by itself */
    }
    atomic_store(&common->cable.failed, true);
    rts_far_signal(SIGKILL);
    while (waitpid(-1, NULL, 0) > 0) {
    }
    _exit(0);
}

/* ---- the engine's side ----------------------------------------------------------------------------------------- */

bool rts_far_start(const rts_far_spec *spec)
{
    if (common == NULL) {
        common = rts_system_shared_memory(sizeof *common);
    }
    if (common == NULL) {
        return false;
    }
    memset(common, 0, sizeof *common);
    common->cable.terminal = -1;
    if (rts_cable_init(&common->cable) != RTS_OK || rts_cable_free(&common->cable) != RTS_OK) {
        return false;
    }
    const pid_t engine = getpid();
    keeper = fork();
    if (keeper == 0) {
        keep(spec, engine);
    }
    return keeper > 0 && rts_cable_connect(&common->cable) == RTS_OK;
}

bool rts_far_failed(void)
{
    return common != NULL && atomic_load(&common->cable.failed);
}

void rts_far_end(void)
{
    if (keeper > 0) {
        atomic_store(&common->cable.stop, true);
        rts_far_signal(SIGKILL);
        (void)waitpid(keeper, NULL, 0);
    }
    keeper = 0;
}
