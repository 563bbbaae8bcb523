/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reports one item of the plan.
 */
#include "report.h"

#include "services.h"

const char *rts_status_name(rts_status status)
{
    static const char *const name[] = {
        [RTS_OK] = "ok",
        [RTS_UNSUPPORTED] = "unsupported",
        [RTS_DENIED] = "denied",
        [RTS_NO_MEMORY] = "no-memory",
        [RTS_INVALID] = "invalid",
        [RTS_BROKEN] = "broken",
        [RTS_INTERRUPTED] = "interrupted",
        [RTS_FAILED] = "failed",
    };
    return name[status];
}

static void begin(const rts_run *run, const char *type, rts_writer *writer)
{
    rts_record_begin(writer, type);
    rts_record_unsigned(writer, "item", run->item->number);
    rts_record_head(writer);
}

static void begin_series(const rts_run *run, const char *type, uint32_t series, rts_writer *writer)
{
    rts_record_begin(writer, type);
    rts_record_unsigned(writer, "item", run->item->number);
    rts_record_unsigned(writer, "series", series);
    rts_record_head(writer);
}

static void note(const rts_run *run, const char *kind, const char *service, const char *text, rts_writer *writer)
{
    rts_record_begin(writer, "note");
    rts_record_unsigned(writer, "item", run->item->number);
    rts_record_name(writer, "kind", kind);
    rts_record_name(writer, "service", service);
    rts_record_head(writer);
    rts_record_text(writer, "text", text);
    rts_record_end(writer);
}

static void notes(const rts_run *run, rts_writer *writer)
{
    const uint32_t services = rts_run_services(run) | rts_load_set_services(&run->loads);
    for (uint32_t i = 0; i < (uint32_t)RTS_SERVICE_COUNT; i++) {
        const char *substitute = (services & (1u << i)) != 0u ? rts_port_substitute((rts_service)i) : NULL;
        if (substitute != NULL) {
            note(run, "substituted", rts_service_name((rts_service)i), substitute, writer);
        }
    }
    for (uint32_t i = 0; i < run->loads.count; i++) {
        const rts_load *const load = run->loads.load[i];
        const char *const remark = load->remark != NULL ? load->remark(run->loads.state[i]) : NULL;
        if (load->substitutes != NULL) {
            note(run, "substituted", "load", load->substitutes, writer);
        }
        if (remark != NULL) {
            note(run, "environment", "load", remark, writer);
        }
    }
}

void rts_report_begin(const rts_run *run, uint32_t operations, rts_writer *writer)
{
    const rts_priority priority = run->top_priority < 0 ? RTS_PRIORITY_HIGH : (rts_priority)run->top_priority;
    begin(run, "begin", writer);
    rts_record_name(writer, "measurement", run->item->measurement);
    rts_record_name(writer, "pass", run->item->pass == RTS_PLAN_BATCH ? "batch" : "single");
    rts_record_name(writer, "load", run->item->load);
    rts_record_unsigned(writer, "clock", rts_run_clock(run)->id);
    rts_record_big(writer, "at", run->origin);
    rts_record_unsigned(writer, "sub_bits", RTS_PORT_SUB_BITS);
    rts_record_unsigned(writer, "max_bits", RTS_PORT_MAX_BITS);
    rts_record_unsigned(writer, "negative_bits", RTS_PORT_NEGATIVE_BITS);
    rts_record_unsigned(writer, "ops", operations);
    rts_record_signed(writer, "priority", rts_port_priority_native(priority, (rts_sched)run->item->sched));
    rts_record_signed(writer, "cpu", run->cpu);
    rts_record_big(writer, "window_ticks", run->recorder[0].window_width);
    rts_record_unsigned(writer, "meaning", run->measurement->meaning);
    if (run->item->pass == RTS_PLAN_BATCH) {
        const uint32_t limit = run->measurement->batch_limit;
        rts_record_unsigned(writer, "readings", limit == 0u ? 1u : (operations + limit - 1u) / limit);
    }
    const char *const entered = rts_run_entered(run);
    if (entered != NULL) {
        rts_record_name(writer, "entered", entered);
    }
    rts_record_end(writer);
    for (uint32_t i = 0; i < run->series_count; i++) {
        if (run->series[i] != NULL) {
            begin(run, "series", writer);
            rts_record_unsigned(writer, "index", i);
            rts_record_name(writer, "name", run->series[i]);
            rts_record_end(writer);
        }
    }
    notes(run, writer);
}

void rts_report_samples(rts_run *run, rts_writer *writer)
{
    for (uint32_t s = 0; s < run->series_count; s++) {
        rts_raw *raw = &run->raw[s];
        for (uint32_t i = 0; i < raw->count;) {
            begin_series(run, "samples", s, writer);
            rts_record_unsigned(writer, "first", raw->first + i);
            rts_record_list(writer, "v");
            for (; i < raw->count && rts_record_list_room(writer, 1); i++) {
                rts_record_list_signed(writer, raw->held[i]);
            }
            rts_record_end(writer);
        }
        raw->count = 0;
    }
}

