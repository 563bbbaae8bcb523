/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SSCL Table 1, "Suspend/Resume Task": a task suspends and resumes a less urgent one, which never gets to run. The same on a process.
 */
#include "common/state.h"
#include "common/suspended.h"
#include "common/timed.h"
#include "common/worker.h"

typedef struct state {
    rts_worker worker;
    struct rts_thread victim;
    bool made;
    bool quit;
    bool ended;
    bool ran;
    rts_status victim_status;
    uint64_t victim_runs; /**< how often it came to run after a resume */
} state;

RTS_STATE_FITS(state);

static void victim_main(void *arg)
{
    state *own = arg;
    rts_status status = RTS_OK;
    while (status == RTS_OK) {
        status = rts_port_thread_suspend_self(&own->victim);
        if (own->quit) {
            break;
        }
        own->victim_runs++;
        own->ran = true;
    }
    own->victim_status = status;
    own->ended = true;
}

static rts_status suspend_and_resume(void *arg, uint32_t i)
{
    (void)i;
    state *own = arg;
    const rts_status status = rts_port_thread_suspend(&own->victim);
    return status != RTS_OK ? status : rts_port_thread_resume(&own->victim);
}

static rts_status work_batch(rts_run *run, uint32_t count, rts_ticks *total)
{
    state *own = rts_run_state(run);
    rts_status status = rts_port_thread_resume(&own->victim); /* ready, and below the worker */
    if (status == RTS_OK) {
        status = rts_time_together(own, suspend_and_resume, count, total);
    }
    return rts_first_failure(status, rts_port_thread_suspend(&own->victim));
}

static rts_status work_single(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)total;
    state *own = rts_run_state(run);
    rts_status status = rts_port_thread_resume(&own->victim);
    if (status == RTS_OK) {
        status = rts_time_each(run, suspend_and_resume, count, NULL);
    }
    return rts_first_failure(status, rts_port_thread_suspend(&own->victim));
}

static rts_status setup(rts_run *run, rts_space space)
{
    state *own = rts_run_state(run);
    rts_thread_attr attr = rts_run_thread(run, "victim", RTS_PRIORITY_MIDDLE);
    attr.space = space;
    rts_status status = rts_port_thread_create(&own->victim, &attr, victim_main, own);
    if (status != RTS_OK) {
        return status;
    }
    own->made = true;
    status = rts_wait_suspended(&own->victim);
    return status != RTS_OK ? status : rts_worker_create(&own->worker, run, RTS_PRIORITY_HIGH);
}

static rts_status setup_task(rts_run *run)
{
    return setup(run, RTS_SPACE_SHARED);
}

static rts_status setup_process(rts_run *run)
{
    return setup(run, RTS_SPACE_OWN);
}

/*
 * The proof, outside of all windows. The victim is more urgent than the engine's thread: if the last suspend had done nothing, it would have run by
 * now; and if a resume does something, it runs once when it is resumed here.
 */
static rts_status prove(rts_run *run)
{
    state *own = rts_run_state(run);
    rts_status status = rts_wait_suspended(&own->victim);
    if (status != RTS_OK) {
        return status;
    }
    rts_run_check(run, "switches", own->victim_runs, 0, 0);
    own->victim_runs = 0;
    own->ran = false;
    status = rts_resume_until(&own->victim, &own->ran);
    status = rts_first_failure(status, rts_wait_suspended(&own->victim));
    status = rts_first_failure(status, own->victim_status);
    own->victim_runs = 0;
    return status;
}

static rts_status do_slice(rts_run *run, rts_work work, uint32_t count, rts_ticks *total)
{
    state *own = rts_run_state(run);
    const rts_status status = rts_worker_do(&own->worker, work, count, total);
    return status != RTS_OK ? status : prove(run);
}

static rts_status batch(rts_run *run, uint32_t ops, rts_ticks *total)
{
    return do_slice(run, work_batch, ops, total);
}

static rts_status single(rts_run *run, uint32_t samples)
{
    return do_slice(run, work_single, samples, NULL);
}

static void teardown(rts_run *run)
{
    state *own = rts_run_state(run);
    rts_worker_destroy(&own->worker);
    if (!own->made) {
        return;
    }
    own->quit = true;
    if ((!own->ended && rts_resume_until(&own->victim, &own->ended) != RTS_OK) ||
        rts_port_thread_join(&own->victim) != RTS_OK) {
        rts_port_fatal("a suspended task cannot be ended");
    }
    own->made = false;
}

const rts_measurement rts_measurement_task_suspend_resume = {
    .name = "task-suspend-resume",
    .meaning = 1,
    .summary = "a task suspends and resumes a less urgent one: no switch",
    .series = {"task-suspend-resume"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_THREAD_SUSPEND |
                1u << RTS_SERVICE_THREAD_SUSPEND_SELF,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .traits = RTS_PRIORITIZED,
    .setup = setup_task,
    .batch = batch,
    .single = single,
    .teardown = teardown,
};

/* For kernels that cannot suspend a single thread. */
const rts_measurement rts_measurement_process_suspend_resume = {
    .name = "process-suspend-resume",
    .meaning = 1,
    .summary = "a thread stops and continues a less urgent process: no switch",
    .series = {"process-suspend-resume"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_PROCESS_SUSPEND |
                1u << RTS_SERVICE_PROCESSES,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .traits = RTS_PRIORITIZED,
    .setup = setup_process,
    .batch = batch,
    .single = single,
    .teardown = teardown,
};
