/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SPring-8 Figure 1 and INFN Table 1: blocks moved through a window access by access, each block checked outside of the measured window.
 */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../../probe/rtstone_probe.h"
#include "common/state.h"
#include "common/worker.h"
#include "open_window.h"
#include "rtstone_port.h"
#include "transfer_loops.h"

#define BLOCK_BYTES 4096u /* of one operation, access by access */
#define TRIED 64u         /* blocks, on a bus that is not timed */

typedef enum way {
    WAY_WRITE = 0,   /**< register to window; the bus may still hold writes when it ends (posted) */
    WAY_FLUSHED,     /**< likewise, and one access reads back, which waits for them */
    WAY_READ,        /**< window to register */
    WAY_TO_MEMORY,   /**< window to memory */
    WAY_FROM_MEMORY, /**< memory to window */
    WAY_WITHIN       /**< window to window: two cycles of the bus for each access */
} way;

typedef struct state {
    rts_worker worker;
    rts_window window;
    way way;
    uint32_t bits;
    size_t next;     /**< of the window: where the next block is */
    uint32_t moved;  /**< blocks of this slice */
    uint32_t right;  /**< blocks of `moved` with the correct contents */
    uint64_t sum;    /**< of the last data read */
    uint64_t filler; /**< the value that fills a block */
    _Alignas(64) unsigned char memory[BLOCK_BYTES];
} state;

RTS_STATE_FITS(state);

/* The block's value, cut to the width: no two neighbouring operations have the same. */
static uint64_t value_of(const state *own)
{
    const uint64_t all = own->filler * UINT64_C(0x0101010101010101);
    return own->bits == 64u ? all : all & ((UINT64_C(1) << own->bits) - 1u);
}

static void write_block(state *own, volatile unsigned char *to, uint64_t value)
{
    switch (own->bits) {
    case 8:
        rts_transfer_write_d8(to, BLOCK_BYTES, value);
        break;
    case 16:
        rts_transfer_write_d16(to, BLOCK_BYTES, value);
        break;
    case 32:
        rts_transfer_write_d32(to, BLOCK_BYTES, value);
        break;
    default:
        rts_transfer_write_d64(to, BLOCK_BYTES, value);
    }
}

static uint64_t read_block(const state *own, const volatile unsigned char *from)
{
    switch (own->bits) {
    case 8:
        return rts_transfer_read_d8(from, BLOCK_BYTES);
    case 16:
        return rts_transfer_read_d16(from, BLOCK_BYTES);
    case 32:
        return rts_transfer_read_d32(from, BLOCK_BYTES);
    default:
        return rts_transfer_read_d64(from, BLOCK_BYTES);
    }
}

static void copy_block(const state *own, volatile unsigned char *to, const volatile unsigned char *from)
{
    switch (own->bits) {
    case 8:
        rts_transfer_copy_d8(to, from, BLOCK_BYTES);
        break;
    case 16:
        rts_transfer_copy_d16(to, from, BLOCK_BYTES);
        break;
    case 32:
        rts_transfer_copy_d32(to, from, BLOCK_BYTES);
        break;
    default:
        rts_transfer_copy_d64(to, from, BLOCK_BYTES);
    }
}

/* The block after the next: where `within` takes from. */
static size_t other(const state *own)
{
    return own->next + BLOCK_BYTES < own->window.bytes - BLOCK_BYTES + 1u ? own->next + BLOCK_BYTES : 0;
}

/* One operation on a mapped window. */
static rts_status move_mapped(state *own, volatile unsigned char *at)
{
    switch (own->way) {
    case WAY_WRITE:
        write_block(own, at, value_of(own));
        break;
    case WAY_FLUSHED:
        write_block(own, at, value_of(own));
        own->sum = at[BLOCK_BYTES - 1u];
        break;
    case WAY_READ:
        own->sum = read_block(own, at);
        break;
    case WAY_TO_MEMORY:
        copy_block(own, own->memory, at);
        break;
    case WAY_FROM_MEMORY:
        copy_block(own, at, own->memory);
        break;
    case WAY_WITHIN:
        copy_block(own, at, own->window.base + other(own));
        break;
    }
    return RTS_OK;
}

static rts_status call(bool writes, const state *own, unsigned char *memory, size_t at, size_t piece)
{
    ssize_t moved = (ssize_t)piece;
    for (size_t done = 0; done < BLOCK_BYTES && moved == (ssize_t)piece; done += piece) {
        const off_t where = own->window.at + (off_t)(at + done);
        moved = writes ? pwrite(own->window.file, memory + done, piece, where)
                       : pread(own->window.file, memory + done, piece, where);
    }
    return moved == (ssize_t)piece ? RTS_OK : RTS_FAILED;
}

