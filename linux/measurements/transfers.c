/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every direction and width of a programmed transfer: a table.
 */
#include "transfer.h"

#define TRANSFER(id, text, what, direction, width)                                                                     \
    static rts_status id##_setup(rts_run *run)                                                                         \
    {                                                                                                                  \
        return rts_transfer_setup(run, direction, width);                                                              \
    }                                                                                                                  \
    const rts_measurement rts_measurement_##id = {                                                                     \
        .name = (text),                                                                                                \
        .meaning = 2,                                                                                                  \
        .summary = (what),                                                                                             \
        .series = {(text)},                                                                                            \
        .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE,                                           \
        .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,                                                                    \
        .batch_limit = 1, /* each block has its own window, between preparing and verifying */                         \
        .setup = id##_setup,                                                                                           \
        .batch = rts_transfer_batch,                                                                                   \
        .single = rts_transfer_single,                                                                                 \
        .teardown = rts_transfer_teardown,                                                                             \
    };

#define WIDTHS(id, text, what, direction)                                                                              \
    TRANSFER(id##_d8, text "-d8", what ", 8 bits at a time", direction, 8)                                             \
    TRANSFER(id##_d16, text "-d16", what ", 16 bits at a time", direction, 16)                                         \
    TRANSFER(id##_d32, text "-d32", what ", 32 bits at a time", direction, 32)                                         \
    TRANSFER(id##_d64, text "-d64", what ", 64 bits at a time", direction, 64)

WIDTHS(transfer_write, "transfer-write", "a block of 4096 bytes from a register to the window, posted",
       RTS_TRANSFER_WRITE)
WIDTHS(transfer_flushed, "transfer-flushed", "the same, and one access reads back", RTS_TRANSFER_FLUSHED)
WIDTHS(transfer_read, "transfer-read", "a block of 4096 bytes from the window to a register", RTS_TRANSFER_READ)
TRANSFER(transfer_to_memory, "transfer-to-memory", "a block of 4096 bytes from the window to memory, 32 bits at a time",
         RTS_TRANSFER_TO_MEMORY, 32)
TRANSFER(transfer_from_memory, "transfer-from-memory",
         "a block of 4096 bytes from memory to the window, 32 bits at a time", RTS_TRANSFER_FROM_MEMORY, 32)
TRANSFER(transfer_within, "transfer-within", "a block of 4096 bytes within the window, 32 bits at a time",
         RTS_TRANSFER_WITHIN, 32)
