/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The life of one item: check that its services exist, set up the load and the measurement, do operations slice by slice,
 * tear everything down, report the results.
 */
#include "engine.h"
#include "pace.h"
#include "report.h"
#include "rtstone/text.h"
#include "services.h"

/** Windows of the time plot begin this narrow; they double when the plot is full. */
#define FIRST_WINDOW_NS 1000000u

/** Beyond any item's number. */
#define LOAD_SEEDS 65536u

bool rts_engine_ends(rts_engine *engine)
{
    engine->interrupted = engine->interrupted || rts_port_interrupted();
    return engine->interrupted || engine->writer.failed;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static const char *stop_of(rts_status status)
{
    return status == RTS_OK ? "count" : status == RTS_INTERRUPTED ? "interrupted" : "failed";
}

/** What ends the item between two slices, or NULL. */
static const char *stop_between(rts_engine *engine, const rts_pace *pace)
{
    if (rts_engine_ends(engine)) {
        return "interrupted";
    }
    return rts_pace_spent(pace) ? "budget" : NULL;
}

/** One slice of single operations, accounted for: as many samples as were asked for must have come. */
static rts_status single_slice(rts_run *run, rts_pace *pace, uint32_t operations)
{
    const uint64_t before = run->recorder[0].count;
    rts_status status = rts_pace_rest(pace);
    for (uint32_t s = 0; s < run->series_count; s++) {
        run->raw[s].first = run->recorder[s].count;
    }
    if (status == RTS_OK) {
        const rts_ticks start = rts_clock_read();
        status = run->measurement->single(run, operations);
        rts_pace_done(pace, operations, rts_clock_read() - start);
    }
    if (status == RTS_OK && !rts_run_warming(run)) {
        rts_run_check(run, "samples", run->recorder[0].count - before, operations, operations);
    }
    return status;
}

/** Adds a part of a set, or all of it, to the set's total. */
static rts_status batch_slice(rts_run *run, rts_pace *pace, uint32_t operations, rts_ticks *total)
{
    rts_ticks part = 0;
    rts_status status = rts_pace_rest(pace);
    if (status == RTS_OK) {
        const rts_ticks start = rts_clock_read();
        status = run->measurement->batch(run, operations, &part);
        rts_pace_done(pace, operations, rts_clock_read() - start);
    }
    *total += part;
    return status;
}

/** Does operations that are not counted. Sets `stop` when it was not to go on. */
static rts_status warm_up(rts_engine *engine, rts_pace *pace, uint32_t operations, const char **stop)
{
    rts_run *run = &engine->run;
    rts_ticks ignored = 0;
    rts_status status = RTS_OK;
    rts_run_mode(run, RTS_RUN_WARMING);
    for (uint32_t left = run->item->warmup; left > 0u && status == RTS_OK && *stop == NULL;) {
        uint32_t slice = rts_pace_next(pace, left);
        if (run->item->pass == RTS_PLAN_BATCH) {
            slice = smaller(slice, operations);
            status = batch_slice(run, pace, slice, &ignored);
        } else {
            status = single_slice(run, pace, slice);
        }
        left -= slice;
        *stop = stop_between(engine, pace);
    }
    rts_run_mode(run, 0);
    return status;
}

static rts_status run_single(rts_engine *engine, rts_pace *pace, const char **stop)
{
    rts_run *run = &engine->run;
    rts_status status = RTS_OK;
    for (uint32_t left = run->item->count; left > 0u && status == RTS_OK && *stop == NULL;) {
        uint32_t slice = rts_pace_next(pace, left);
        if (run->item->raw != 0u) {
            slice = smaller(slice, RTS_PORT_RAW_SAMPLES);
        }
        status = single_slice(run, pace, slice);
        pace->owed = false;
        if (run->item->raw != 0u) {
            rts_report_samples(run, &engine->writer);
        }
        left -= slice;
        status = status == RTS_OK ? rts_pace_spread(pace, run->item->count - left, run->item->count) : status;
        if (left > 0u && status == RTS_OK) {
            *stop = stop_between(engine, pace);
        }
    }
    return status;
}

/** Measures the sets. A set that is broken off is not reported. */
static rts_status run_batch(rts_engine *engine, rts_pace *pace, uint32_t operations, const char **stop)
{
    rts_run *run = &engine->run;
    rts_status status = RTS_OK;
    const uint32_t all = run->item->sets;
    for (uint32_t sets = all; sets > 0u && status == RTS_OK && *stop == NULL; sets--) {
        rts_ticks total = 0;
        uint32_t left = operations;
        while (left > 0u && status == RTS_OK && *stop == NULL) {
            const uint32_t slice = rts_pace_next(pace, left);
            status = batch_slice(run, pace, slice, &total);
            left -= slice;
            pace->owed = pace->owed && left > 0u;
            if ((left > 0u || sets > 1u) && status == RTS_OK) {
                *stop = stop_between(engine, pace);
            }
        }
        if (left == 0u && status == RTS_OK) {
            rts_recorder_add_total(&run->recorder[0], (rts_latency)total);
            run->raw[0].held[run->raw[0].count++] = (int64_t)total;
            if (run->raw[0].count == RTS_PORT_RAW_SAMPLES) {
                rts_report_batch(run, &engine->writer);
            }
            status = rts_pace_spread(pace, all - sets + 1u, all);
        }
    }
    return status;
}

#ifdef RTS_PORT_WATCHES
static void watched(void *arg, const char *name, const char *unit, uint64_t value, uint64_t most)
{
    rts_run *run = arg;
    rts_run_figure(run, name, unit, value);
    if (most != UINT64_MAX) {
        rts_run_check(run, name, value, 0, most);
    }
}
#endif

/** From `begin` to the last sample; everything that is needed is there. */
static void measure(rts_engine *engine, rts_outcome *outcome)
{
    rts_run *run = &engine->run;
    const rts_plan_item *item = run->item;
    const uint32_t operations = item->pass == RTS_PLAN_BATCH ? item->count : 1u;
    const rts_ticks width = rts_clock_ticks_from_ns(rts_run_clock(run)->hz, FIRST_WINDOW_NS);
    run->origin = rts_run_now(run);
    for (uint32_t s = 0; s < run->series_count; s++) {
        rts_recorder_reset(&run->recorder[s], run->origin, width);
        run->raw[s].count = 0;
        run->raw[s].first = 0;
        run->raw[s].dropped = 0;
    }
    rts_report_begin(run, operations, &engine->writer);

#ifdef RTS_PORT_WATCHES
    rts_port_watch_begin(run->cpu);
#endif
    rts_pace pace;
    const char *stop = NULL;
    rts_pace_begin(&pace, run);
    pace.budget += pace.budget != 0u ? engine->spare : 0u;
    rts_status status = warm_up(engine, &pace, operations, &stop);
    if (status == RTS_OK && stop == NULL) {
        rts_run_part(run);
        rts_run_mode(run, (item->raw != 0u ? (uint32_t)RTS_RUN_RAW : 0u) |
                              (run->bursting != NULL ? (uint32_t)RTS_RUN_PARTED : 0u));
        status = item->pass == RTS_PLAN_BATCH ? run_batch(engine, &pace, operations, &stop)
                                              : run_single(engine, &pace, &stop);
        rts_run_mode(run, 0);
    }
    outcome->elapsed = rts_run_now(run) - run->origin;
#ifdef RTS_PORT_WATCHES
    rts_port_watch_end(watched, run);
#endif
    outcome->status = status == RTS_INTERRUPTED ? RTS_OK : status;
    outcome->stop = stop != NULL ? stop : stop_of(status);
    engine->interrupted = engine->interrupted || status == RTS_INTERRUPTED;
}

static void skip(rts_engine *engine, const rts_plan_item *item, const char *reason, const char *service,
                 const char *text)
{
    rts_report_skip(item, reason, service, text, &engine->writer);
    engine->skipped++;
}

/** Skips the item if the port lacks a service. */
static bool lacks(rts_engine *engine, const rts_plan_item *item, uint32_t services)
{
    rts_service missing = RTS_SERVICE_THREADS;
    const rts_status status = rts_services_missing(services, &missing);
    if (status == RTS_OK) {
        return false;
    }
    skip(engine, item, status == RTS_DENIED ? "denied" : "unsupported", rts_service_name(missing),
         rts_port_why_not(missing));
    return true;
}

/** True if the item's class has fixed priorities here: a kernel without any, or that refuses them, gives all the same number. */
static bool has_priorities(const rts_plan_item *item)
{
    const rts_sched sched = (rts_sched)item->sched;
    return rts_port_priority_native(RTS_PRIORITY_LOW, sched) != rts_port_priority_native(RTS_PRIORITY_HIGH, sched);
}

/** The reason of a skip, from the status of a setup or of a load's start. */
static const char *reason_of(rts_status status)
{
    switch (status) {
    case RTS_UNSUPPORTED:
    case RTS_DENIED:
    case RTS_INVALID:
    case RTS_INTERRUPTED:
        return rts_status_name(status);
    default:
        return "failed";
    }
}

/** Finds what the item names and asks the port for its services. False when it was skipped. */
static bool resolve(rts_engine *engine, const rts_plan_item *item)
{
    uint32_t choice = 0;
    const rts_measurement *measurement = rts_measurement_find(item->measurement, &choice);
    rts_load_fault fault;
    const bool batch = item->pass == RTS_PLAN_BATCH;
    if (measurement == NULL) {
        skip(engine, item, "unknown", NULL, "this engine has no such measurement");
        return false;
    }
    if (!rts_load_set_find(&engine->run.loads, item->load, &fault)) {
        skip(engine, item, fault.reason, fault.service, fault.why);
        return false;
    }
    if ((measurement->passes & (uint32_t)(batch ? RTS_PASS_BATCH : RTS_PASS_SINGLE)) == 0u) {
        skip(engine, item, "unsupported", NULL,
             batch ? "this measurement has no batch pass" : "this measurement has no single pass");
        return false;
    }
    rts_run_begin(&engine->run, &engine->plan, item, measurement, choice, &engine->clocks);
    if (lacks(engine, item, rts_run_services(&engine->run))) {
        return false;
    }
    if ((measurement->traits & RTS_PRIORITIZED) != 0u && !has_priorities(item)) {
        skip(engine, item, item->sched == (uint32_t)RTS_SCHED_RT ? "denied" : "unsupported", NULL,
             "it needs fixed priorities, and all threads of this class have the same one here");
        return false;
    }
    if (rts_port_cpu_resolve(item->cpu, &engine->run.cpu) != RTS_OK) {
        skip(engine, item, "invalid", NULL, "there is no such CPU");
        return false;
    }
    return true;
}

static void teardown(rts_run *run)
{
    if (run->measurement->teardown != NULL) {
        run->measurement->teardown(run);
    }
}

/** Its own seed: the measurement's random numbers are the same with and without a load. */
static bool start_loads(rts_engine *engine, const rts_plan_item *item, rts_load_fault *fault)
{
    const uint64_t seed = rts_random_seed(engine->plan.seed, engine->plan.repetition, item->number + LOAD_SEEDS);
    const rts_load_spec spec = {engine->run.cpu, item->intensity, seed};
    return rts_load_set_start(&engine->run.loads, &spec, fault);
}

/** A load that did not do what it promises makes its item invalid. */
static void check_loads(rts_run *run)
{
    for (uint32_t i = 0; i < run->loads.count; i++) {
        const rts_load *const load = run->loads.load[i];
        if (load->faults != NULL) {
            rts_run_check(run, "load-faults", load->faults(run->loads.state[i]), 0, 0);
        }
    }
}

static bool tried_before(const rts_engine *engine, uint32_t number)
{
    const rts_plan_item *const item = &engine->plan.item[number];
    for (uint32_t i = 0; i < number; i++) {
        const rts_plan_item *const other = &engine->plan.item[i];
        if (rts_text_equal(item->load, other->load) && item->intensity == other->intensity && item->cpu == other->cpu) {
            return true;
        }
    }
    return false;
}

const rts_plan_item *rts_engine_try_loads(rts_engine *engine, rts_load_fault *fault)
{
    for (uint32_t i = 0; i < engine->plan.count && !rts_engine_ends(engine); i++) {
        const rts_plan_item *const item = &engine->plan.item[i];
        if (tried_before(engine, i) || rts_port_cpu_resolve(item->cpu, &engine->run.cpu) != RTS_OK) {
            continue; /* a CPU that is not there is the item's own fault */
        }
        if (!rts_load_set_find(&engine->run.loads, item->load, fault) || !start_loads(engine, item, fault)) {
            return item;
        }
        rts_load_set_stop(&engine->run.loads);
    }
    return NULL;
}

void rts_engine_item(rts_engine *engine, const rts_plan_item *item)
{
    rts_run *run = &engine->run;
    rts_outcome outcome = {RTS_OK, "count", 0};
    rts_load_fault fault;
    if (!resolve(engine, item)) {
        return;
    }
    if (!start_loads(engine, item, &fault)) {
        skip(engine, item, reason_of(fault.status), NULL, fault.why);
        return;
    }
    const rts_status made = run->measurement->setup != NULL ? run->measurement->setup(run) : RTS_OK;
    if (made == RTS_OK) {
        measure(engine, &outcome);
    }
    teardown(run);
    rts_load_set_stop(&run->loads);
    check_loads(run);
    if (made != RTS_OK) {
        skip(engine, item, reason_of(made), NULL, run->why != NULL ? run->why : "what it needs could not be made");
        return;
    }
    if (item->pass == RTS_PLAN_BATCH) {
        rts_report_batch(run, &engine->writer);
    }
    rts_report_load(run, &engine->writer);
    rts_report_end(run, &outcome, &engine->writer);
    engine->measured++;
}
