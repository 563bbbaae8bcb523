/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * INFN Table 2, "Process creation", by fork(2).
 */
#include <unistd.h>

#include "common/state.h"
#include "measurements/birth.h"

RTS_STATE_FITS(rts_birth_state);

static pid_t bear(rts_run *run)
{
    (void)run;
    const pid_t child = fork();
    if (child == 0) {
        _exit(RTS_BIRTH_CODE);
    }
    return child;
}

static rts_status setup(rts_run *run)
{
    return rts_birth_setup(run, bear);
}

const rts_measurement rts_measurement_fork = {
    .name = "fork",
    .meaning = 1,
    .summary = "a process forks another, which ends at once, and waits for its end",
    .series = {"fork"},
    .services = 1u << RTS_SERVICE_PROCESSES | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup,
    .batch = rts_birth_batch,
    .single = rts_birth_single,
    .teardown = rts_birth_teardown,
};
