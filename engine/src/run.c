/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a measurement may ask of the engine while it runs.
 */
#include "run.h"

#include "bytes.h"
#include "rtstone/text.h"

/** splitmix64 (Steele, Lea & Flood 2014): one addition and three mixings a number, every 64-bit state is fine. */
uint64_t rts_random_next(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t mixed = *state;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

uint64_t rts_random_seed(uint64_t seed, uint32_t repetition, uint32_t item)
{
    uint64_t state = seed;
    state = rts_random_next(&state) ^ repetition;
    state = rts_random_next(&state) ^ item;
    return rts_random_next(&state);
}

const char *rts_run_entered(const rts_run *run)
{
    return (run->measurement->traits & RTS_ENTERS) != 0u ? rts_port_timer_entered(run->item->timer) : NULL;
}

/** The wake-up of a thread is called that, and not the response of a handler that is not there. */
static void name_entry(rts_run *run)
{
    static const char *const names[][2] = {{"interrupt-service-response", "thread-wake-up"},
                                           {"top-to-bottom-half", "second-thread-wake-up"}};
    const char *const entered = rts_run_entered(run);
    if (entered == NULL || !rts_text_equal(entered, RTS_ENTERED_THREAD)) {
        return;
    }
    for (uint32_t s = 0; s < run->series_count; s++) {
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
            if (rts_text_equal(run->series[s], names[n][0])) {
                run->series[s] = names[n][1];
            }
        }
    }
}

void rts_run_begin(rts_run *run, const rts_plan *plan, const rts_plan_item *item, const rts_measurement *measurement,
                   uint32_t choice, const rts_clocks *clocks)
{
    const bool single = item->pass == RTS_PLAN_SINGLE;
    run->flushes = item->cache == RTS_PLAN_FLUSHED;
    run->broke = false;
    run->why = NULL;
    run->remark = NULL;
    run->plan = plan;
    run->item = item;
    run->measurement = measurement;
    run->choice = choice;
    run->clocks = clocks;
    run->cpu = item->cpu;
    run->top_priority = -1;
    run->origin = 0;
    run->random = rts_random_seed(plan->seed, plan->repetition, item->number);
    run->check_count = 0;
    run->figure_count = 0;
    run->event_count = 0;
    run->series_count = 0;
    run->bursting = NULL;
    while (run->series_count < (single ? RTS_SERIES_MAX : 1u) && measurement->series[run->series_count] != NULL) {
        run->series[run->series_count] = measurement->series[run->series_count];
        run->series_count++;
    }
    if (measurement->choice_count != 0u) {
        run->series[run->series_count++] = item->measurement;
    }
    name_entry(run);
    rts_run_mode(run, 0);
    memset(run->state, 0, sizeof run->state);
}

uint32_t rts_run_choice(const rts_run *run)
{
    return run->choice;
}

void rts_run_series(rts_run *run, uint32_t series, const char *name)
{
    if (series >= run->series_count || (series == 0u && name == NULL)) {
        run->broke = true;
        return;
    }
    run->series[series] = name;
}

void rts_run_mode(rts_run *run, uint32_t mode)
{
    run->mode = mode;
    run->quick_series = mode == 0u ? run->series_count : 0u;
}

void rts_run_part(rts_run *run)
{
    run->bursting = NULL;
    for (uint32_t i = 0; i < run->loads.count && run->bursting == NULL; i++) {
        if (run->loads.load[i]->in_burst != NULL) {
            run->bursting = run->loads.load[i];
            run->burst_state = run->loads.state[i];
        }
    }
    run->part_limit = rts_clock_ticks_from_ns(rts_run_clock(run)->hz, RTS_PART_LIMIT_NS);
    memset(run->part, 0, sizeof run->part);
}

const rts_clock_info *rts_run_clock(const rts_run *run)
{
    return (run->measurement->traits & RTS_ON_TIMER) != 0u ? &run->clocks->timer : &run->clocks->run;
}

rts_ticks rts_run_now(const rts_run *run)
{
    return (run->measurement->traits & RTS_ON_TIMER) != 0u ? rts_timer_clock_read() : rts_clock_read();
}

void *rts_run_state(rts_run *run)
{
    return run->state;
}

static RTS_NOINLINE void sample_apart(rts_run *run, uint32_t series, rts_latency ticks, rts_ticks at)
{
    if (series >= run->series_count || run->series[series] == NULL) {
        run->broke = true;
        return;
    }
    if ((run->mode & (uint32_t)RTS_RUN_WARMING) != 0u) {
        return;
    }
    rts_recorder_add(&run->recorder[series], ticks, at);
    if ((run->mode & (uint32_t)RTS_RUN_PARTED) != 0u) {
        rts_part *const part = &run->part[series][run->bursting->in_burst(run->burst_state) ? 1 : 0];
        part->samples++;
        part->above += ticks > 0 && (rts_ticks)ticks > run->part_limit ? 1u : 0u;
    }
    if ((run->mode & (uint32_t)RTS_RUN_RAW) == 0u) {
        return;
    }
    rts_raw *raw = &run->raw[series];
    if (raw->count < RTS_PORT_RAW_SAMPLES) {
        raw->held[raw->count++] = ticks;
    } else {
        raw->dropped++;
    }
}

