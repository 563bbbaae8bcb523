/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reads a plan line by line. Any deviation from spec/plan.md refuses the whole plan. Writes the plan that was read to the record.
 */
#include "plan.h"

#include "bytes.h"
#include "frame.h"
#include "plan_item.h"
#include "rtstone/engine.h"
#include "text.h"

void rts_plan_begin(rts_plan_reader *reader, rts_plan *plan)
{
    memset(reader, 0, sizeof *reader);
    memset(plan, 0, sizeof *plan);
    reader->plan = plan;
}

static void append(char *out, size_t *length, const char *text)
{
    for (; *text != '\0' && *length + 1u < RTS_PLAN_REFUSAL_BYTES; text++) {
        out[(*length)++] = *text;
    }
}

rts_plan_state rts_plan_refuse(rts_plan_reader *reader, const char *why, const char *which)
{
    char number[RTS_NUMBER_BYTES + 1u];
    size_t length = 0;
    number[rts_format_unsigned(number, reader->lines)] = '\0';
    append(reader->refusal, &length, "plan refused at its record ");
    append(reader->refusal, &length, number);
    append(reader->refusal, &length, ": ");
    if (which != NULL) {
        append(reader->refusal, &length, which);
        append(reader->refusal, &length, " ");
    }
    append(reader->refusal, &length, why);
    reader->refusal[length] = '\0';
    reader->state = RTS_PLAN_REFUSED;
    return reader->state;
}

/** Reads `"major.minor"`. */
static bool major_version(const rts_flat_pair *pair, uint64_t *major)
{
    uint64_t minor = 0;
    size_t dot = 0;
    while (dot < pair->text_length && pair->text[dot] != '.') {
        dot++;
    }
    return pair->is_string && dot < pair->text_length && rts_parse_unsigned(pair->text, dot, major) &&
           rts_parse_unsigned(pair->text + dot + 1u, pair->text_length - dot - 1u, &minor);
}

static rts_plan_state read_header(rts_plan_reader *reader, rts_flat *flat)
{
    enum { V = 1, SEED = 2, REPETITION = 4, ITEMS = 8, LOADS_REQUIRED = 16 };
    rts_plan *plan = reader->plan;
    uint32_t seen = 0;
    uint32_t now = 0;
    rts_flat_pair pair;
    rts_flat_result result = rts_flat_next(flat, &pair);
    for (; result == RTS_FLAT_PAIR; result = rts_flat_next(flat, &pair)) {
        int64_t number = -1;
        uint64_t major = 0;
        const bool integer = rts_flat_integer(&pair, &number);
        if (rts_flat_is(&pair, "v")) {
            now = V;
            if (!major_version(&pair, &major)) {
                return rts_plan_refuse(reader, "is not a version", "v");
            }
            if (major != 1u) {
                return rts_plan_refuse(reader, "is a major version that this engine does not know", "v");
            }
        } else if (rts_flat_is(&pair, "seed")) {
            now = SEED;
            if (!pair.is_string || !rts_parse_unsigned(pair.text, pair.text_length, &plan->seed)) {
                return rts_plan_refuse(reader, "is not a decimal string below 2^64", "seed");
            }
        } else if (rts_flat_is(&pair, "repetition")) {
            now = REPETITION;
            if (!integer || number < 0 || number > (int64_t)UINT32_MAX) {
                return rts_plan_refuse(reader, "is out of range", "repetition");
            }
            plan->repetition = (uint32_t)number;
        } else if (rts_flat_is(&pair, "items")) {
            now = ITEMS;
            if (!integer || number < 1 || number > 65536) {
                return rts_plan_refuse(reader, "is out of range", "items");
            }
            if (number > (int64_t)RTS_PORT_ITEMS) {
                return rts_plan_refuse(reader, "are more than this engine holds", "items");
            }
            plan->count = (uint32_t)number;
        } else if (rts_flat_is(&pair, "loads_required")) {
            now = LOADS_REQUIRED;
            if (!integer || number < 0 || number > 1) {
                return rts_plan_refuse(reader, "is out of range", "loads_required");
            }
            plan->loads_required = number == 1;
        } else {
            continue;
        }
        if ((seen & now) != 0u) {
            return rts_plan_refuse(reader, "has a key twice", "plan");
        }
        seen |= now;
    }
    if (result == RTS_FLAT_MALFORMED) {
        return rts_plan_refuse(reader, "is not a flat JSON object", "plan");
    }
    if ((seen | LOADS_REQUIRED) != (V | SEED | REPETITION | ITEMS | LOADS_REQUIRED)) {
        return rts_plan_refuse(reader, "lacks one of v, seed, repetition, items", "plan");
    }
    reader->announced = true;
    return reader->state;
}

