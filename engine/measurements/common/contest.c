/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A task of low priority holds what a task of high priority asks for.
 */
#include "contest.h"

static rts_status ask_once(rts_contest *contest)
{
    const rts_contest_way *way = contest->way;
    if (way->third) {
        const rts_status status = rts_port_semaphore_give(&contest->rise);
        if (status != RTS_OK) {
            return status;
        }
    }
    const uint32_t turn = atomic_load_explicit(&contest->turn, memory_order_relaxed);
    const uint64_t third_runs = contest->third_runs;
    rts_run_before(contest->run);
    const rts_ticks asked = rts_clock_read();
    const rts_status status = way->acquire(contest);
    const rts_ticks got = rts_clock_read();
    if (status != RTS_OK) {
        return status;
    }
    contest->asked = asked;
    contest->got = got;
    contest->requests++;
    contest->contended += atomic_load_explicit(&contest->turn, memory_order_relaxed) == turn + 1u ? 1u : 0u;
    contest->inversions += contest->third_runs != third_runs ? 1u : 0u;
    return way->release(contest);
}

static void asker_main(void *arg)
{
    rts_contest *contest = arg;
    rts_status status = RTS_OK;
    while (status == RTS_OK) {
        status = rts_port_semaphore_take(&contest->ask);
        if (status == RTS_OK && atomic_load_explicit(&contest->quit, memory_order_relaxed)) {
            return;
        }
        status = rts_first_failure(status, ask_once(contest));
    }
    contest->asker_status = status;
}

static void third_main(void *arg)
{
    rts_contest *contest = arg;
    rts_status status = RTS_OK;
    while (status == RTS_OK) {
        status = rts_port_semaphore_take(&contest->rise);
        if (status == RTS_OK && atomic_load_explicit(&contest->quit, memory_order_relaxed)) {
            return;
        }
        contest->third_runs++;
    }
    contest->third_status = status;
}

static rts_status contest_once(rts_contest *contest)
{
    rts_status (*const release)(rts_contest *) = contest->way->release;
    const uint32_t turn = atomic_load_explicit(&contest->turn, memory_order_relaxed) + 1u;
    rts_status status = contest->way->acquire(contest);
    if (status != RTS_OK) {
        return status;
    }
    const rts_status asked = rts_port_semaphore_give(&contest->ask); /* the asker runs now, until it needs the lock */
    /* What the owner does between lies in the asker's window: one word is stored, the rest waits. */
    atomic_store_explicit(&contest->turn, turn, memory_order_relaxed);
    status = release(contest); /* the asker runs now, until it waits to be started again */
    status = rts_first_failure(asked, status);
    status = rts_first_failure(status, contest->asker_status);
    return rts_first_failure(status, contest->third_status);
}

static rts_status owner_single(rts_run *run, uint32_t samples, rts_ticks *total)
{
    (void)total;
    rts_contest *contest = rts_run_state(run);
    contest->requests = 0;
    contest->third_runs = 0;
    contest->contended = 0;
    contest->inversions = 0;
    for (uint32_t i = 0; i < samples; i++) {
        const rts_status status = contest_once(contest);
        if (status != RTS_OK) {
            return status;
        }
        rts_run_sample(run, 0, (rts_latency)(contest->got - contest->asked), contest->got);
    }
    return RTS_OK;
}

static rts_status make(rts_contest *contest, rts_run *run)
{
    rts_status status = rts_port_semaphore_create(&contest->ask, 0, 2);
    if (status != RTS_OK) {
        return status;
    }
    contest->made++;
    status = rts_port_semaphore_create(&contest->rise, 0, 2);
    if (status != RTS_OK) {
        return status;
    }
    contest->made++;
    rts_thread_attr attr = rts_run_thread(run, "asker", RTS_PRIORITY_HIGH);
    status = rts_port_thread_create(&contest->asker, &attr, asker_main, contest);
    if (status != RTS_OK) {
        return status;
    }
    contest->made++;
    if (!contest->way->third) {
        return RTS_OK;
    }
    attr = rts_run_thread(run, "third", RTS_PRIORITY_MIDDLE);
    status = rts_port_thread_create(&contest->third, &attr, third_main, contest);
    if (status == RTS_OK) {
        contest->made++;
    }
    return status;
}

rts_status rts_contest_create(rts_contest *contest, rts_run *run, const rts_contest_way *way)
{
    contest->run = run;
    contest->way = way;
    const rts_status status = make(contest, run);
    return status != RTS_OK ? status : rts_worker_create(&contest->owner, run, RTS_PRIORITY_LOW);
}

rts_status rts_contest_single(rts_run *run, uint32_t samples)
{
    rts_contest *contest = rts_run_state(run);
    const rts_status status = rts_worker_do(&contest->owner, owner_single, samples, NULL);
    if (status != RTS_OK) {
        return status;
    }
    rts_run_check(contest->run, "requests", contest->requests, samples, samples);
    rts_run_check(contest->run, "contended", contest->contended, samples, samples);
    if (contest->way->third) {
        rts_run_check(contest->run, "third-task-runs", contest->third_runs, samples, samples);
        rts_run_check(contest->run, "inversions", contest->inversions, 0, 0);
    }
    return RTS_OK;
}

static void end_thread(rts_contest *contest, struct rts_thread *thread, struct rts_semaphore *start, rts_status ended)
{
    atomic_store_explicit(&contest->quit, true, memory_order_relaxed);
    if ((ended == RTS_OK && rts_port_semaphore_give(start) != RTS_OK) || rts_port_thread_join(thread) != RTS_OK) {
        rts_port_fatal("a task of a contest cannot be ended");
    }
}

void rts_contest_destroy(rts_contest *contest)
{
    rts_worker_destroy(&contest->owner);
    if (contest->made > 3) {
        end_thread(contest, &contest->third, &contest->rise, contest->third_status);
    }
    if (contest->made > 2) {
        end_thread(contest, &contest->asker, &contest->ask, contest->asker_status);
    }
    if (contest->made > 1) {
        rts_port_semaphore_destroy(&contest->rise);
    }
    if (contest->made > 0) {
        rts_port_semaphore_destroy(&contest->ask);
    }
    contest->made = 0;
}
