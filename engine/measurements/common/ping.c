/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two parties that hand the CPU back and forth, and the proof that they did.
 */
#include "ping.h"

#include "state.h"

/* A wait or two of a slice may fall outside of the count, and the first wait may return at once. */
#define SWITCH_SLACK 4u
/* Other reasons why a party may wait in a slice: page faults of a first slice. */
#define SWITCH_EXCESS 64u

static uint64_t switch_count(void)
{
    uint64_t voluntary = 0;
    return rts_port_switch_count(&voluntary) == RTS_OK ? voluntary : 0;
}

/* ---- party B -------------------------------------------------------------------------------- */

/* A slice that A gave up half-way is left, too. */
static rts_status still_on(const rts_ping *ping, rts_status status)
{
    return status == RTS_OK && ping->task == RTS_PING_QUIT ? RTS_INTERRUPTED : status;
}

/** B's arrival: A must have had exactly one turn since B's last turn `seen`. Returns 1 if it had, else 0. */
static inline uint32_t arrive_b(rts_ping *ping, uint32_t *seen)
{
    const uint32_t turns = ping->a_turns;
    const uint32_t alternated = turns == *seen + 1u ? 1u : 0u;
    ping->b_turns++;
    *seen = turns;
    return alternated;
}

/** B's part of a batch: the first `rounds` arrivals; the reading of the last one where it is the end. */
static rts_status rounds_b(rts_ping *ping, uint32_t seen)
{
    rts_status (*const pass)(rts_ping *) = ping->way->pass_b;
    const uint32_t rounds = ping->rounds;
    const uint32_t stamped = ping->odd ? rounds : 0u;
    uint32_t alternations = 0;
    for (uint32_t i = 1; i <= rounds; i++) {
        const rts_status status = still_on(ping, pass(ping));
        if (status != RTS_OK) {
            return status;
        }
        if (i == stamped) {
            ping->b_arrived = rts_clock_read();
        }
        alternations += arrive_b(ping, &seen);
    }
    ping->b_alternations = alternations;
    return RTS_OK;
}

static rts_status plain_b(rts_ping *ping, uint32_t seen)
{
    const rts_status status = rounds_b(ping, seen);
    return status != RTS_OK ? status : ping->way->pass_b(ping);
}

static rts_status stamped_b(rts_ping *ping, uint32_t seen)
{
    const rts_ping_way *way = ping->way;
    const bool both_ways = way->kind == RTS_PING_EITHER;
    const uint32_t rounds = ping->rounds;
    for (uint32_t i = 0; i < rounds; i++) {
        if (both_ways && i > 0) {
            rts_run_before(ping->run);
            ping->b_left = rts_clock_read();
        }
        const rts_status passed = way->pass_b(ping);
        const rts_ticks arrived = rts_clock_read();
        const rts_status status = still_on(ping, passed);
        if (status != RTS_OK) {
            return status;
        }
        ping->b_arrived = arrived;
        ping->b_alternations += arrive_b(ping, &seen);
    }
    if (both_ways && !ping->odd) {
        rts_run_before(ping->run);
        ping->b_left = rts_clock_read();
    }
    return way->pass_b(ping);
}

static void party_b(void *arg)
{
    rts_ping *ping = arg;
    const rts_ping_way *way = ping->way;
    uint32_t slice = 0;
    rts_status status = way->first_b(ping);
    while (status == RTS_OK && ping->task != RTS_PING_QUIT) {
        if (ping->slice == slice) { /* what should wait does not: without this, B would have the CPU for ever */
            status = RTS_BROKEN;
            break;
        }
        slice = ping->slice;
        const uint32_t seen = ping->a_turns;
        const uint64_t switches = switch_count();
        status = still_on(ping, ping->task == RTS_PING_STAMPED ? stamped_b(ping, seen) : plain_b(ping, seen));
        if (status == RTS_OK) {
            ping->b_switches = switch_count() - switches;
            status = way->idle_b(ping);
        }
    }
    ping->b_status = status;
    ping->b_ended = true;
    const bool awaited = status != RTS_OK && ping->task != RTS_PING_QUIT && way->free_a != NULL;
    if (awaited && way->free_a(ping) != RTS_OK) {
        rts_port_fatal("a party of a ping failed and cannot free the other");
    }
}

/* ---- party A -------------------------------------------------------------------------------- */

