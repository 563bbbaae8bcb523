/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The cycle moves to another CPU, where a thread of a higher priority computes, and back once that lets it run.
 */
#include <errno.h>
#include <sched.h>

#include "fault.h"
#include "settings.h"
#include "threads.h"

enum { MOVES = 0, OTHER, BUSY_BEGAN, BUSY_ENDED };
enum { ASKED, BUSY, OVER }; /* what the thread does */

static cpu_set_t home, away;
static int away_cpu;
static atomic_int stage;
static helper there;

static void compute(plant *planted)
{
    planted->details[BUSY_BEGAN] = now_ns();
    atomic_store(&stage, BUSY);
    spin_until(planted->details[BUSY_BEGAN] + planted->drawn_ns);
    planted->details[BUSY_ENDED] = now_ns();
    atomic_store(&stage, OVER);
}

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
    *why = "the thread busy-there";
    return helper_start(&there, "busy-there", from->priority > 0 ? from->priority + 1 : 0, away_cpu, compute);
}

static bool inside(plant *planted)
{
    uint64_t moves = 0;
    plant_begin(planted);
    atomic_store(&stage, ASKED);
    helper_ask(&there, planted);
    while (atomic_load(&stage) == ASKED) {
    }
    moves += sched_setaffinity(0, sizeof away, &away) == 0 ? 1 : 0;
    /* Under SCHED_OTHER; or the user gave the thread a lower priority, so that it cannot run here: then go back. */
    const uint64_t last = now_ns() + 2 * planted->drawn_ns;
    while (atomic_load(&stage) != OVER && now_ns() < last) {
    }
    moves += sched_setaffinity(0, sizeof home, &home) == 0 ? 1 : 0;
    plant_end(planted);
    planted->details[MOVES] = moves;
    planted->details[OTHER] = (uint64_t)away_cpu;
    return true;
}

static void finish(void)
{
    helper_end(&there);
}

extern const fault fault_migration;
const fault fault_migration = {
    .name = "migration",
    .summary = "the cycle moves to a CPU where a higher thread computes, and back",
    .details = {[MOVES] = "moves", [OTHER] = "other_cpu", [BUSY_BEGAN] = "busy_start_ns", [BUSY_ENDED] = "busy_end_ns"},
    .prepare = prepare,
    .inside = inside,
    .finish = finish,
};
