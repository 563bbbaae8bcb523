/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Studies one clock. Nothing here is timed: the cost of a reading is the measurement's own matter.
 */
#include "clock_study.h"

#include "../system.h"
#include "common/state.h"

RTS_STATE_FITS(rts_clock_study);

#define BRACKETS 64u
#define SPAN_NS 500000000u /* over which the clock is compared with the reference */
#define STEPS_NS 50000000u /* longest time for which a step is looked for … */
#define STEPS_MOST 100000u /* … or among so many readings, once there were a few steps */
#define STEPS_ENOUGH 3u
#define CPUS_MOST 1024          /* CPU numbers that are tried; there may be gaps among them */
#define HANDOVERS 2000u         /* to each other CPU and back */
#define HANDOVER_NS 1000000000u /* a CPU that does not answer within this time is left out */

static uint64_t reference_ns(void)
{
    const char *name = NULL;
    return rts_system_clock_ns(rts_system_reference_clock(&name));
}

static rts_clock_pair read_pair(uint64_t (*read)(void))
{
    rts_clock_pair best = {.width_ns = UINT64_MAX};
    for (uint32_t i = 0; i < BRACKETS; i++) {
        const uint64_t before = reference_ns();
        const uint64_t reading = read();
        const uint64_t width = reference_ns() - before;
        if (width < best.width_ns) {
            best = (rts_clock_pair){.reading = reading, .reference_ns = before + width / 2u, .width_ns = width};
        }
    }
    return best;
}

static void went_back(rts_clock_study *own, uint64_t by)
{
    own->backwards++;
    own->backwards_most = by > own->backwards_most ? by : own->backwards_most;
}

/* The smallest step between two readings that differ, and how many neighbours are the same. */
static rts_status look_for_steps(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)count;
    (void)total;
    rts_clock_study *own = rts_run_state(run);
    const uint64_t until = reference_ns() + STEPS_NS;
    uint64_t last = own->kind.read();
    uint64_t smallest = UINT64_MAX;
    uint64_t readings = 0;
    uint64_t steps = 0;
    uint64_t same = 0;
    while ((readings < STEPS_MOST || steps < STEPS_ENOUGH) && reference_ns() < until) {
        for (uint32_t i = 0; i < 1000u; i++, readings++) {
            const uint64_t now = own->kind.read();
            if (now < last) {
                went_back(own, last - now);
            } else if (now == last) {
                same++;
            } else {
                steps++;
                smallest = now - last < smallest ? now - last : smallest;
            }
            last = now;
        }
    }
    rts_run_figure(run, "readings", "readings", readings);
    rts_run_figure(run, "same", "readings", same);
    if (steps > 0u) {
        rts_run_figure(run, "step", own->kind.unit, smallest);
    }
    return RTS_OK;
}

/* One party of a handing over: waits for its turn, reads, and gives the turn to the other. False when the other is gone. */
static bool take_turns(rts_clock_study *own, uint32_t mine)
{
    const uint64_t until = reference_ns() + HANDOVER_NS;
    for (;;) {
        uint32_t spins = 0;
        while (__atomic_load_n(&own->turn, __ATOMIC_ACQUIRE) != mine) {
            if ((++spins & 0xffffu) == 0u && reference_ns() > until) {
                return false;
            }
        }
        const uint64_t now = own->kind.read();
        if (own->handed > 0u && now < own->last) {
            went_back(own, own->last - now);
        }
        own->last = now;
        const bool done = own->handed >= HANDOVERS;
        own->handed += done ? 0u : 1u;
        __atomic_store_n(&own->turn, 1u - mine, __ATOMIC_RELEASE);
        if (done) {
            return true;
        }
    }
}

static void other_main(void *arg)
{
    (void)take_turns(arg, 1);
}

static rts_status hand_over(rts_run *run, uint32_t cpu, rts_ticks *total)
{
    (void)run;
    (void)cpu;
    (void)total;
    (void)take_turns(rts_run_state(run), 0);
    return RTS_OK;
}

/* From the measured CPU to every other one, and back. */
static void look_over_cpus(rts_run *run)
{
    rts_clock_study *own = rts_run_state(run);
    rts_thread_attr attr = rts_run_thread(run, "other", RTS_PRIORITY_MIDDLE);
    const int32_t mine = attr.cpu;
    uint64_t handed = 0;
    uint64_t cpus = 1;
    const uint32_t all = rts_system_cpu_count();
    for (int32_t cpu = 0; cpus < all && cpu < CPUS_MOST; cpu++) {
        if (cpu == mine || !rts_system_cpu_usable(cpu)) {
            continue;
        }
        own->turn = 0;
        own->handed = 0;
        attr.cpu = cpu;
        if (rts_port_thread_create(&own->other, &attr, other_main, own) != RTS_OK) {
            continue;
        }
        const rts_status done = rts_worker_do(&own->worker, hand_over, 0, NULL);
        if (rts_port_thread_join(&own->other) == RTS_OK && done == RTS_OK && own->handed >= HANDOVERS) {
            handed += own->handed;
            cpus++;
        }
    }
    rts_run_figure(run, "cpus", "cpus", cpus);
    rts_run_figure(run, "handovers", "readings", handed);
}

static void hold_against_reference(rts_run *run)
{
    rts_clock_study *own = rts_run_state(run);
    const uint64_t until = own->first.reference_ns + SPAN_NS;
    while (reference_ns() < until) {
        const struct timespec rest = {.tv_nsec = 5000000};
        (void)nanosleep(&rest, NULL);
    }
    const rts_clock_pair now = read_pair(own->kind.read);
    rts_run_figure(run, "elapsed", own->kind.unit, now.reading - own->first.reading);
    rts_run_figure(run, "reference", "ns", now.reference_ns - own->first.reference_ns);
    rts_run_figure(run, "apart", "ns", now.width_ns / 2u + own->first.width_ns / 2u);
}

rts_status rts_clock_study_begin(rts_run *run, rts_clock_kind kind)
{
    rts_clock_study *own = rts_run_state(run);
    own->kind = kind;
    if (kind.read == NULL) {
        return RTS_UNSUPPORTED;
    }
    own->first = read_pair(kind.read);
    return rts_worker_create(&own->worker, run, RTS_PRIORITY_MIDDLE);
}

void rts_clock_study_end(rts_run *run)
{
    rts_clock_study *own = rts_run_state(run);
    if (own->worker.made > 2u && own->told) {
        if (own->kind.resolution_ns != 0u) {
            rts_run_figure(run, "resolution", "ns", own->kind.resolution_ns);
        }
        if (own->kind.hz != 0u) {
            rts_run_figure(run, "frequency", "hz", own->kind.hz);
        }
        (void)rts_worker_do(&own->worker, look_for_steps, 0, NULL);
        look_over_cpus(run);
        hold_against_reference(run);
        rts_run_figure(run, "backwards", "readings", own->backwards);
        rts_run_figure(run, "backwards-most", own->kind.unit, own->backwards_most);
        if (!own->kind.settable) {
            rts_run_check(run, "backwards", own->backwards, 0, 0);
        }
    }
    rts_worker_destroy(&own->worker);
}
