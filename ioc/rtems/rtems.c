/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the samplers need of the engine's port, in an IOC on RTEMS that is the site's own: clocks and the measured interrupt are the board's, tasks
 * and semaphores are in ports/rtems. Console, plan and power-off stay with the IOC.
 */
#include <rtems.h>
#include <rtems/bspIo.h>
#include <rtems/irq-extension.h>

#include "interrupts.h"
#include "samplers.h"

static void (*on_fatal)(const char *reason);

static void measured(void *unused)
{
    (void)unused;
    board_timer_interrupt();
}

const char *interrupts_prepare(void (*fatal)(const char *reason))
{
    on_fatal = fatal;
    return rtems_interrupt_handler_install(BOARD_TIMER_INTID, "rtstone", RTEMS_INTERRUPT_UNIQUE, measured, NULL) ==
                   RTEMS_SUCCESSFUL
               ? NULL
               : "the board's timer has an interrupt handler already";
}

void samplers_register(void)
{
    /* None but the engine's: what else gives interrupts is Linux'. */
}

/** Ends the task that fails, and no other. A handler cannot go on. */
_Noreturn void rts_port_fatal(const char *why)
{
    if (rtems_interrupt_is_in_progress()) {
        rtems_panic("rtstone: %s", why);
    }
    on_fatal(why);
    for (;;) {
        (void)rtems_task_suspend(RTEMS_SELF);
    }
}

rts_status rts_port_supports(rts_service service)
{
    return service == RTS_SERVICE_THREADS ? RTS_OK : RTS_UNSUPPORTED; /* no other is asked for */
}

rts_status rts_port_cpu_resolve(int32_t wanted, int32_t *actual)
{
    *actual = 0;
    return wanted == RTS_CPU_ANY || wanted == 0 ? RTS_OK : RTS_INVALID;
}

rts_status rts_port_clock_info(rts_clock_info *info)
{
    *info = (rts_clock_info){.name = BOARD_CLOCK_NAME, .source = BOARD_CLOCK_SOURCE, .hz = board_clock_hz(), .id = 0};
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

rts_status rts_port_timer_start(const rts_timer_spec *spec, rts_isr isr, void *arg)
{
    if (spec->period < BOARD_TIMER_PERIOD_MIN || spec->period > BOARD_TIMER_PERIOD_MAX) {
        return RTS_INVALID;
    }
    board_timer_start(spec->period, spec->phase, isr, arg);
    return RTS_OK;
}

rts_status rts_port_timer_stop(void)
{
    board_timer_stop();
    return RTS_OK;
}