static rts_status begin_slice(rts_ping *ping, rts_ping_task task, uint32_t rounds, bool odd)
{
    ping->task = task;
    ping->rounds = rounds;
    ping->odd = odd;
    ping->slice++;
    ping->b_arrived = 0;
    ping->b_alternations = 0;
    ping->b_switches = 0;
    ping->a_arrivals = 0;
    ping->a_alternations = 0;
    const rts_status status = ping->way->begin_a(ping);
    ping->a_seen = ping->b_turns;
    ping->b_turns_at = ping->b_turns;
    ping->a_switches = switch_count();
    return rts_first_failure(status, ping->b_status);
}

static rts_status end_slice(rts_ping *ping)
{
    ping->a_switches = switch_count() - ping->a_switches;
    const rts_status status = ping->way->pass_a(ping);
    return rts_first_failure(status, ping->b_status);
}

/** A's part of a batch: the window's inside. */
static rts_status rounds_a(rts_ping *ping, uint32_t rounds)
{
    rts_status (*const pass)(rts_ping *) = ping->way->pass_a;
    uint32_t seen = ping->a_seen;
    uint32_t alternations = 0;
    for (uint32_t i = 0; i < rounds; i++) {
        ping->a_turns++;
        const rts_status status = pass(ping);
        if (status != RTS_OK || ping->b_status != RTS_OK) {
            return rts_first_failure(status, ping->b_status);
        }
        const uint32_t turns = ping->b_turns;
        alternations += turns == seen + 1u ? 1u : 0u;
        seen = turns;
    }
    ping->a_alternations = alternations;
    return RTS_OK;
}

static rts_status batch_a(rts_run *run, uint32_t operations, rts_ticks *total)
{
    rts_ping *ping = rts_run_state(run);
    const rts_ping_way *way = ping->way;
    const bool either = way->kind == RTS_PING_EITHER;
    const uint32_t rounds = either ? operations / 2u + operations % 2u : operations;
    const bool odd = either && operations % 2u != 0;
    rts_status status = begin_slice(ping, RTS_PING_PLAIN, rounds, odd);
    if (status != RTS_OK) {
        return status;
    }
    const rts_ticks begin = rts_clock_read();
    status = rounds_a(ping, rounds);
    const rts_ticks end = rts_clock_read();
    if (status != RTS_OK) {
        return status;
    }
    ping->a_arrivals = rounds;
    /* Without an arrival there is no end in B; the checks report that. */
    *total = (odd && ping->b_arrived != 0 ? ping->b_arrived : end) - begin;
    return end_slice(ping);
}

static void record(rts_ping *ping, uint32_t left, rts_ticks began, rts_ticks ended)
{
    rts_run *run = ping->run;
    switch (ping->way->kind) {
    case RTS_PING_ROUND:
        rts_run_sample(run, 0, (rts_latency)(ended - began), ended);
        break;
    case RTS_PING_THERE:
        rts_run_sample(run, 0, (rts_latency)(ping->b_arrived - began), ping->b_arrived);
        break;
    case RTS_PING_EITHER:
        rts_run_sample(run, 0, (rts_latency)(ping->b_arrived - began), ping->b_arrived);
        if (left > 1) {
            rts_run_sample(run, 0, (rts_latency)(ended - ping->b_left), ended);
        }
        break;
    }
}

static rts_status single_a(rts_run *run, uint32_t samples, rts_ticks *total)
{
    (void)total;
    rts_ping *ping = rts_run_state(run);
    const rts_ping_way *way = ping->way;
    const uint32_t each = way->kind == RTS_PING_EITHER ? 2u : 1u;
    const uint32_t rounds = samples / each + samples % each;
    const rts_ping_task task = way->kind == RTS_PING_ROUND ? RTS_PING_PLAIN : RTS_PING_STAMPED;
    rts_status status = begin_slice(ping, task, rounds, samples % each != 0);
    if (status != RTS_OK) {
        return status;
    }
    for (uint32_t left = samples; left > 0; left -= left < each ? left : each) {
        rts_run_before(run);
        ping->a_turns++;
        const rts_ticks began = rts_clock_read();
        status = way->pass_a(ping);
        const rts_ticks ended = rts_clock_read();
        if (status != RTS_OK || ping->b_status != RTS_OK) {
            return rts_first_failure(status, ping->b_status);
        }
        ping->a_arrivals++;
        if (ping->b_turns == ping->a_seen + 1u) { /* else B's stamps are old: no sample, and the checks say why */
            ping->a_alternations++;
            record(ping, left, began, ended);
        }
        ping->a_seen = ping->b_turns;
    }
    return end_slice(ping);
}

/* ---- the engine's side ---------------------------------------------------------------------- */

