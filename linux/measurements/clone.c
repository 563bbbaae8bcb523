/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Process creation by clone(2): the child shares memory, files and file system with its parent, which goes on beside it, on a stack of its own.
 */
#include <sched.h>
#include <signal.h>

#include "birth.h"
#include "common/state.h"

typedef struct state {
    rts_birth_state birth;
    _Alignas(16) unsigned char stack[4096]; /* of the child, which does nothing but return */
} state;

RTS_STATE_FITS(state);

static int child_main(void *arg)
{
    (void)arg;
    return RTS_BIRTH_CODE;
}

static pid_t bear(rts_run *run)
{
    state *own = rts_run_state(run);
    return clone(child_main, own->stack + sizeof own->stack, CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, NULL);
}

static rts_status setup(rts_run *run)
{
    return rts_birth_setup(run, bear);
}

const rts_measurement rts_measurement_clone = {
    .name = "clone",
    .meaning = 1,
    .summary = "Linux only: the same by clone, parent and child side by side in one memory",
    .series = {"clone"},
    .services = 1u << RTS_SERVICE_PROCESSES | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup,
    .batch = rts_birth_batch,
    .single = rts_birth_single,
    .teardown = rts_birth_teardown,
};
