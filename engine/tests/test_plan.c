/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Plans are read or refused as the vectors say, and nothing that is fed to the reader upsets it.
 */
#include "support.h"

#include "../src/crc32.h"
#include "../src/plan.h"

static rts_plan plan;
static rts_plan_reader reader;

/** Feeds a whole text line by line, as rts_plan_receive does. */
static void read_plan(const char *text, size_t length)
{
    rts_plan_begin(&reader, &plan);
    for (size_t at = 0; at < length;) {
        const char *lf = memchr(text + at, '\n', length - at);
        const size_t size = (lf != NULL ? (size_t)(lf - text) : length) - at;
        rts_plan_line(&reader, text + at, size);
        at += size + 1;
    }
    rts_plan_end(&reader);
}

static void as_the_vector_says(const char *row, const char *file)
{
    size_t length = 0;
    char *text = spec_file(file, &length);
    read_plan(text, length);
    if (strstr(row, "\"verdict\": \"accepted\"") != NULL) {
        assert_string_equal(reader.refusal, "");
        assert_int_equal(reader.state, RTS_PLAN_READY);
        assert_int_equal(plan.count, vector_number(row, "items"));
    } else {
        if (reader.state != RTS_PLAN_REFUSED) {
            print_error("%s was not refused\n", file);
        }
        assert_int_equal(reader.state, RTS_PLAN_REFUSED);
        assert_true(strlen(reader.refusal) > 30);
    }
    free(text);
}

static void every_vector(void **state)
{
    (void)state;
    assert_true(each_vector("plans/accepted/", as_the_vector_says) >= 13);
    assert_true(each_vector("plans/refused/", as_the_vector_says) >= 70);
}

static const rts_plan_item *read_vector(const char *name)
{
    size_t length = 0;
    char *text = spec_file(name, &length);
    read_plan(text, length);
    free(text);
    assert_int_equal(reader.state, RTS_PLAN_READY);
    return &plan.item[0];
}

static void defaults(void **state)
{
    (void)state;
    const rts_plan_item *item = read_vector("vectors/plans/accepted/minimal.plan");
    assert_true(plan.seed == 7 && plan.repetition == 0 && plan.count == 1);
    assert_string_equal(item->measurement, "task-switch");
    assert_string_equal(item->load, "none");
    assert_string_equal(item->timer, "default");
    assert_true(item->number == 0 && item->pass == RTS_PLAN_SINGLE && item->count == 1000 && item->sets == 20);
    assert_true(item->budget_ms == 0 && item->warmup == 16 && item->intensity == 1 && item->sched == RTS_SCHED_RT);
    assert_true(item->cache == RTS_PLAN_WARM && item->cpu == -1 && item->period_ns == 1000000 && item->phase_ns == 0);
    assert_true(item->raw == 0);
}

static void every_key(void **state)
{
    (void)state;
    const rts_plan_item *item = read_vector("vectors/plans/accepted/full.plan");
    assert_string_equal(item->load, "cpu");
    assert_string_equal(item->timer, "timerfd");
    assert_true(item->pass == RTS_PLAN_BATCH && item->count == 500 && item->sets == 5 && item->budget_ms == 250);
    assert_true(item->warmup == 0 && item->intensity == 2 && item->sched == RTS_SCHED_TS);
    assert_true(item->cache == RTS_PLAN_FLUSHED && item->cpu == 1 && item->period_ns == 250000);
    assert_true(item->phase_ns == 17 && item->raw == 1);
}

static void largest_values(void **state)
{
    (void)state;
    const rts_plan_item *item = read_vector("vectors/plans/accepted/limits.plan");
    assert_true(plan.seed == UINT64_MAX && plan.repetition == UINT32_MAX);
    assert_true(item->count == UINT32_MAX && item->intensity == 0 && item->cpu == INT32_MAX);
    assert_int_equal(strlen(item->measurement), 31);
}

static void refusals_are_clear(void **state)
{
    (void)state;
    size_t length = 0;
    char *text = spec_file("vectors/plans/refused/count-0.plan", &length);
    read_plan(text, length);
    assert_string_equal(reader.refusal, "plan refused at its record 1: count is out of range");
    free(text);
    text = spec_file("vectors/plans/refused/newer-major.plan", &length);
    read_plan(text, length);
    assert_string_equal(reader.refusal,
                        "plan refused at its record 0: v is a major version that this engine does not know");
    free(text);
}

static void more_items_than_there_is_room_for(void **state)
{
    (void)state;
    capture *out = calloc(1, sizeof *out);
    rts_writer writer;
    rts_writer_init(&writer, capture_line, out);
    rts_record_begin(&writer, "plan");
    rts_record_name(&writer, "v", "1.0");
    rts_record_big(&writer, "seed", 1);
    rts_record_unsigned(&writer, "repetition", 0);
    rts_record_unsigned(&writer, "items", (uint64_t)RTS_PORT_ITEMS + 1u);
    rts_record_end(&writer);
    read_plan(out->text, out->length);
    assert_string_equal(reader.refusal, "plan refused at its record 0: items are more than this engine holds");
    free(out);
}

