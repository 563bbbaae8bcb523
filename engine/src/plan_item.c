/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The keys of an item: their kinds, ranges and defaults, read from a plan and echoed to the record by one table.
 */
#include "plan_item.h"

#include "bytes.h"

/** How a key of an item is read and written. */
typedef enum key_kind { KEY_NUMBER, KEY_WORD, KEY_NAME } key_kind;

typedef struct key_rule {
    const char *name;
    key_kind kind;
    size_t offset; /**< in rts_plan_item: of a 32-bit number, or of a name */
    int64_t low;   /**< KEY_NUMBER: range */
    int64_t high;
    const char *word[2]; /**< KEY_WORD: the words for 0 and 1 */
} key_rule;

#define AT(member) offsetof(rts_plan_item, member)

static const key_rule key_rules[] = {
    {"item", KEY_NUMBER, AT(number), 0, 65535, {NULL, NULL}},
    {"measurement", KEY_NAME, AT(measurement), 0, 0, {NULL, NULL}},
    {"pass", KEY_WORD, AT(pass), 0, 0, {"single", "batch"}},
    {"count", KEY_NUMBER, AT(count), 1, UINT32_MAX, {NULL, NULL}},
    {"sets", KEY_NUMBER, AT(sets), 1, UINT32_MAX, {NULL, NULL}},
    {"budget_ms", KEY_NUMBER, AT(budget_ms), 0, UINT32_MAX, {NULL, NULL}},
    {"warmup", KEY_NUMBER, AT(warmup), 0, UINT32_MAX, {NULL, NULL}},
    {"load", KEY_NAME, AT(load), 0, 0, {NULL, NULL}},
    {"intensity", KEY_NUMBER, AT(intensity), 0, UINT32_MAX, {NULL, NULL}},
    {"sched", KEY_WORD, AT(sched), 0, 0, {"rt", "ts"}},
    {"cache", KEY_WORD, AT(cache), 0, 0, {"warm", "flushed"}},
    {"cpu", KEY_NUMBER, AT(cpu), -1, INT32_MAX, {NULL, NULL}},
    {"period_ns", KEY_NUMBER, AT(period_ns), 1, UINT32_MAX, {NULL, NULL}},
    {"phase_ns", KEY_NUMBER, AT(phase_ns), 0, UINT32_MAX, {NULL, NULL}},
    {"timer", KEY_NAME, AT(timer), 0, 0, {NULL, NULL}},
    {"window", KEY_NAME, AT(window), 0, 0, {NULL, NULL}},
    {"trace_over_ns", KEY_NUMBER, AT(trace_over_ns), 0, UINT32_MAX, {NULL, NULL}},
    {"raw", KEY_NUMBER, AT(raw), 0, 1, {NULL, NULL}},
    {"spare", KEY_NUMBER, AT(spare), 0, 1, {NULL, NULL}},
};

#define KEY_COUNT (sizeof key_rules / sizeof key_rules[0])
_Static_assert(KEY_COUNT <= RTS_PLAN_KEY_UNKNOWN, "rts_plan_reader.seen has a bit for each");

void rts_plan_item_default(rts_plan_item *item)
{
    memset(item, 0, sizeof *item);
    item->count = 1000;
    item->sets = 20;
    item->warmup = 16;
    item->intensity = 1;
    item->cpu = -1;
    item->period_ns = 1000000;
    memcpy(item->load, "none", sizeof "none");
    memcpy(item->timer, "default", sizeof "default");
    memcpy(item->window, "default", sizeof "default");
}

uint32_t rts_plan_item_key(const rts_flat_pair *pair)
{
    uint32_t key = 0;
    while (key < KEY_COUNT && !rts_flat_is(pair, key_rules[key].name)) {
        key++;
    }
    return key < KEY_COUNT ? key : RTS_PLAN_KEY_UNKNOWN;
}

const char *rts_plan_item_key_name(uint32_t key)
{
    return key_rules[key].name;
}

const char *rts_plan_item_store(rts_plan_item *item, uint32_t key, const rts_flat_pair *pair)
{
    const key_rule *rule = &key_rules[key];
    char *place = (char *)item + rule->offset;
    int64_t number = 0;
    if (rule->kind == KEY_NAME) {
        return rts_flat_string(pair, place, RTS_PLAN_NAME_BYTES) ? NULL : "is not a string of 1 to 31 characters";
    }
    if (rule->kind == KEY_WORD) {
        const uint32_t word = rts_flat_says(pair, rule->word[1]) ? 1u : 0u;
        memcpy(place, &word, sizeof word);
        return word == 1u || rts_flat_says(pair, rule->word[0]) ? NULL : "is not one of its words";
    }
    if (pair->is_string) {
        return "is not a number";
    }
    if (!rts_flat_integer(pair, &number) || number < rule->low || number > rule->high) {
        return "is out of range";
    }
    const uint32_t bits = (uint32_t)number; /* cpu is signed: -1 is all ones either way */
    memcpy(place, &bits, sizeof bits);
    return NULL;
}

void rts_plan_item_tell(const rts_plan_item *item, rts_writer *writer)
{
    rts_record_begin(writer, "item");
    for (uint32_t key = 0; key < KEY_COUNT; key++) {
        const key_rule *const rule = &key_rules[key];
        const char *const place = (const char *)item + rule->offset;
        uint32_t bits = 0;
        if (rule->kind != KEY_NAME) {
            memcpy(&bits, place, sizeof bits);
        }
        if (key == RTS_PLAN_KEY_MEASUREMENT) {
            rts_record_head(writer);
        }
        if (rule->kind == KEY_NAME) {
            rts_record_name(writer, rule->name, place);
        } else if (rule->kind == KEY_WORD) {
            rts_record_name(writer, rule->name, rule->word[bits == 1u ? 1 : 0]);
        } else if (rule->low < 0) {
            rts_record_signed(writer, rule->name, (int32_t)bits);
        } else if (bits != 0u || rule->offset != AT(spare)) { /* which older readers do not know */
            rts_record_unsigned(writer, rule->name, bits);
        }
    }
    rts_record_end(writer);
}
