/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Process creation by vfork(2): the child borrows its parent's memory until it ends. POSIX has dropped it, Linux has not.
 */
#include <unistd.h>

#include "birth.h"
#include "common/state.h"

RTS_STATE_FITS(rts_birth_state);

static pid_t bear(rts_run *run)
{
    (void)run;
    const pid_t child = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): it is what is measured */
    if (child == 0) {
        _exit(RTS_BIRTH_CODE);
    }
    return child;
}

static rts_status setup(rts_run *run)
{
    return rts_birth_setup(run, bear);
}

const rts_measurement rts_measurement_vfork = {
    .name = "vfork",
    .meaning = 1,
    .summary = "Linux only: the same by vfork, which lends the child its parent's memory",
    .series = {"vfork"},
    .services = 1u << RTS_SERVICE_PROCESSES | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup,
    .batch = rts_birth_batch,
    .single = rts_birth_single,
    .teardown = rts_birth_teardown,
};
