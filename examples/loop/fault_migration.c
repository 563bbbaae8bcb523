/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The cycle moves to another CPU and back, again and again.
 */
#include <errno.h>
#include <sched.h>

#include "fault.h"
#include "settings.h"
#include "threads.h"

enum { MOVES = 0, OTHER };

static cpu_set_t home, away;
static int away_cpu;

static int prepare(const settings *from, const char **why)
{
    away_cpu = other_cpu(from->cpu);
    if (away_cpu < 0) {
        *why = "a second CPU for the fault migration";
        return ENODEV;
    }
    CPU_ZERO(&home);
    CPU_SET((size_t)from->cpu, &home);
    CPU_ZERO(&away);
    CPU_SET((size_t)away_cpu, &away);
    return 0;
}

static bool inside(plant *planted)
{
    uint64_t moves = 0;
    plant_begin(planted);
    do {
        moves += sched_setaffinity(0, sizeof away, &away) == 0 ? 1 : 0;
        moves += sched_setaffinity(0, sizeof home, &home) == 0 ? 1 : 0;
    } while (now_ns() < planted->start_ns + planted->drawn_ns);
    plant_end(planted);
    planted->details[MOVES] = moves;
    planted->details[OTHER] = (uint64_t)away_cpu;
    return true;
}

extern const fault fault_migration;
const fault fault_migration = {
    .name = "migration",
    .summary = "the cycle moves to another CPU and back, again and again",
    .details = {[MOVES] = "moves", [OTHER] = "other_cpu"},
    .prepare = prepare,
    .inside = inside,
};
