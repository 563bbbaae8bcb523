/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * INFN Table 1, "block moves in on-board memory": memory to memory through regions that no cache holds, cache to cache through two blocks that
 * the first one does. The move is the C library's memcpy.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/state.h"
#include "common/worker.h"
#include "rtstone_port.h"

#define CACHE_BLOCK 4096u
#define MEMORY_BLOCK (1u << 20)
#define REGION_LEAST ((size_t)32 << 20)
#define REGION_MOST ((size_t)256 << 20)

typedef struct state {
    rts_worker worker;
    unsigned char *from;
    unsigned char *to;
    size_t region;
    size_t block;
    size_t next;
    uint32_t right;
} state;

RTS_STATE_FITS(state);

/* Twice the last cache that the system tells of, within reason. */
static size_t beyond_caches(void)
{
    size_t most = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    const long third = sysconf(_SC_LEVEL3_CACHE_SIZE);
    most = third > 0 ? (size_t)third * 2u : 0;
#endif
    most = most < REGION_LEAST ? REGION_LEAST : most > REGION_MOST ? REGION_MOST : most;
    return most / MEMORY_BLOCK * MEMORY_BLOCK;
}

static rts_status work(rts_run *run, uint32_t count, rts_ticks *total, bool told)
{
    state *own = rts_run_state(run);
    rts_ticks sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        /* A mark at either end shows that the block arrived. */
        unsigned char *from = own->from + own->next;
        unsigned char *to = own->to + own->next;
        from[0]++;
        from[own->block - 1u]++;
        rts_run_before(run);
        const rts_ticks begin = rts_clock_read();
        memcpy(to, from, own->block);
        const rts_ticks end = rts_clock_read();
        own->right += to[0] == from[0] && to[own->block - 1u] == from[own->block - 1u] ? 1u : 0u;
        own->next = own->next + own->block < own->region ? own->next + own->block : 0;
        sum += end - begin;
        if (told) {
            rts_run_sample(run, 0, (rts_latency)(end - begin), end);
        }
    }
    *total = sum;
    return RTS_OK;
}

static rts_status work_batch(rts_run *run, uint32_t count, rts_ticks *total)
{
    return work(run, count, total, false);
}

static rts_status work_single(rts_run *run, uint32_t count, rts_ticks *total)
{
    return work(run, count, total, true);
}

static rts_status do_slice(rts_run *run, rts_work what, uint32_t count, rts_ticks *total)
{
    state *own = rts_run_state(run);
    own->right = 0;
    const rts_status status = rts_worker_do(&own->worker, what, count, total);
    if (status == RTS_OK) {
        rts_run_check(run, "blocks-right", own->right, count, count);
        rts_run_figure(run, "bytes", "bytes", (uint64_t)count * own->block);
    }
    return status;
}

static rts_status batch(rts_run *run, uint32_t ops, rts_ticks *total)
{
    return do_slice(run, work_batch, ops, total);
}

static rts_status single(rts_run *run, uint32_t samples)
{
    return do_slice(run, work_single, samples, NULL);
}

static unsigned char *region(size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, CACHE_BLOCK, bytes) != 0) {
        return NULL;
    }
    memset(memory, 1, bytes); /* every page is there before anything is timed */
    return memory;
}

static rts_status make(rts_run *run, size_t bytes, size_t block)
{
    state *own = rts_run_state(run);
    own->region = bytes;
    own->block = block;
    own->from = region(bytes);
    own->to = region(bytes);
    if (own->from == NULL || own->to == NULL) {
        rts_run_why(run, "there is not enough memory for two regions larger than the caches");
        return RTS_FAILED;
    }
    return rts_worker_create(&own->worker, run, RTS_PRIORITY_MIDDLE);
}

static rts_status setup_memory(rts_run *run)
{
    return make(run, beyond_caches(), MEMORY_BLOCK);
}

static rts_status setup_cache(rts_run *run)
{
    return make(run, CACHE_BLOCK, CACHE_BLOCK);
}

static void teardown(rts_run *run)
{
    state *own = rts_run_state(run);
    rts_worker_destroy(&own->worker);
    free(own->from);
    free(own->to);
}

const rts_measurement rts_measurement_memory_to_memory = {
    .name = "memory-to-memory",
    .meaning = 1,
    .summary = "a block of 1 MiB is moved between two regions of memory that no cache holds",
    .series = {"memory-to-memory"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .batch_limit = 1, /* each block has its own window */
    .setup = setup_memory,
    .batch = batch,
    .single = single,
    .teardown = teardown,
};

const rts_measurement rts_measurement_cache_to_cache = {
    .name = "cache-to-cache",
    .meaning = 1,
    .summary = "a block of 4096 bytes is moved within the first cache",
    .series = {"cache-to-cache"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .batch_limit = 1, /* each block has its own window */
    .setup = setup_cache,
    .batch = batch,
    .single = single,
    .teardown = teardown,
};
