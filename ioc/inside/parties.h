/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The threads that share the CPUs with the measuring task, and their priorities: the IOC's, and the kernel's that serve interrupts.
 */
#ifndef RTSTONE_IOC_PARTIES_H
#define RTSTONE_IOC_PARTIES_H

#include "rtstone/port.h"

/** Reports each as `priority.<thread>`: "fifo 71", "other 0". Threads of one name and standing share it; `priority.more` counts those left out. */
void parties_describe(rts_fact_fn fact, void *arg);

#endif
