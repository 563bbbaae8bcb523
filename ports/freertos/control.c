/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tasks that exist: yield, suspension, sleep. For the kernel in C and that in Rust.
 */
#include "freertos.h"

rts_status rts_port_yield(void)
{
    taskYIELD();
    return RTS_OK;
}

rts_status rts_port_thread_suspend(struct rts_thread *thread)
{
    vTaskSuspend(thread->handle);
    return RTS_OK;
}

rts_status rts_port_thread_suspend_self(struct rts_thread *self)
{
    (void)self;
    vTaskSuspend(NULL);
    return RTS_OK;
}

rts_status rts_port_thread_resume(struct rts_thread *thread)
{
    vTaskResume(thread->handle);
    return RTS_OK;
}

rts_status rts_port_sleep_until(rts_ticks when)
{
    for (;;) {
        const rts_ticks now = rts_clock_read();
        if ((int64_t)(when - now) <= 0) {
            return RTS_OK;
        }
        const rts_ticks whole = (when - now) * configTICK_RATE_HZ / board_clock_hz();
        const rts_ticks most = configTICK_RATE_HZ * UINT64_C(3600);
        vTaskDelay((TickType_t)(whole == 0 ? 1 : (whole > most ? most : whole)));
    }
}
