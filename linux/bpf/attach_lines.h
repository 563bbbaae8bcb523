/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The counts of a watched thread as lines of JSON, as src/rtstone/attach reads them.
 */
#ifndef RTSTONE_LINUX_BPF_ATTACH_LINES_H
#define RTSTONE_LINUX_BPF_ATTACH_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "../../probe/bpf/rtstone_attach.h"

/** Writes the line of a thread: its wake-ups and their latencies. */
void rts_attach_print_thread(const struct rtstone_attach_thread *thread);

/** Writes the line of a thread's cycles. `number`: the thread's; `with_faults`: the kernel shows page faults. */
void rts_attach_print_cycles(const struct rtstone_attach_cycle *cycle, uint32_t number, bool with_faults);

#endif