/** What the engine echoes, it reads again as the same plan. */
static void the_echo_is_the_plan(void **state)
{
    (void)state;
    static const char *const names[] = {"minimal", "full", "limits", "two-items"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char file[64];
        snprintf(file, sizeof file, "vectors/plans/accepted/%s.plan", names[i]);
        read_vector(file);
        rts_plan *first = malloc(sizeof *first);
        capture *out = calloc(1, sizeof *out);
        *first = plan;
        rts_writer writer;
        rts_writer_init(&writer, capture_line, out);
        rts_plan_tell(first, &writer);
        rts_record_begin(&writer, "go");
        rts_record_end(&writer);
        assert_true(out->longest <= RTS_LINE_BYTES);
        read_plan(out->text, out->length);
        assert_string_equal(reader.refusal, "");
        assert_true(plan.count == first->count && plan.seed == first->seed && plan.repetition == first->repetition);
        assert_memory_equal(plan.item, first->item, plan.count * sizeof plan.item[0]);
        free(first);
        free(out);
    }
}

/** Payloads of random tokens with right frames: read or refused, never worse (the sanitizers look on). */
static void random_payloads(void **state)
{
    (void)state;
    static const char *const tokens[] = {"{",         "}",
                                         ",",         ":",
                                         "\"t\"",     "\"item\"",
                                         "\"plan\"",  "\"go\"",
                                         "\"v\"",     "\"1.0\"",
                                         "\"seed\"",  "\"7\"",
                                         "\"items\"", "\"repetition\"",
                                         "1",         "-1",
                                         "0",         "\"measurement\"",
                                         "\"\"",      "\"more\"",
                                         "\"count\"", "99999999999999999999",
                                         " ",         "\"",
                                         "-",         "\\",
                                         "[",         "null"};
    uint64_t seed = 99;
    for (int round = 0; round < 20000; round++) {
        char text[1200] = "";
        uint32_t sequence = 0;
        for (int line = 0; line < 4; line++) {
            char body[300];
            size_t size = (size_t)snprintf(body, sizeof body, "%x {", sequence++);
            for (uint64_t n = test_random(&seed) % 14; n > 0 && size < 200; n--) {
                size += (size_t)snprintf(body + size, sizeof body - size, "%s", tokens[test_random(&seed) % 28]);
            }
            size += (size_t)snprintf(body + size, sizeof body - size, "}");
            snprintf(text + strlen(text), sizeof text - strlen(text), "~%s %08x\n", body, rts_crc32(0, body, size));
        }
        read_plan(text, strlen(text));
        assert_true(reader.state == RTS_PLAN_REFUSED || reader.state == RTS_PLAN_READY);
    }
}

/** A good plan with one byte changed and the CRC corrected, so that the frame is accepted. */
static void mutated_plans(void **state)
{
    (void)state;
    static const char payload[] = "{\"t\":\"item\",\"item\":0,\"measurement\":\"task-switch\",\"count\":12,\"cpu\":-1}";
    uint64_t seed = 5;
    for (int round = 0; round < 20000; round++) {
        char text[600];
        char body[200];
        snprintf(body, sizeof body, "1 %s", payload);
        body[2 + test_random(&seed) % (sizeof payload - 1)] = (char)(0x20 + test_random(&seed) % 95);
        snprintf(text, sizeof text,
                 "~0 {\"t\":\"plan\",\"v\":\"1.0\",\"seed\":\"7\",\"repetition\":0,\"items\":1} %08x\n~%s %08x\n~2 "
                 "{\"t\":\"go\"} %08x\n",
                 rts_crc32(0, "0 {\"t\":\"plan\",\"v\":\"1.0\",\"seed\":\"7\",\"repetition\":0,\"items\":1}", 60), body,
                 rts_crc32(0, body, strlen(body)), rts_crc32(0, "2 {\"t\":\"go\"}", 12));
        read_plan(text, strlen(text));
        assert_true(reader.state == RTS_PLAN_REFUSED || reader.state == RTS_PLAN_READY);
        if (reader.state == RTS_PLAN_READY) {
            assert_true(plan.item[0].count >= 1 && plan.item[0].cpu >= -1 && plan.item[0].measurement[0] != '\0');
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vector),
        cmocka_unit_test(defaults),
        cmocka_unit_test(every_key),
        cmocka_unit_test(largest_values),
        cmocka_unit_test(refusals_are_clear),
        cmocka_unit_test(more_items_than_there_is_room_for),
        cmocka_unit_test(the_echo_is_the_plan),
        cmocka_unit_test(random_payloads),
        cmocka_unit_test(mutated_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
