/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The thread that does a measurement's operations: started by one semaphore, reports by another.
 */
#include "worker.h"

static void worker_main(void *arg)
{
    rts_worker *worker = arg;
    for (;;) {
        const rts_status woken = rts_port_semaphore_take(&worker->start);
        if (woken == RTS_OK && worker->work == NULL) {
            return;
        }
        worker->status = woken;
        if (woken == RTS_OK) {
            worker->status = worker->work(worker->run, worker->count, &worker->total);
        }
        if (rts_port_semaphore_give(&worker->done) != RTS_OK) {
            rts_port_fatal("a worker cannot say that it is done");
        }
    }
}

static rts_status create(rts_worker *worker, rts_run *run, rts_priority priority, rts_space space)
{
    worker->run = run;
    worker->made = 0;
    rts_status (*const semaphore)(struct rts_semaphore *, uint32_t, uint32_t) =
        space == RTS_SPACE_OWN ? rts_port_semaphore_create_shared : rts_port_semaphore_create;
    rts_status status = semaphore(&worker->start, 0, 1);
    if (status != RTS_OK) {
        return status;
    }
    worker->made++;
    status = semaphore(&worker->done, 0, 1);
    if (status != RTS_OK) {
        return status;
    }
    worker->made++;
    rts_thread_attr attr = rts_run_thread(run, "worker", priority);
    attr.space = space;
    status = rts_port_thread_create(&worker->thread, &attr, worker_main, worker);
    if (status == RTS_OK) {
        worker->made++;
    }
    return status;
}

rts_status rts_worker_create(rts_worker *worker, rts_run *run, rts_priority priority)
{
    return create(worker, run, priority, RTS_SPACE_SHARED);
}

rts_status rts_worker_create_process(rts_worker *worker, rts_run *run, rts_priority priority)
{
    return create(worker, run, priority, RTS_SPACE_OWN);
}

rts_status rts_worker_do(rts_worker *worker, rts_work work, uint32_t count, rts_ticks *total)
{
    worker->work = work;
    worker->count = count;
    worker->total = 0;
    rts_status status = rts_port_semaphore_give(&worker->start);
    if (status == RTS_OK) {
        status = rts_port_semaphore_take(&worker->done);
    }
    if (total != NULL) {
        *total = worker->total;
    }
    return status == RTS_OK ? worker->status : status;
}

void rts_worker_destroy(rts_worker *worker)
{
    if (worker->made > 2) {
        worker->work = NULL;
        if (rts_port_semaphore_give(&worker->start) != RTS_OK || rts_port_thread_join(&worker->thread) != RTS_OK) {
            rts_port_fatal("a worker cannot be ended");
        }
    }
    if (worker->made > 1) {
        rts_port_semaphore_destroy(&worker->done);
    }
    if (worker->made > 0) {
        rts_port_semaphore_destroy(&worker->start);
    }
    worker->made = 0;
}