/* One operation on a window that the kernel's driver accesses for us, in the width that it was opened with. */
static rts_status move_called(state *own)
{
    const size_t piece = own->window.piece != 0u ? own->window.piece : BLOCK_BYTES;
    rts_status status = RTS_OK;
    unsigned char one[1];
    switch (own->way) {
    case WAY_WRITE:
    case WAY_FROM_MEMORY:
        return call(true, own, own->memory, own->next, piece);
    case WAY_FLUSHED:
        status = call(true, own, own->memory, own->next, piece);
        return status == RTS_OK && pread(own->window.file, one, 1, own->window.at + (off_t)own->next) == 1 ? RTS_OK
                                                                                                           : RTS_FAILED;
    case WAY_READ:
    case WAY_TO_MEMORY:
        return call(false, own, own->memory, own->next, piece);
    case WAY_WITHIN:
        status = call(false, own, own->memory, other(own), piece);
        return status == RTS_OK ? call(true, own, own->memory, own->next, piece) : status;
    }
    return RTS_UNSUPPORTED;
}

_Static_assert((uint32_t)WAY_WRITE == RTSTONE_WINDOW_WRITE && (uint32_t)WAY_FLUSHED == RTSTONE_WINDOW_FLUSHED &&
                   (uint32_t)WAY_READ == RTSTONE_WINDOW_READ && BLOCK_BYTES == RTSTONE_WINDOW_BLOCK,
               "the module's ways are the first of ours");

/* One operation by the probe module. */
static rts_status move_in_kernel(state *own)
{
    struct rtstone_window_move asked = {
        .at = own->next, .value = value_of(own), .way = (uint32_t)own->way, .bits = own->bits};
    const int error = ioctl(own->window.file, RTSTONE_WINDOW_MOVE, &asked);
    own->sum = asked.sum;
    return error == 0 ? RTS_OK : RTS_FAILED;
}

static rts_status move(state *own)
{
    if (own->window.kernel) {
        return move_in_kernel(own);
    }
    return own->window.base != NULL ? move_mapped(own, own->window.base + own->next) : move_called(own);
}

/* Bytes of a block of the window, read one by one. */
static rts_status fetch(const state *own, size_t at, unsigned char *bytes)
{
    if (own->window.base == NULL) {
        return call(false, own, bytes, at, BLOCK_BYTES);
    }
    for (size_t i = 0; i < BLOCK_BYTES; i++) {
        bytes[i] = own->window.base[at + i];
    }
    return RTS_OK;
}

static rts_status fill(state *own, size_t at)
{
    if (own->window.base == NULL) {
        return call(true, own, own->memory, at, BLOCK_BYTES);
    }
    write_block(own, own->window.base + at, value_of(own));
    return RTS_OK;
}

static bool all_filled(const state *own, const unsigned char *bytes)
{
    for (size_t i = 0; i < BLOCK_BYTES; i++) {
        if (bytes[i] != (unsigned char)own->filler) {
            return false;
        }
    }
    return true;
}

/* Before an operation: fills its source with one value and its destination with a different one. */
static rts_status prepare(state *own)
{
    own->filler = own->filler % 251u + 1u;
    const bool reads = own->way == WAY_READ || own->way == WAY_TO_MEMORY;
    memset(own->memory, (int)own->filler, sizeof own->memory);
    rts_status status = RTS_OK;
    if (reads || own->way == WAY_WITHIN) {
        status = fill(own, reads ? own->next : other(own));
        memset(own->memory, 0, sizeof own->memory);
    }
    return status;
}

/* After it: all of it arrived. */
static rts_status verify(state *own)
{
    unsigned char bytes[BLOCK_BYTES];
    rts_status status = RTS_OK;
    bool right = false;
    if (own->way == WAY_READ && own->window.base != NULL) {
        right = own->sum == value_of(own) * (uint64_t)(BLOCK_BYTES / (own->bits / 8u));
    } else if (own->way == WAY_READ || own->way == WAY_TO_MEMORY) {
        right = all_filled(own, own->memory);
    } else {
        status = fetch(own, own->next, bytes);
        right = status == RTS_OK && all_filled(own, bytes);
    }
    own->moved++;
    own->right += right ? 1u : 0u;
    own->next += BLOCK_BYTES;
    if (own->next + BLOCK_BYTES > own->window.bytes) {
        own->next = 0;
    }
    return status;
}

/* Sums the blocks' own times: preparing and verifying are not in it. */
static rts_status do_blocks(rts_run *run, uint32_t count, rts_ticks *total, bool told)
{
    state *own = rts_run_state(run);
    rts_ticks sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        rts_status status = prepare(own);
        if (status != RTS_OK) {
            return status;
        }
        rts_run_before(run);
        const rts_ticks begin = rts_clock_read();
        status = move(own);
        const rts_ticks end = rts_clock_read();
        status = rts_first_failure(status, verify(own));
        if (status != RTS_OK) {
            return status;
        }
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
    return do_blocks(run, count, total, false);
}

static rts_status work_single(rts_run *run, uint32_t count, rts_ticks *total)
{
    return do_blocks(run, count, total, true);
}

