/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Process creation by posix_spawn(3): a new program, this engine, which is told to end at once. Linux knows its own file by /proc/self/exe.
 */
#include <errno.h>
#include <spawn.h>

#include "birth.h"
#include "common/state.h"

RTS_STATE_FITS(rts_birth_state);

static pid_t bear(rts_run *run)
{
    (void)run;
    static char name[] = "rtstone-engine";
    static char command[] = "--end-at-once";
    char *const words[] = {name, command, NULL};
    char *const environment[] = {NULL};
    pid_t child = -1;
    const int error = posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environment);
    if (error != 0) {
        errno = error;
        return -1;
    }
    return child;
}

static rts_status setup(rts_run *run)
{
    return rts_birth_setup(run, bear);
}

const rts_measurement rts_measurement_posix_spawn = {
    .name = "posix-spawn",
    .meaning = 1,
    .summary = "Linux only: the same by posix_spawn, the child being a new program (this engine, which ends at once)",
    .series = {"posix-spawn"},
    .services = 1u << RTS_SERVICE_PROCESSES | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup,
    .batch = rts_birth_batch,
    .single = rts_birth_single,
    .teardown = rts_birth_teardown,
};