void rts_report_batch(rts_run *run, rts_writer *writer)
{
    rts_raw *raw = &run->raw[0];
    for (uint32_t i = 0; i < raw->count;) {
        begin(run, "batch", writer);
        rts_record_unsigned(writer, "first", raw->first + i);
        rts_record_list(writer, "v");
        for (; i < raw->count && rts_record_list_room(writer, 1); i++) {
            rts_record_list_signed(writer, raw->held[i]);
        }
        rts_record_end(writer);
    }
    raw->first += raw->count;
    raw->count = 0;
}

static void histogram(const rts_run *run, uint32_t series, const char *side, const RTS_PORT_COUNT_TYPE *bucket,
                      size_t buckets, rts_writer *writer)
{
    bool open = false;
    for (size_t i = 0; i < buckets; i++) {
        if (bucket[i] == 0u) {
            continue;
        }
        if (open && !rts_record_list_room(writer, 2)) {
            rts_record_end(writer);
            open = false;
        }
        if (!open) {
            begin_series(run, "hist", series, writer);
            rts_record_name(writer, "side", side);
            rts_record_list(writer, "b");
            open = true;
        }
        rts_record_list_signed(writer, (int64_t)i);
        rts_record_list_signed(writer, (int64_t)bucket[i]);
    }
    if (open) {
        rts_record_end(writer);
    }
}

static void extremes(const rts_run *run, uint32_t series, rts_writer *writer)
{
    const rts_recorder *recorder = &run->recorder[series];
    for (uint32_t i = 0; i < recorder->extreme_count; i++) {
        const rts_extreme *extreme = &recorder->extreme[i];
        begin_series(run, "extreme", series, writer);
        rts_record_signed(writer, "value", extreme->value);
        rts_record_big(writer, "index", extreme->index);
        rts_record_big_signed(writer, "at", rts_wide_from_signed((int64_t)(extreme->at - run->origin)));
        rts_record_end(writer);
    }
}

static void windows(const rts_run *run, uint32_t series, rts_writer *writer)
{
    const rts_recorder *recorder = &run->recorder[series];
    for (uint32_t i = 0; i < recorder->window_used;) {
        begin_series(run, "window", series, writer);
        rts_record_unsigned(writer, "first", i);
        rts_record_big(writer, "width", recorder->window_width);
        rts_record_list(writer, "v");
        for (; i < recorder->window_used && rts_record_list_room(writer, 1); i++) {
            if (recorder->window[i] == RTS_WINDOW_EMPTY) {
                rts_record_list_null(writer);
            } else {
                rts_record_list_signed(writer, recorder->window[i]);
            }
        }
        rts_record_end(writer);
    }
}

static void checks(const rts_run *run, rts_writer *writer)
{
    for (uint32_t i = 0; i < run->check_count; i++) {
        begin(run, "check", writer);
        rts_record_name(writer, "name", run->check[i].name);
        rts_record_big(writer, "value", run->check[i].value);
        rts_record_big(writer, "low", run->check[i].low);
        rts_record_big(writer, "high", run->check[i].high);
        rts_record_end(writer);
    }
}

static void figures(const rts_run *run, rts_writer *writer)
{
    for (uint32_t i = 0; i < run->figure_count; i++) {
        begin(run, "figure", writer);
        rts_record_name(writer, "name", run->figure[i].name);
        rts_record_name(writer, "unit", run->figure[i].unit);
        rts_record_big(writer, "value", run->figure[i].value);
        rts_record_end(writer);
    }
}

/** Events that the measurement recorded, in the order in which it recorded them. */
static void events(const rts_run *run, rts_writer *writer)
{
    for (uint32_t i = 0; i < run->event_count; i++) {
        const rts_event *const told = &run->event[i];
        begin(run, "event", writer);
        rts_record_text(writer, "kind", told->kind);
        rts_record_big_signed(writer, "at", rts_wide_from_signed((int64_t)(told->at - run->origin)));
        rts_record_big(writer, "value", told->value);
        if (told->ticks != 0u) {
            rts_record_big(writer, "ticks", told->ticks);
        }
        if (told->task[0] != '\0') {
            rts_record_name(writer, "task", told->task);
            rts_record_signed(writer, "pid", told->pid);
            rts_record_signed(writer, "priority", told->priority);
        }
        rts_record_end(writer);
    }
}

/** A figure of a series: its name, then what of it was counted. */
static void part_figure(const rts_run *run, uint32_t series, const char *what, uint64_t value, rts_writer *writer)
{
    char name[96];
    size_t length = 0;
    const char *const words[] = {run->series[series], what};
    for (size_t i = 0; i < 2u; i++) {
        for (const char *at = words[i]; *at != '\0' && length < sizeof name - 1u; at++) {
            name[length++] = *at;
        }
    }
    name[length] = '\0';
    begin(run, "figure", writer);
    rts_record_name(writer, "name", name);
    rts_record_name(writer, "unit", "samples");
    rts_record_big(writer, "value", value);
    rts_record_end(writer);
}

