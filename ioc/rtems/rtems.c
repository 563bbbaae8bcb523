/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the samplers need of the engine's port, in an IOC on RTEMS that is the site's own. Clocks and the measured interrupt are the board's
 * (boards/common/timer.c), tasks and semaphores are in ports/rtems. Console, plan and power-off stay with the IOC.
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
    /* The engine's sampler registers itself. The others need drivers of Linux. */
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
