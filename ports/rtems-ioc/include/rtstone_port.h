/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the engine sees of the port to RTEMS inside an EPICS IOC: the port to RTEMS' classic API, with the settings of EPICS.
 */
#ifndef RTSTONE_RTEMS_IOC_PORT_H
#define RTSTONE_RTEMS_IOC_PORT_H

#include "../../rtems/include/rtstone_port.h"

#undef RTS_PORT_NAME
#define RTS_PORT_NAME "rtems-ioc"

/* As EPICS configures RTEMS. */
#define RTS_RTEMS_TICK_HZ 100u
#if !defined(RTS_RTEMS_IOC_UNCHECKED)
#define RTS_RTEMS_STACK_CHECKS                                                                                         \
    "on, as EPICS configures it: at each switch the marks at the end of a task's stack are compared"
#endif
#define RTS_RTEMS_DESCRIBE_ALSO rtems_ioc_describe
void rtems_ioc_describe(void (*fact)(void *arg, const char *key, const char *value), void *arg);

#endif
