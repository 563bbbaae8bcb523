/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * INFN Table 1, "block moves in on-board memory": memory to memory through regions of twice the last cache, cache to cache through two blocks that
 * the first one holds. The move is the C library's memcpy; it has ended when its stores are complete.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/state.h"
#include "common/worker.h"
#include "files.h"
#include "rtstone_port.h"

#define CACHE_BLOCK ((size_t)4096)
#define PAGE ((size_t)4096) /* of address bits by which a CPU first compares a load with the stores before it */
#define MEMORY_BLOCK ((size_t)1 << 20)
/* For a machine that reports no cache. */
#define REGION_UNKNOWN ((uint64_t)32 << 20)

typedef struct state {
    rts_worker worker;
    unsigned char *memory; /* both regions */
    size_t memory_bytes;
    unsigned char *from;
    unsigned char *to;
    size_t region;
    size_t block;
    size_t next;
    uint32_t right;
    uint32_t checked;
    unsigned char mark;
    char text[160];
} state;

RTS_STATE_FITS(state);

/* Waits until all stores before it are complete: without it they may still be in the CPU's buffers at a window's end. */
static inline void complete_stores(void)
{
#if defined(__x86_64__)
    __asm__ volatile("mfence" : : : "memory");
#elif defined(__aarch64__)
    __asm__ volatile("dsb ish" : : : "memory");
#else
    __sync_synchronize();
#endif
}

/* The kernel and the C library read different registers of the CPU, and in a guest either may report a part. 0: neither reports a cache. */
static uint64_t last_cache(void)
{
    uint64_t largest = rts_linux_largest_cache("");
    const int levels[] = {
#ifdef _SC_LEVEL4_CACHE_SIZE
        _SC_LEVEL2_CACHE_SIZE,
        _SC_LEVEL3_CACHE_SIZE,
        _SC_LEVEL4_CACHE_SIZE,
#endif
        -1,
    };
    for (const int *level = levels; *level >= 0; level++) {
        const long bytes = sysconf(*level);
        largest = bytes > 0 && (uint64_t)bytes > largest ? (uint64_t)bytes : largest;
    }
    return largest;
}

/* One memcpy a window. */
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
        complete_stores();
        const rts_ticks end = rts_clock_read();
        own->checked++;
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

static rts_status work_alone(rts_run *run, uint32_t count, rts_ticks *total)
{
    return work(run, count, total, false);
}

static rts_status work_single(rts_run *run, uint32_t count, rts_ticks *total)
{
    return work(run, count, total, true);
}

/* All in one window. No byte of the destination is right before the first move; after the last one every byte must be. */
static rts_status work_together(rts_run *run, uint32_t count, rts_ticks *total)
{
    state *own = rts_run_state(run);
    own->mark++;
    memset(own->from, own->mark, own->block);
    memset(own->to, (unsigned char)~own->mark, own->block);
    complete_stores();
    const rts_ticks begin = rts_clock_read();
    for (uint32_t i = 0; i < count; i++) {
        memcpy(own->to, own->from, own->block);
        __asm__ volatile("" : : : "memory"); /* no move is left out for the next one's sake */
    }
    complete_stores();
    const rts_ticks end = rts_clock_read();
    own->checked++;
    own->right += memcmp(own->to, own->from, own->block) == 0 && own->to[0] == own->mark ? 1u : 0u;
    *total = end - begin;
    return RTS_OK;
}

static rts_status do_slice(rts_run *run, rts_work what, uint32_t count, rts_ticks *total)
{
    state *own = rts_run_state(run);
    own->right = 0;
    own->checked = 0;
    const rts_status status = rts_worker_do(&own->worker, what, count, total);
    if (status == RTS_OK) {
        rts_run_check(run, "blocks-right", own->right, own->checked, own->checked);
        rts_run_figure(run, "bytes", "bytes", (uint64_t)count * own->block);
    }
    return status;
}

static rts_status batch_alone(rts_run *run, uint32_t ops, rts_ticks *total)
{
    return do_slice(run, work_alone, ops, total);
}

static rts_status batch_together(rts_run *run, uint32_t ops, rts_ticks *total)
{
    return do_slice(run, work_together, ops, total);
}

static rts_status single(rts_run *run, uint32_t samples)
{
    return do_slice(run, work_single, samples, NULL);
}

/* By the worker, on its CPU: a page lies in the memory of the CPU that first touches it, or that maps it where all memory is locked. */
static rts_status take_memory(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)count;
    state *own = rts_run_state(run);
    const rts_ticks begin = rts_clock_read();
    void *const memory =
        mmap(NULL, own->memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) {
        return RTS_FAILED;
    }
    memset(memory, 1, own->memory_bytes);
    own->memory = memory;
    *total = rts_clock_read() - begin;
    return RTS_OK;
}

/* Taking much memory is work of the measuring class: the kernel's limit to that must have passed before anything is timed. */
static rts_status rest_after(rts_ticks busy)
{
    rts_ticks run_most = 0;
    rts_ticks rest = 0;
    rts_port_duty(&run_most, &rest);
    return run_most == 0u ? RTS_OK
                          : rts_port_sleep_until(rts_clock_read() + rest + (busy < run_most ? busy : run_most));
}

