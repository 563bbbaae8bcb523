/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The hooks of the port contract that the board answers in any program, also in an IOC (ioc/rtems): clocks, its one CPU, the measured interrupt.
 */
#include "rtstone/port.h"
#include "rtstone/text.h"

/* ---- clocks --------------------------------------------------------------------------------------------------- */

rts_status rts_port_clock_info(rts_clock_info *info)
{
    info->name = BOARD_CLOCK_NAME;
    info->source = BOARD_CLOCK_SOURCE;
    info->hz = board_clock_hz();
    info->uncertainty_ppb = 0;
    info->id = 0;
    return info->hz == 0 ? RTS_BROKEN : RTS_OK;
}

rts_status rts_port_timer_clock_info(rts_clock_info *info)
{
    const rts_status status = rts_port_clock_info(info);
    info->name = BOARD_TIMER_CLOCK_NAME;
    info->hz = board_timer_clock_hz();
    info->id = BOARD_TIMER_CLOCK_ID;
    return status;
}

/* ---- one CPU, whole and always -------------------------------------------------------------------------------- */

uint32_t rts_port_cpu_count(void)
{
    return 1;
}

rts_status rts_port_cpu_resolve(int32_t wanted, int32_t *actual)
{
    *actual = 0;
    return wanted == RTS_CPU_ANY || wanted == 0 ? RTS_OK : RTS_INVALID;
}

void rts_port_duty(rts_ticks *run, rts_ticks *rest)
{
    *run = 0;
    *rest = 0;
}

/* ---- the measured interrupt ----------------------------------------------------------------------------------- */

static inline bool known(const char *source)
{
    return rts_text_equal(source, "default") || rts_text_equal(source, BOARD_TIMER_CLOCK_NAME);
}

const char *rts_port_timer_why_not(const rts_timer_spec *spec, bool in_kernel)
{
    (void)in_kernel; /* its handler is the engine's, and no measurement of a board needs another */
    return known(spec->source) ? NULL : "this board has one source of the measured interrupt, default";
}

rts_status rts_port_timer_start(const rts_timer_spec *spec, rts_isr isr, void *arg)
{
    if (!known(spec->source)) {
        return RTS_INVALID;
    }
    if (spec->period < BOARD_TIMER_PERIOD_MIN || spec->period > BOARD_TIMER_PERIOD_MAX ||
        spec->phase > BOARD_TIMER_PERIOD_MAX) {
        return RTS_INVALID;
    }
    board_timer_start(spec->period, spec->phase, isr, arg);
    return RTS_OK;
}

const char *rts_port_timer_entered(const char *source)
{
    (void)source;
    return BOARD_TIMER_ENTERED;
}

rts_status rts_port_timer_stop(void)
{
    board_timer_stop();
    return RTS_OK;
}
