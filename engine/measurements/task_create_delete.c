/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SSCL Table 1, "Create/Delete Task": a task creates a more urgent one, which deletes itself at once.
 */
#include "common/state.h"
#include "common/timed.h"
#include "common/worker.h"

/* Children of one window of a batch set; they are joined after it. */
#define CHILDREN_WANTED 16u
#define CHILDREN_THAT_FIT                                                                                              \
    ((RTS_PORT_STATE_BYTES - sizeof(rts_worker) - 8u * sizeof(uint64_t)) / sizeof(struct rts_thread))
#define CHILDREN (CHILDREN_THAT_FIT < CHILDREN_WANTED ? CHILDREN_THAT_FIT : CHILDREN_WANTED)

typedef struct state {
    rts_worker worker;
    rts_thread_attr attr;
    uint32_t begun;   /**< children that have come to their first instruction */
    uint32_t in_time; /**< creations that returned after the child had begun */
    uint32_t created;
    struct rts_thread child[CHILDREN];
} state;

RTS_STATE_FITS(state);

/* Its return deletes it. */
static void child_main(void *arg)
{
    state *own = arg;
    own->begun++;
}

static rts_status create(void *arg, uint32_t i)
{
    state *own = arg;
    const rts_status status = rts_port_thread_create(&own->child[i], &own->attr, child_main, own);
    own->created += status == RTS_OK ? 1u : 0u;
    own->in_time += own->begun == own->created ? 1u : 0u;
    return status;
}

static rts_status create_first(void *arg, uint32_t i)
{
    (void)i;
    return create(arg, 0);
}

static rts_status join(state *own, uint32_t count)
{
    rts_status status = RTS_OK;
    for (uint32_t i = 0; i < count; i++) {
        status = rts_first_failure(status, rts_port_thread_join(&own->child[i]));
    }
    return status;
}

static rts_status join_first(void *arg, uint32_t i)
{
    (void)i;
    return join(arg, 1);
}

static rts_status work_batch(rts_run *run, uint32_t count, rts_ticks *total)
{
    state *own = rts_run_state(run);
    rts_status status = RTS_OK;
    for (uint32_t left = count; left > 0 && status == RTS_OK;) {
        const uint32_t now = rts_refill(left, CHILDREN);
        const uint32_t before = own->created;
        status = rts_time_together(own, create, now, total);
        status = rts_first_failure(status, join(own, own->created - before));
        left -= now;
    }
    return status;
}

static rts_status work_single(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)total;
    return rts_time_each(run, create_first, count, join_first);
}

static rts_status setup(rts_run *run)
{
    state *own = rts_run_state(run);
    own->attr = rts_run_thread(run, "child", RTS_PRIORITY_HIGH);
#ifdef RTS_PORT_DELETION
    rts_run_remark(run, RTS_PORT_DELETION);
#endif
    return rts_worker_create(&own->worker, run, RTS_PRIORITY_MIDDLE);
}

static rts_status do_slice(rts_run *run, rts_work work, uint32_t count, rts_ticks *total)
{
    state *own = rts_run_state(run);
    own->begun = 0;
    own->in_time = 0;
    own->created = 0;
    const rts_status status = rts_worker_do(&own->worker, work, count, total);
    if (status != RTS_OK) {
        return status;
    }
    rts_run_check(run, "children", own->begun, count, count);
    rts_run_check(run, "children-in-time", own->in_time, count, count);
    return RTS_OK;
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
}

const rts_measurement rts_measurement_task_create_delete = {
    .name = "task-create-delete",
    .meaning = 2,
    .summary = "a task creates a more urgent one, which deletes itself at once: two switches",
    .series = {"task-create-delete"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .batch_limit = CHILDREN,
    .traits = RTS_PRIORITIZED,
    .setup = setup,
    .batch = batch,
    .single = single,
    .teardown = teardown,
};