static rts_status make(rts_run *run, size_t bytes, size_t block)
{
    state *own = rts_run_state(run);
    rts_ticks busy = 0;
    own->memory_bytes = bytes;
    own->block = block;
    const rts_status status = rts_worker_do(&own->worker, take_memory, 0, &busy);
    return status == RTS_OK ? rest_after(busy) : status;
}

/* Regions of `wanted` bytes, smaller ones where memory is short: half of the memory that is left stays for others. */
static rts_status make_regions(rts_run *run, uint64_t wanted)
{
    state *own = rts_run_state(run);
    const uint64_t left = rts_linux_memory_left("") / 4u;
    uint64_t region = (wanted < left ? wanted : left) / MEMORY_BLOCK * MEMORY_BLOCK;
    rts_status status = RTS_FAILED;
    while (region >= MEMORY_BLOCK && region <= SIZE_MAX / 2u && own->memory == NULL && status == RTS_FAILED) {
        own->region = (size_t)region;
        status = make(run, 2u * own->region, MEMORY_BLOCK);
        region = region / 2u / MEMORY_BLOCK * MEMORY_BLOCK; /* a limit of the process, such as of locked memory */
    }
    return status;
}

static void remark(rts_run *run, uint64_t cache, uint64_t wanted)
{
    state *own = rts_run_state(run);
    const uint64_t region = own->region >> 20;
    if (cache == 0u) {
        (void)snprintf(own->text, sizeof own->text,
                       "two regions of %" PRIu64 " MiB; the system reports no cache size, so a cache may hold them",
                       region);
    } else if (own->region < wanted) {
        (void)snprintf(own->text, sizeof own->text,
                       "two regions of %" PRIu64
                       " MiB, for which there is memory: a cache may hold them, since the last-level "
                       "cache has %" PRIu64 " KiB",
                       region, cache >> 10);
    } else {
        (void)snprintf(own->text, sizeof own->text,
                       "two regions of %" PRIu64 " MiB; the last-level cache has %" PRIu64 " KiB", region, cache >> 10);
    }
    rts_run_remark(run, own->text);
}

static rts_status setup_memory(rts_run *run)
{
    state *own = rts_run_state(run);
    const uint64_t cache = last_cache();
    const uint64_t wanted =
        cache == 0u ? REGION_UNKNOWN : (2u * cache + MEMORY_BLOCK - 1u) / MEMORY_BLOCK * MEMORY_BLOCK;
    rts_status status = rts_worker_create(&own->worker, run, RTS_PRIORITY_MIDDLE);
    status = status == RTS_OK ? make_regions(run, wanted) : status;
    if (own->memory == NULL) {
        if (status == RTS_FAILED) {
            rts_run_why(run, "there is not enough memory for two regions of 1 MiB");
        }
        return status;
    }
    own->from = own->memory;
    own->to = own->memory + own->region;
    remark(run, cache, wanted);
    return status;
}

/* Blocks that begin at the same place in a page let a CPU take a load for one of a store before it, so the second begins in a page's middle. */
static rts_status setup_cache(rts_run *run)
{
    state *own = rts_run_state(run);
    own->region = CACHE_BLOCK;
    rts_status status = rts_worker_create(&own->worker, run, RTS_PRIORITY_MIDDLE);
    status = status == RTS_OK ? make(run, 3u * CACHE_BLOCK, CACHE_BLOCK) : status;
    if (own->memory != NULL) {
        own->from = own->memory;
        own->to = own->memory + CACHE_BLOCK + CACHE_BLOCK / 2u;
        (void)snprintf(own->text, sizeof own->text,
                       "two blocks of %zu bytes, which begin at bytes %zu and %zu of a page", own->block,
                       (size_t)((uintptr_t)own->from % PAGE), (size_t)((uintptr_t)own->to % PAGE));
        rts_run_remark(run, own->text);
    }
    return status;
}

static void teardown(rts_run *run)
{
    state *own = rts_run_state(run);
    rts_worker_destroy(&own->worker);
    if (own->memory != NULL) {
        (void)munmap(own->memory, own->memory_bytes);
    }
}

const rts_measurement rts_measurement_memory_to_memory = {
    .name = "memory-to-memory",
    .meaning = 2,
    .summary = "a block of 1 MiB is moved between two regions of twice the last-level cache",
    .series = {"memory-to-memory"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .batch_limit = 1, /* each block has its own window */
    .setup = setup_memory,
    .batch = batch_alone,
    .single = single,
    .teardown = teardown,
};

const rts_measurement rts_measurement_cache_to_cache = {
    .name = "cache-to-cache",
    .meaning = 2,
    .summary = "a block of 4096 bytes is moved within the first cache",
    .series = {"cache-to-cache"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup_cache,
    .batch = batch_together,
    .single = single,
    .teardown = teardown,
};
