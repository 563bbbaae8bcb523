/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What each port writes of the kernel that the image holds: its part of rts_port_describe, and which services it has.
 */
#ifndef RTSTONE_BOARD_HOOKS_H
#define RTSTONE_BOARD_HOOKS_H

#include "rtstone/port.h"

/** Reports a number as a fact. */
void board_fact_number(rts_fact_fn fact, void *arg, const char *key, uint64_t number);

/** The port's own facts: kernel.sysname, kernel.release, sched.* … */
void rts_kernel_describe(rts_fact_fn fact, void *arg);

/** One service of a kernel. The board answers for RTS_SERVICE_TRAFFIC and RTS_SERVICE_CACHE_FLUSH if the kernel says nothing of them. */
typedef struct rts_kernel_service {
    bool has;
    const char *
        says; /**< has: the substitute, NULL if it is the service itself; else why not, NULL if there is no more to add */
} rts_kernel_service;

#define KERNEL_HAS                                                                                                     \
    {                                                                                                                  \
        .has = true, .says = NULL                                                                                      \
    }
#define KERNEL_HAS_BY(substitute)                                                                                      \
    {                                                                                                                  \
        .has = true, .says = (substitute)                                                                              \
    }
#define KERNEL_LACKS(why)                                                                                              \
    {                                                                                                                  \
        .has = false, .says = (why)                                                                                    \
    }

/** The kernel's services, by rts_service. */
extern const rts_kernel_service rts_kernel_services[RTS_SERVICE_COUNT];

#endif
