/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The life of a child that ends at once, from before it is made until its parent has its status.
 */
#include "birth.h"

#include <errno.h>
#include <sys/wait.h>

#include "../system.h"
#include "common/timed.h"

static rts_status fork_and_wait(void *arg, uint32_t i)
{
    (void)i;
    rts_birth_state *own = arg;
    int how = 0;
    const pid_t child = own->bear(own->worker.run);
    if (child < 0) {
        return rts_system_status(errno);
    }
    pid_t ended;
    do {
        ended = waitpid(child, &how, 0);
    } while (ended < 0 && errno == EINTR);
    if (ended != child) {
        return rts_system_status(errno);
    }
    own->begun += WIFEXITED(how) && WEXITSTATUS(how) == RTS_BIRTH_CODE ? 1u : 0u;
    return RTS_OK;
}

static rts_status work_batch(rts_run *run, uint32_t count, rts_ticks *total)
{
    return rts_time_together(rts_run_state(run), fork_and_wait, count, total);
}

static rts_status work_single(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)total;
    return rts_time_each(run, fork_and_wait, count, NULL);
}

rts_status rts_birth_setup(rts_run *run, rts_birth bear)
{
    rts_birth_state *own = rts_run_state(run);
    own->bear = bear;
    return rts_worker_create_process(&own->worker, run, RTS_PRIORITY_MIDDLE);
}

static rts_status do_slice(rts_run *run, rts_work work, uint32_t count, rts_ticks *total)
{
    rts_birth_state *own = rts_run_state(run);
    own->begun = 0;
    const rts_status status = rts_worker_do(&own->worker, work, count, total);
    if (status == RTS_OK) {
        rts_run_check(run, "children", own->begun, count, count);
    }
    return status;
}

rts_status rts_birth_batch(rts_run *run, uint32_t ops, rts_ticks *total)
{
    return do_slice(run, work_batch, ops, total);
}

rts_status rts_birth_single(rts_run *run, uint32_t samples)
{
    return do_slice(run, work_single, samples, NULL);
}

void rts_birth_teardown(rts_run *run)
{
    rts_birth_state *own = rts_run_state(run);
    rts_worker_destroy(&own->worker);
}
