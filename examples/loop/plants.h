/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The planted faults of a run: drawn before it, carried out in threads of their own or in the cycle, accounted for after it.
 */
#ifndef RTSTONE_EXAMPLE_PLANTS_H
#define RTSTONE_EXAMPLE_PLANTS_H

#include <stdint.h>
#include <sys/types.h>

#include "settings.h"

/** Draws cycles, faults and lengths from the seed. The same settings draw the same. */
void plants_draw(const settings *from);

/**
 * Where a fault is another process's, forks: the caller goes on as the child. The parent carries out that fault, waits for the
 * child, and ends with its exit code.
 */
void plants_fork(const settings *from);

/** The process that plants_fork made; for the parent. */
pid_t plants_child(void);

/** Prepares the faults and starts their threads. Ends the program with one line if the system refuses one. */
void plants_prepare(const settings *from);

/** Lets them begin: cycle n is due at base_ns + n * period. */
void plants_go(uint64_t base_ns);

/** Carries out the faults that belong into this cycle or an earlier one. By one thread at a time. */
void plants_inside(uint64_t cycle);

/** After the last cycle: ends the faults' threads and waits for them. */
void plants_finish(void);

/** The planted faults in the order of their cycles; NULL behind the last. */
const plant *plants_at(uint32_t index);

#endif
