/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sleep until a time of the run's clock, in ticks of the kernel.
 */
#include "rtems_port.h"

rts_status rts_port_sleep_until(rts_ticks when)
{
    for (;;) {
        const rts_ticks now = rts_clock_read();
        if ((int64_t)(when - now) <= 0) {
            return RTS_OK;
        }
        const rts_ticks whole = (when - now) * RTS_RTEMS_TICK_HZ / board_clock_hz();
        const rts_ticks most = RTS_RTEMS_TICK_HZ * UINT64_C(3600);
        (void)rtems_task_wake_after((rtems_interval)(whole == 0 ? 1 : (whole > most ? most : whole)));
    }
}
