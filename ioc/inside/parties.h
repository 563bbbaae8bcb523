/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Who shares the CPUs with the measuring task, and at what priority: the IOC's threads, and the kernel's that serve interrupts.
 */
#ifndef RTSTONE_IOC_PARTIES_H
#define RTSTONE_IOC_PARTIES_H

#include "rtstone/port.h"

/** Tells each as `priority.<thread>`: "fifo 71", "other 0". Of threads with one name and one standing there is one fact; `priority.more` counts what is not told. */
void parties_describe(rts_fact_fn fact, void *arg);

#endif