/** Of each series: the samples in bursts of the load and between them, and how many of either were above the limit. */
static void parts(const rts_run *run, rts_writer *writer)
{
    for (uint32_t s = 0; s < run->series_count && run->bursting != NULL; s++) {
        if (run->series[s] == NULL) {
            continue;
        }
        const rts_part *const part = run->part[s];
        part_figure(run, s, "-in-bursts", part[1].samples, writer);
        part_figure(run, s, "-in-bursts-above-" RTS_PART_LIMIT_NAME, part[1].above, writer);
        part_figure(run, s, "-between-bursts", part[0].samples, writer);
        part_figure(run, s, "-between-bursts-above-" RTS_PART_LIMIT_NAME, part[0].above, writer);
    }
}

static void event(const rts_run *run, const char *kind, const rts_outcome *outcome, rts_writer *writer)
{
    begin(run, "event", writer);
    rts_record_name(writer, "kind", kind);
    rts_record_big(writer, "at", outcome->elapsed);
    rts_record_big(writer, "value", run->recorder[0].count);
    rts_record_end(writer);
}

static void end(const rts_run *run, uint32_t series, const char *status, const rts_outcome *outcome, rts_writer *writer)
{
    const rts_recorder *recorder = &run->recorder[series];
    begin_series(run, "end", series, writer);
    rts_record_name(writer, "status", status);
    rts_record_name(writer, "stop", outcome->stop);
    rts_record_big(writer, "count", recorder->count);
    rts_record_big(writer, "overflow", recorder->overflow);
    rts_record_big(writer, "dropped", run->raw[series].dropped);
    if (recorder->count != 0u) {
        rts_record_signed(writer, "min", recorder->minimum);
        rts_record_signed(writer, "max", recorder->maximum);
    }
    rts_record_big_signed(writer, "sum", recorder->sum);
    rts_record_big_wide(writer, "sumsq", recorder->sum_of_squares);
    rts_record_big(writer, "elapsed", outcome->elapsed);
    rts_record_end(writer);
}

void rts_report_end(rts_run *run, const rts_outcome *outcome, rts_writer *writer)
{
    const char *status = rts_run_checks_hold(run) ? "ok" : "invalid";
    if (outcome->status != RTS_OK) {
        status = "failed";
        event(run, rts_status_name(outcome->status), outcome, writer);
    }
    if (run->broke) {
        status = "failed";
        event(run, "contract-broken", outcome, writer);
    }
    if (run->remark != NULL) {
        note(run, "environment", "", run->remark, writer);
    }
    events(run, writer);
    checks(run, writer);
    figures(run, writer);
    parts(run, writer);
    for (uint32_t s = 0; s < run->series_count; s++) {
        if (!rts_recorder_sound(&run->recorder[s])) {
            status = "failed";
            event(run, "beyond-exact-integers", outcome, writer);
        }
        if (run->item->pass == RTS_PLAN_SINGLE) {
            rts_recorder_settle(&run->recorder[s]);
            histogram(run, s, "-", run->recorder[s].negative, RTS_NEGATIVE_BUCKETS, writer);
            histogram(run, s, "+", run->recorder[s].positive, RTS_POSITIVE_BUCKETS, writer);
            extremes(run, s, writer);
            windows(run, s, writer);
        }
    }
    for (uint32_t s = 0; s < run->series_count; s++) {
        if (run->series[s] != NULL) {
            end(run, s, status, outcome, writer);
        }
    }
}

/** What load_fact needs beside the fact. */
typedef struct load_target {
    const rts_run *run;
    const rts_load *load;
    rts_writer *writer;
} load_target;

static void load_fact(void *arg, const char *key, uint64_t value)
{
    const load_target *target = arg;
    begin(target->run, "load", target->writer);
    rts_record_name(target->writer, "name", target->load->name);
    rts_record_name(target->writer, "key", key);
    rts_record_big(target->writer, "value", value);
    rts_record_end(target->writer);
}

void rts_report_load(rts_run *run, rts_writer *writer)
{
    for (uint32_t i = 0; i < run->loads.count; i++) {
        load_target target = {run, run->loads.load[i], writer};
        load_fact(&target, "intensity", rts_load_set_intensity(&run->loads, i, run->item->intensity));
        target.load->achieved(run->loads.state[i], load_fact, &target);
    }
}

void rts_report_skip(const rts_plan_item *item, const char *reason, const char *service, const char *text,
                     rts_writer *writer)
{
    rts_record_begin(writer, "skip");
    rts_record_unsigned(writer, "item", item->number);
    rts_record_name(writer, "measurement", item->measurement);
    rts_record_head(writer);
    rts_record_name(writer, "reason", reason);
    rts_record_name(writer, "service", service == NULL ? "" : service);
    rts_record_text(writer, "text", text == NULL ? "" : text);
    rts_record_end(writer);
}
