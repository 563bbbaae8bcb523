/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tells the plan as the engine understood it, defaults filled in.
 */
#include "plan.h"
#include "rtstone/engine.h"

static void tell_item(const rts_plan_item *item, rts_writer *writer)
{
    rts_record_begin(writer, "item");
    rts_record_unsigned(writer, "item", item->number);
    rts_record_head(writer);
    rts_record_name(writer, "measurement", item->measurement);
    rts_record_name(writer, "pass", item->pass == RTS_PLAN_BATCH ? "batch" : "single");
    rts_record_unsigned(writer, "count", item->count);
    rts_record_unsigned(writer, "sets", item->sets);
    rts_record_unsigned(writer, "budget_ms", item->budget_ms);
    rts_record_unsigned(writer, "warmup", item->warmup);
    rts_record_name(writer, "load", item->load);
    rts_record_unsigned(writer, "intensity", item->intensity);
    rts_record_name(writer, "sched", item->sched == (uint32_t)RTS_SCHED_TS ? "ts" : "rt");
    rts_record_name(writer, "cache", item->cache == RTS_PLAN_FLUSHED ? "flushed" : "warm");
    rts_record_signed(writer, "cpu", item->cpu);
    rts_record_unsigned(writer, "period_ns", item->period_ns);
    rts_record_unsigned(writer, "phase_ns", item->phase_ns);
    rts_record_name(writer, "timer", item->timer);
    rts_record_name(writer, "window", item->window);
    rts_record_unsigned(writer, "trace_over_ns", item->trace_over_ns);
    rts_record_unsigned(writer, "raw", item->raw);
    if (item->spare != 0u) {
        rts_record_unsigned(writer, "spare", item->spare);
    }
    rts_record_end(writer);
}

void rts_plan_tell(const rts_plan *plan, rts_writer *writer)
{
    rts_record_begin(writer, "plan");
    rts_record_name(writer, "v", RTS_PLAN_VERSION);
    rts_record_big(writer, "seed", plan->seed);
    rts_record_unsigned(writer, "repetition", plan->repetition);
    rts_record_unsigned(writer, "items", plan->count);
    if (plan->loads_required) {
        rts_record_unsigned(writer, "loads_required", 1);
    }
    rts_record_end(writer);
    for (uint32_t i = 0; i < plan->count; i++) {
        tell_item(&plan->item[i], writer);
    }
}