static bool number_is_taken(const rts_plan *plan, uint32_t items, uint32_t number)
{
    for (uint32_t i = 0; i < items; i++) {
        if (plan->item[i].number == number) {
            return true;
        }
    }
    return false;
}

static rts_plan_state read_item(rts_plan_reader *reader, rts_flat *flat)
{
    rts_plan *plan = reader->plan;
    if (!reader->continues) {
        if (reader->items == plan->count) {
            return rts_plan_refuse(reader, "more items than announced", NULL);
        }
        rts_plan_item_default(&plan->item[reader->items]);
        reader->seen = 0;
    }
    rts_plan_item *item = &plan->item[reader->items];
    const uint32_t number_before = item->number;
    bool more = false;
    bool numbered = false;
    rts_flat_pair pair;
    rts_flat_result result = rts_flat_next(flat, &pair);
    for (; result == RTS_FLAT_PAIR; result = rts_flat_next(flat, &pair)) {
        const uint32_t key = rts_plan_item_key(&pair);
        if (key == RTS_PLAN_KEY_UNKNOWN) {
            int64_t flag = 0;
            if (rts_flat_is(&pair, "more")) {
                more = rts_flat_integer(&pair, &flag) && flag == 1;
            }
            continue;
        }
        const bool repeats =
            (reader->seen & (1u << key)) != 0u && !(key == RTS_PLAN_KEY_ITEM && reader->continues && !numbered);
        const char *wrong = repeats ? "is given twice" : rts_plan_item_store(item, key, &pair);
        if (wrong != NULL) {
            return rts_plan_refuse(reader, wrong, rts_plan_item_key_name(key));
        }
        numbered = numbered || key == RTS_PLAN_KEY_ITEM;
        reader->seen |= 1u << key;
    }
    if (result == RTS_FLAT_MALFORMED) {
        return rts_plan_refuse(reader, "is not a flat JSON object", "item");
    }
    if (!numbered) {
        return rts_plan_refuse(reader, "has no number", "item");
    }
    if (reader->continues && item->number != number_before) {
        return rts_plan_refuse(reader, "is begun before the last one is complete", "item");
    }
    if (number_is_taken(plan, reader->items, item->number)) {
        return rts_plan_refuse(reader, "number is repeated", "item");
    }
    reader->continues = more;
    if (!more) {
        if ((reader->seen & (1u << RTS_PLAN_KEY_MEASUREMENT)) == 0u) {
            return rts_plan_refuse(reader, "has no measurement", "item");
        }
        reader->items++;
    }
    return reader->state;
}

static rts_plan_state read_record(rts_plan_reader *reader, const rts_frame *frame)
{
    rts_flat flat;
    rts_flat_pair type;
    rts_flat_begin(&flat, frame->payload, frame->length);
    if (rts_flat_next(&flat, &type) != RTS_FLAT_PAIR || !rts_flat_is(&type, "t") || !type.is_string) {
        return rts_plan_refuse(reader, "is not its first key", "t");
    }
    if (rts_flat_says(&type, "plan")) {
        return reader->announced ? rts_plan_refuse(reader, "comes twice", "plan") : read_header(reader, &flat);
    }
    if (rts_flat_says(&type, "item") || rts_flat_says(&type, "go")) {
        if (!reader->announced) {
            return rts_plan_refuse(reader, "does not come first", "plan");
        }
        if (rts_flat_says(&type, "item")) {
            return read_item(reader, &flat);
        }
        if (reader->continues || reader->items < reader->plan->count) {
            return rts_plan_refuse(reader, "fewer items than announced", NULL);
        }
        reader->state = RTS_PLAN_READY;
    }
    return reader->state; /* a type of a newer minor version is passed over */
}

rts_plan_state rts_plan_line(rts_plan_reader *reader, const char *line, size_t length)
{
    rts_frame frame;
    if (reader->state != RTS_PLAN_WANTS_MORE || length == 0u || line[0] != '~') {
        return reader->state;
    }
    if (line[length - 1u] == '\r') {
        length--;
    }
    const char *wrong = rts_frame_read(line, length, &frame);
    if (wrong != NULL) {
        return rts_plan_refuse(reader, wrong, NULL);
    }
    if (frame.sequence != reader->lines) {
        return rts_plan_refuse(reader, "sequence number out of turn: a line is lost or repeated", NULL);
    }
    read_record(reader, &frame);
    reader->lines++;
    return reader->state;
}

rts_plan_state rts_plan_end(rts_plan_reader *reader)
{
    if (reader->state == RTS_PLAN_WANTS_MORE) {
        return rts_plan_refuse(reader, reader->announced ? "the plan ends without go" : "there is no plan in what came",
                               NULL);
    }
    return reader->state;
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
        rts_plan_item_tell(&plan->item[i], writer);
    }
}