/* With priorities that mean nothing, a woken party may run before the other has waited. */
static bool priorities_hold(rts_ping *ping)
{
    const rts_sched sched = rts_run_thread(ping->run, "", ping->way->a).sched;
    return sched == RTS_SCHED_RT &&
           rts_port_priority_native(RTS_PRIORITY_LOW, sched) != rts_port_priority_native(RTS_PRIORITY_HIGH, sched);
}

static void state_checks(rts_ping *ping)
{
    const uint64_t rounds = ping->rounds;
    const uint64_t turns = 2u * rounds;
    const uint64_t arrivals = (uint64_t)ping->a_arrivals + (uint32_t)(ping->b_turns - ping->b_turns_at);
    rts_run_check(ping->run, "switches", arrivals, turns, turns);
    rts_run_check(ping->run, "alternations", (uint64_t)ping->a_alternations + ping->b_alternations, turns, turns);
    const uint64_t blocks = ping->way->blocks;
    if (blocks == 0 || rts_port_supports(RTS_SERVICE_SWITCH_COUNT) != RTS_OK) {
        return;
    }
    const uint64_t least = (priorities_hold(ping) ? blocks : 1u) * rounds;
    rts_run_check(ping->run, "voluntary-switches", ping->a_switches + ping->b_switches,
                  least > SWITCH_SLACK ? least - SWITCH_SLACK : 0, blocks * rounds + SWITCH_EXCESS);
}

/* Where equal priorities take turns at the kernel's tick, a tick between two equal parties would switch in their place. */
static void hold_slices(const rts_ping *ping, bool held)
{
#ifdef RTS_PORT_SLICES
    if (ping->way->a == ping->way->b) {
        rts_port_slices(!held);
    }
#else
    (void)ping;
    (void)held;
#endif
}

static rts_status do_slice(rts_ping *ping, rts_work work, uint32_t count, rts_ticks *total)
{
    hold_slices(ping, true);
    const rts_status status = rts_worker_do(&ping->a, work, count, total);
    hold_slices(ping, false);
    if (status == RTS_OK) {
        state_checks(ping);
    }
    return status;
}

rts_status rts_ping_create(rts_ping *ping, rts_run *run, const rts_ping_way *way)
{
    ping->run = run;
    ping->way = way;
#ifdef RTS_PORT_SLICES
    if (way->a == way->b) {
        rts_run_remark(run, "the kernel's tick is held: at each one tasks of equal priority would take turns");
    }
#endif
    rts_thread_attr attr = rts_run_thread(run, "partner", way->b);
    attr.space = way->b_space;
    rts_status status = rts_port_thread_create(&ping->b, &attr, party_b, ping);
    if (status != RTS_OK) {
        return status;
    }
    ping->b_made = true;
    return rts_worker_create(&ping->a, run, way->a);
}

rts_status rts_ping_batch(rts_run *run, uint32_t operations, rts_ticks *total)
{
    rts_ping *ping = rts_run_state(run);
    return do_slice(ping, batch_a, operations, total);
}

rts_status rts_ping_single(rts_run *run, uint32_t samples)
{
    rts_ping *ping = rts_run_state(run);
    return do_slice(ping, single_a, samples, NULL);
}

void rts_ping_destroy(rts_ping *ping)
{
    rts_worker_destroy(&ping->a);
    if (!ping->b_made) {
        return;
    }
    ping->task = RTS_PING_QUIT;
    if (!ping->b_ended && ping->way->wake_b(ping) != RTS_OK) {
        rts_port_fatal("a party of a ping cannot be ended");
    }
    if (rts_port_thread_join(&ping->b) != RTS_OK) {
        rts_port_fatal("a party of a ping cannot be joined");
    }
    ping->b_made = false;
}

/* ---- what the accounts cost ------------------------------------------------------------------ */

RTS_STATE_FITS(rts_ping);

static rts_status no_hand_over(rts_ping *ping)
{
    (void)ping;
    return RTS_OK;
}

void rts_measurement_ping_account(void *state, uint32_t rounds, int64_t *values, size_t count)
{
    rts_status (*volatile const pass)(rts_ping *) = no_hand_over; /* which the compiler must not see through */
    const rts_ping_way way = {.kind = RTS_PING_ROUND, .pass_a = pass, .pass_b = pass};
    rts_ping *const ping = state;
    ping->way = &way;
    ping->rounds = rounds;
    for (size_t i = 0; i < count; i++) {
        const rts_ticks begin = rts_clock_read();
        (void)rounds_a(ping, rounds);
        (void)rounds_b(ping, 0);
        values[i] = (int64_t)(rts_clock_read() - begin);
    }
    ping->way = NULL;
}
