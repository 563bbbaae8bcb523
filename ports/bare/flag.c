/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What bare metal does have: time to wait, and a flag between the handler and the one thread that polls it.
 */
#include "rtstone/port.h"

rts_status rts_port_sleep_until(rts_ticks when)
{
    while ((int64_t)(when - rts_clock_read()) > 0) {
    }
    return RTS_OK;
}

rts_status rts_port_semaphore_create(struct rts_semaphore *semaphore, uint32_t initial, uint32_t maximum)
{
    if (maximum == 0 || initial > maximum) {
        return RTS_INVALID;
    }
    semaphore->count = initial;
    semaphore->maximum = maximum;
    return RTS_OK;
}

rts_status rts_port_semaphore_take(struct rts_semaphore *semaphore)
{
    while (semaphore->count == 0) {
    }
    const bool on = board_interrupts_off();
    semaphore->count = semaphore->count - 1u;
    board_interrupts_restore(on);
    return RTS_OK;
}

static rts_status raise(struct rts_semaphore *semaphore)
{
    if (semaphore->count >= semaphore->maximum) {
        return RTS_BROKEN;
    }
    semaphore->count = semaphore->count + 1u;
    return RTS_OK;
}

rts_status rts_port_semaphore_give(struct rts_semaphore *semaphore)
{
    const bool on = board_interrupts_off();
    const rts_status status = raise(semaphore);
    board_interrupts_restore(on);
    return status;
}

rts_status rts_port_semaphore_give_isr(struct rts_semaphore *semaphore)
{
    return raise(semaphore); /* nothing interrupts the handler */
}

void rts_port_semaphore_destroy(struct rts_semaphore *semaphore)
{
    semaphore->count = 0;
}

void board_expiry_done(void)
{
    /* No task to switch to: the thread that polls goes on where it was. */
}
