/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The ways in which a loop waits for its next due time.
 */
#ifndef RTSTONE_EXAMPLE_WAIT_H
#define RTSTONE_EXAMPLE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wait_kind {
    const char *name;
    /** Cycle n is due at base_ns + n * period_ns. Returns 0 or an error of the system. NULL: it needs nothing. */
    int (*open)(uint64_t base_ns, uint64_t period_ns);
    /** Waits until cycle n is due, at due_ns. Returns at once if it was due already. False: a signal asks the program to end. */
    bool (*until)(uint64_t cycle, uint64_t due_ns);
} wait_kind;

/** The ways, in the order of --help; NULL behind the last. */
const wait_kind *wait_at(uint32_t index);

#endif
