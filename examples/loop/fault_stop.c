/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Another process stops the loop's process with SIGSTOP and continues it with SIGCONT. It is the loop's parent, so it knows when
 * all threads have stopped, and a shell or sudo sees a process that never stops.
 */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "fault.h"
#include "plants.h"
#include "threads.h"

static void outside(plant *planted)
{
    const id_t loop = (id_t)plants_child();
    siginfo_t now = {0};
    if (kill((pid_t)loop, SIGSTOP) != 0) {
        return;
    }
    /* If it ended instead, plants_fork still needs its exit code. */
    while (waitid(P_PID, loop, &now, WSTOPPED | WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
    if (now.si_code != CLD_STOPPED || waitid(P_PID, loop, &now, WSTOPPED) != 0) {
        return;
    }
    plant_begin(planted);
    sleep_until(planted->start_ns + planted->drawn_ns);
    plant_end(planted); /* before the loop can run again */
    (void)kill((pid_t)loop, SIGCONT);
}

extern const fault fault_stop;
const fault fault_stop = {
    .name = "stop",
    .summary = "another process stops this one with SIGSTOP, and continues it",
    .thread = "stopper",
    .above = -1,
    .by_process = true,
    .outside = outside,
};
