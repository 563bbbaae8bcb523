/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the engine sees of bare metal: one thread, a semaphore that is polled; sizes and clocks are the board's.
 */
#ifndef RTSTONE_BARE_PORT_H
#define RTSTONE_BARE_PORT_H

#include "board_port.h"

#define RTS_PORT_NAME "bare"

/** There are no threads. */
struct rts_thread {
    char none;
};

/** A count that the handler raises and the one thread polls. */
struct rts_semaphore {
    volatile uint32_t count;
    uint32_t maximum;
};

struct rts_mutex {
    char none;
};

struct rts_queue {
    char none;
};

struct rts_blocks {
    char none;
};

#endif
