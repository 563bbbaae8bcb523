/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programmed transfers between the CPU and a window: what the measurements of one direction and width have in common.
 */
#ifndef RTS_POSIX_TRANSFER_H
#define RTS_POSIX_TRANSFER_H

#include "common/worker.h"
#include "open_window.h"

#define RTS_TRANSFER_BYTES 4096u /**< of one operation: a block, access by access */

typedef enum rts_transfer_way {
    RTS_TRANSFER_WRITE = 0,   /**< register to window; the bus may still hold writes when it ends (posted) */
    RTS_TRANSFER_FLUSHED,     /**< likewise, and one access reads back, which waits for them */
    RTS_TRANSFER_READ,        /**< window to register */
    RTS_TRANSFER_TO_MEMORY,   /**< window to memory */
    RTS_TRANSFER_FROM_MEMORY, /**< memory to window */
    RTS_TRANSFER_WITHIN       /**< window to window: two cycles of the bus for each access */
} rts_transfer_way;

rts_status rts_transfer_setup(rts_run *run, rts_transfer_way way, uint32_t bits);
rts_status rts_transfer_batch(rts_run *run, uint32_t ops, rts_ticks *total);
rts_status rts_transfer_single(rts_run *run, uint32_t samples);
void rts_transfer_teardown(rts_run *run);

#endif
