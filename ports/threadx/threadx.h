/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the port to ThreadX share.
 */
#ifndef RTSTONE_THREADX_H
#define RTSTONE_THREADX_H

#include "rtstone/port.h"

/*
 * Urgency falls as the number rises; 0 is the thread's that serves ThreadX's timers. The engine's own thread stands above the load and below all
 * that is measured.
 */
#define RTS_THREADX_PRIORITY_ENGINE 5u
#define RTS_THREADX_TICK_HZ 1000u
#define RTS_THREADX_ENGINE_STACK_BYTES 16384u

/** RTS_OK for TX_SUCCESS; a queue or pool that is full or empty is RTS_NO_MEMORY, all else RTS_BROKEN. */
static inline rts_status rts_threadx_status(UINT status)
{
    if (status == TX_SUCCESS) {
        return RTS_OK;
    }
    return status == TX_QUEUE_FULL || status == TX_NO_MEMORY ? RTS_NO_MEMORY : RTS_BROKEN;
}

/* ThreadX's names of objects are not const; it only keeps them. */
#define RTS_THREADX_NAME(text) ((CHAR *)(uintptr_t)(text))

#endif