static rts_status do_slice(rts_run *run, rts_work work, uint32_t count, rts_ticks *total)
{
    state *own = rts_run_state(run);
    own->moved = 0;
    own->right = 0;
    const rts_status status = rts_worker_do(&own->worker, work, count, total);
    if (status == RTS_OK) {
        rts_run_check(run, "blocks-right", own->right, count, count);
        rts_run_figure(run, "bytes", "bytes", (uint64_t)own->moved * BLOCK_BYTES);
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

/* A bus that the kernel plays shows that blocks arrive; a time of it would be a figure of nothing, so none is taken. */
static rts_status try_only(rts_run *run)
{
    state *own = rts_run_state(run);
    rts_status status = RTS_OK;
    while (own->moved < TRIED && status == RTS_OK) {
        status = prepare(own);
        status = status == RTS_OK ? move(own) : status;
        status = status == RTS_OK ? verify(own) : status;
    }
    char slave[80];
    (void)snprintf(slave, sizeof slave, "%.79s", own->window.name);
    (void)snprintf(own->window.name, sizeof own->window.name,
                   "%s: %u of %u blocks arrived as sent, but vme_fake is no bus to be timed", slave,
                   (unsigned)own->right, TRIED);
    rts_run_why(run, own->window.name);
    return status == RTS_OK ? RTS_UNSUPPORTED : status;
}

static const rts_choice choices[] = {
    {"write-d8", "a block of 4096 bytes from a register to the window, posted, 8 bits at a time"},
    {"write-d16", "a block of 4096 bytes from a register to the window, posted, 16 bits at a time"},
    {"write-d32", "a block of 4096 bytes from a register to the window, posted, 32 bits at a time"},
    {"write-d64", "a block of 4096 bytes from a register to the window, posted, 64 bits at a time"},
    {"flushed-d8", "the same, and one access reads back, 8 bits at a time"},
    {"flushed-d16", "the same, and one access reads back, 16 bits at a time"},
    {"flushed-d32", "the same, and one access reads back, 32 bits at a time"},
    {"flushed-d64", "the same, and one access reads back, 64 bits at a time"},
    {"read-d8", "a block of 4096 bytes from the window to a register, 8 bits at a time"},
    {"read-d16", "a block of 4096 bytes from the window to a register, 16 bits at a time"},
    {"read-d32", "a block of 4096 bytes from the window to a register, 32 bits at a time"},
    {"read-d64", "a block of 4096 bytes from the window to a register, 64 bits at a time"},
    {"to-memory", "a block of 4096 bytes from the window to memory, 32 bits at a time"},
    {"from-memory", "a block of 4096 bytes from memory to the window, 32 bits at a time"},
    {"within", "a block of 4096 bytes within the window, 32 bits at a time"},
};

/* In the order of the choices. */
static const struct {
    way way;
    uint32_t bits; /**< of each access */
} rows[] = {
    {WAY_WRITE, 8},    {WAY_WRITE, 16},   {WAY_WRITE, 32},     {WAY_WRITE, 64},       {WAY_FLUSHED, 8},
    {WAY_FLUSHED, 16}, {WAY_FLUSHED, 32}, {WAY_FLUSHED, 64},   {WAY_READ, 8},         {WAY_READ, 16},
    {WAY_READ, 32},    {WAY_READ, 64},    {WAY_TO_MEMORY, 32}, {WAY_FROM_MEMORY, 32}, {WAY_WITHIN, 32},
};

_Static_assert(sizeof rows / sizeof rows[0] == sizeof choices / sizeof choices[0], "a choice is a row");

static rts_status setup(rts_run *run)
{
    state *own = rts_run_state(run);
    own->way = rows[rts_run_choice(run)].way;
    own->bits = rows[rts_run_choice(run)].bits;
    const rts_status status = rts_window_open(&own->window, rts_run_window(run), own->bits);
    if (status != RTS_OK) {
        rts_run_why(run, own->window.name);
        return status;
    }
    if (own->window.simulated) {
        return try_only(run);
    }
    if (own->window.kernel && own->way > WAY_READ) {
        rts_run_why(run, "the probe module moves blocks between a register and the window alone");
        return RTS_UNSUPPORTED;
    }
    rts_run_remark(run, own->window.name);
    return rts_worker_create(&own->worker, run, RTS_PRIORITY_MIDDLE);
}

static void teardown(rts_run *run)
{
    state *own = rts_run_state(run);
    rts_worker_destroy(&own->worker);
    rts_window_close(&own->window);
}

const rts_measurement rts_measurement_transfer = {
    .name = "transfer",
    .meaning = 2,
    .summary = "a block of 4096 bytes moved through a window, access by access",
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .batch_limit = 1, /* each block has its own window, between preparing and verifying */
    .traits = RTS_REACHES_WINDOW,
    .setup = setup,
    .batch = batch,
    .single = single,
    .teardown = teardown,
    .choices = choices,
    .choice_count = sizeof choices / sizeof choices[0],
};