void rts_run_sample(rts_run *run, uint32_t series, rts_latency ticks, rts_ticks at)
{
    if (RTS_RARE(series >= run->quick_series)) {
        sample_apart(run, series, ticks, at);
        return;
    }
    rts_recorder_add(&run->recorder[series], ticks, at);
}

void rts_run_before(rts_run *run)
{
    if (run->flushes && rts_port_cache_flush() != RTS_OK) {
        run->broke = true;
    }
}

void rts_run_check(rts_run *run, const char *name, uint64_t value, uint64_t low, uint64_t high)
{
    uint32_t i = 0;
    while (i < run->check_count && !rts_text_equal(run->check[i].name, name)) {
        i++;
    }
    if (i == RTS_CHECKS) {
        run->broke = true;
        return;
    }
    if (i == run->check_count) {
        const rts_check empty = {name, 0, 0, 0};
        run->check[i] = empty;
        run->check_count++;
    }
    run->check[i].value += value;
    run->check[i].low += low;
    run->check[i].high += high;
}

void rts_run_remark(rts_run *run, const char *text)
{
    run->remark = text;
}

void rts_run_why(rts_run *run, const char *text)
{
    run->why = text;
}

void rts_run_figure(rts_run *run, const char *name, const char *unit, uint64_t value)
{
    if (rts_run_warming(run)) {
        return;
    }
    uint32_t i = 0;
    while (i < run->figure_count && !rts_text_equal(run->figure[i].name, name)) {
        i++;
    }
    if (i == RTS_FIGURES) {
        run->broke = true;
        return;
    }
    if (i == run->figure_count) {
        const rts_figure empty = {name, unit, 0};
        run->figure[i] = empty;
        run->figure_count++;
    }
    if (!rts_text_equal(run->figure[i].unit, unit)) {
        run->broke = true;
    }
    run->figure[i].value += value;
}

void rts_run_event(rts_run *run, const rts_event *event)
{
    if (run->event_count == RTS_PORT_EVENTS) {
        rts_run_figure(run, "events-dropped", "events", 1);
        return;
    }
    run->event[run->event_count++] = *event;
}

uint32_t rts_run_event_room(const rts_run *run)
{
    return RTS_PORT_EVENTS - run->event_count;
}

uint32_t rts_run_services(const rts_run *run)
{
    uint32_t services = run->measurement->services;
    if (run->item->sched == (uint32_t)RTS_SCHED_TS) {
        services |= 1u << RTS_SERVICE_TIME_SHARING;
    }
    if (run->item->cache == RTS_PLAN_FLUSHED) {
        services |= 1u << RTS_SERVICE_CACHE_FLUSH;
    }
    return services;
}

bool rts_run_checks_hold(const rts_run *run)
{
    for (uint32_t i = 0; i < run->check_count; i++) {
        if (run->check[i].value < run->check[i].low || run->check[i].value > run->check[i].high) {
            return false;
        }
    }
    return true;
}

rts_thread_attr rts_run_thread(rts_run *run, const char *name, rts_priority priority)
{
    if ((int32_t)priority > run->top_priority) {
        run->top_priority = (int32_t)priority;
    }
    const rts_thread_attr attr = {name, priority, (rts_sched)run->item->sched, RTS_SPACE_SHARED, run->cpu};
    return attr;
}

rts_timer_spec rts_run_timer(const rts_run *run)
{
    const uint64_t hz = run->clocks->timer.hz;
    rts_timer_spec spec = {
        .period = rts_clock_ticks_from_ns(hz, run->item->period_ns),
        .phase = rts_clock_ticks_from_ns(hz, run->item->phase_ns),
        .source = run->item->timer,
        .cpu = run->cpu,
        .sched = (rts_sched)run->item->sched,
    };
    if (spec.period == 0u) {
        spec.period = 1;
    }
    return spec;
}

const char *rts_run_window(const rts_run *run)
{
    return run->item->window;
}

uint32_t rts_run_trace_over_ns(const rts_run *run)
{
    return run->item->trace_over_ns;
}

uint64_t rts_run_random(rts_run *run)
{
    return rts_random_next(&run->random);
}

bool rts_run_warming(const rts_run *run)
{
    return (run->mode & (uint32_t)RTS_RUN_WARMING) != 0u;
}
