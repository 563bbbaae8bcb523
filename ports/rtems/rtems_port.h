/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the port to RTEMS share.
 */
#ifndef RTSTONE_RTEMS_H
#define RTSTONE_RTEMS_H

#include "rtstone/port.h"

/* Urgency falls as the number rises. The engine's own task stands above the load and below all that is measured. */
#define RTS_RTEMS_PRIORITY_ENGINE 50u
#ifndef RTS_RTEMS_TICK_HZ
#define RTS_RTEMS_TICK_HZ 1000u
#endif
#ifndef RTS_RTEMS_STACK_CHECKS
#define RTS_RTEMS_STACK_CHECKS "off"
#endif
#ifndef RTS_RTEMS_STACK_BYTES
#define RTS_RTEMS_STACK_BYTES 4096u
#endif
#define RTS_RTEMS_ENGINE_STACK_BYTES 16384u

/* Names of objects: RTEMS gives each an identifier, and asks for no other. */
#define RTS_RTEMS_NAME(a, b, c) rtems_build_name('r', a, b, c)

/** RTS_OK for RTEMS_SUCCESSFUL; a queue or partition that is full or empty is RTS_NO_MEMORY, all else RTS_BROKEN. */
static inline rts_status rts_rtems_status(rtems_status_code status)
{
    if (status == RTEMS_SUCCESSFUL) {
        return RTS_OK;
    }
    return status == RTEMS_TOO_MANY || status == RTEMS_UNSATISFIED ? RTS_NO_MEMORY : RTS_BROKEN;
}

#endif
