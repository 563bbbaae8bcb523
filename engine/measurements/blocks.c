/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SSCL Table 1, "Allocate Memory" and "Deallocate Memory": a task takes all blocks of a partition, writes to them, and gives them back. Which
 * half is timed depends on the measurement.
 */
#include "common/state.h"
#include "common/timed.h"
#include "common/worker.h"

/** What is timed. */
typedef enum timed_half { RTS_TIME_ALLOCS, RTS_TIME_FREES } timed_half;

/** The state of such a measurement. */
typedef struct state {
    rts_worker worker;
    struct rts_blocks blocks;
    bool made;
    timed_half half;
    uint64_t taken;    /**< in this slice */
    uint64_t distinct; /**< that are no other block, and hold what is written to them */
    void *block[RTS_BLOCK_COUNT];
} state;

RTS_STATE_FITS(state);

static rts_status take(void *arg, uint32_t i)
{
    state *partition = arg;
    return rts_port_block_alloc(&partition->blocks, &partition->block[i]);
}

static rts_status give_back(void *arg, uint32_t i)
{
    state *partition = arg;
    return rts_port_block_free(&partition->blocks, partition->block[i]);
}

/* Every block is written before any is read: two that are one, or that overlap, do not hold what was written. */
static void inspect(state *partition, uint32_t count)
{
    partition->taken += count;
    for (uint32_t i = 0; i < count; i++) {
        if (partition->block[i] == NULL) {
            return;
        }
        volatile unsigned char *bytes = partition->block[i];
        bytes[0] = (unsigned char)i;
        bytes[RTS_BLOCK_BYTES - 1u] = (unsigned char)i;
    }
    for (uint32_t i = 0; i < count; i++) {
        const volatile unsigned char *bytes = partition->block[i];
        partition->distinct += bytes[0] == i && bytes[RTS_BLOCK_BYTES - 1u] == i ? 1u : 0u;
    }
}

/* A window for each time that the partition is emptied, or given back: their sum is the set's. */
static rts_status work_batch(rts_run *run, uint32_t count, rts_ticks *total)
{
    state *partition = rts_run_state(run);
    const bool allocs = partition->half == RTS_TIME_ALLOCS;
    rts_status status = RTS_OK;
    for (uint32_t left = count; left > 0 && status == RTS_OK;) {
        const uint32_t now = rts_refill(left, RTS_BLOCK_COUNT);
        status = allocs ? rts_time_together(partition, take, now, total) : rts_do_all(partition, take, now);
        if (status != RTS_OK) {
            return status;
        }
        inspect(partition, now);
        status = allocs ? rts_do_all(partition, give_back, now) : rts_time_together(partition, give_back, now, total);
        left -= now;
    }
    return status;
}

static rts_status work_single(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)total;
    state *partition = rts_run_state(run);
    const bool allocs = partition->half == RTS_TIME_ALLOCS;
    for (uint32_t left = count; left > 0;) {
        const uint32_t now = rts_refill(left, RTS_BLOCK_COUNT);
        rts_status status = allocs ? rts_time_each(run, take, now, NULL) : rts_do_all(partition, take, now);
        if (status != RTS_OK) {
            return status;
        }
        inspect(partition, now);
        status = allocs ? rts_do_all(partition, give_back, now) : rts_time_each(run, give_back, now, NULL);
        if (status != RTS_OK) {
            return status;
        }
        left -= now;
    }
    return RTS_OK;
}

static rts_status make_blocks(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)total;
    state *partition = rts_run_state(run);
    const rts_status status = rts_port_blocks_create(&partition->blocks, count, RTS_BLOCK_BYTES);
    partition->made = status == RTS_OK;
    return status;
}

/* The worker creates the partition: an allocator may reserve memory for the thread that had it, and get new memory for another thread. */
static rts_status setup(rts_run *run, timed_half half)
{
    state *partition = rts_run_state(run);
    partition->half = half;
    const rts_status status = rts_worker_create(&partition->worker, run, RTS_PRIORITY_MIDDLE);
    return status != RTS_OK ? status : rts_worker_do(&partition->worker, make_blocks, RTS_BLOCK_COUNT, NULL);
}

static rts_status do_slice(rts_run *run, rts_work work, uint32_t count, rts_ticks *total)
{
    state *partition = rts_run_state(run);
    partition->taken = 0;
    partition->distinct = 0;
    const rts_status status = rts_worker_do(&partition->worker, work, count, total);
    if (status != RTS_OK) {
        return status;
    }
    rts_run_check(run, "blocks", partition->distinct, partition->taken, partition->taken);
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
    state *partition = rts_run_state(run);
    rts_worker_destroy(&partition->worker);
    if (partition->made) {
        rts_port_blocks_destroy(&partition->blocks);
    }
}

static rts_status setup_allocate(rts_run *run)
{
    return setup(run, RTS_TIME_ALLOCS);
}

const rts_measurement rts_measurement_block_allocate = {
    .name = "block-allocate",
    .meaning = 2,
    .summary = "a task takes a block from a memory partition",
    .series = {"block-allocate"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_BLOCKS,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .batch_limit = RTS_BLOCK_COUNT,
    .setup = setup_allocate,
    .batch = batch,
    .single = single,
    .teardown = teardown,
};

static rts_status setup_free(rts_run *run)
{
    return setup(run, RTS_TIME_FREES);
}

const rts_measurement rts_measurement_block_free = {
    .name = "block-free",
    .meaning = 2,
    .summary = "a task gives a block back to its memory partition",
    .series = {"block-free"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_BLOCKS,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .batch_limit = RTS_BLOCK_COUNT,
    .setup = setup_free,
    .batch = batch,
    .single = single,
    .teardown = teardown,
};
