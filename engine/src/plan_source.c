/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where a plan comes from: the port's carrier, or the built-in default.
 */
#include "bytes.h"
#include "plan.h"
#include "rtstone/measurement.h"

/** Cuts what the carrier gives into lines. Nothing is read past `go`: a serial line would wait for ever. */
bool rts_plan_receive(rts_plan_reader *reader, rts_plan *plan)
{
    char line[RTS_LINE_BYTES + 1u]; /* a CR may come on top */
    char chunk[128];
    size_t length = 0;
    bool any = false;
    bool too_long = false;
    rts_plan_begin(reader, plan);
    while (reader->state == RTS_PLAN_WANTS_MORE) {
        const long got = rts_port_plan_read(chunk, sizeof chunk);
        if (got < 0) {
            rts_plan_refuse(reader, "the carrier of the plan cannot be read", NULL);
            return true;
        }
        if (got == 0) {
            break;
        }
        any = true;
        for (long i = 0; i < got && reader->state == RTS_PLAN_WANTS_MORE; i++) {
            if (chunk[i] == '\n') {
                if (too_long && line[0] == '~') {
                    rts_plan_refuse(reader, "line too long", NULL);
                } else if (!too_long) {
                    rts_plan_line(reader, line, length);
                }
                length = 0;
                too_long = false;
            } else if (length < sizeof line) {
                line[length++] = chunk[i];
            } else {
                too_long = true;
            }
        }
    }
    if (any && length > 0u && !too_long) {
        rts_plan_line(reader, line, length);
    }
    if (any) {
        rts_plan_end(reader);
    }
    return any;
}

size_t rts_plan_built_in(rts_plan *plan)
{
    size_t wanted = 0;
    memset(plan, 0, sizeof *plan);
    plan->seed = 1;
    for (size_t m = 0; m < rts_measurement_count; m++) {
        const rts_measurement *const measurement = rts_measurements[m];
        for (uint32_t choice = 0; choice < rts_measurement_names(measurement); choice++, wanted++) {
            if (plan->count == (uint32_t)RTS_PORT_ITEMS) {
                continue;
            }
            rts_plan_item *const item = &plan->item[plan->count];
            rts_plan_item_default(item);
            item->number = plan->count++;
            item->pass = (measurement->passes & (uint32_t)RTS_PASS_SINGLE) != 0u ? RTS_PLAN_SINGLE : RTS_PLAN_BATCH;
            rts_measurement_name(measurement, choice, item->measurement);
        }
    }
    return wanted - plan->count;
}
