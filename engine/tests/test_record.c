/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Records are written byte for byte as the vectors have them, and are split where a line is full.
 */
#include "support.h"

#include "../src/crc32.h"
#include "../src/escape.h"
#include "../src/frame.h"
#include "../src/plan.h"

static capture out;
static rts_writer writer;

static int reset(void **state)
{
    (void)state;
    out.length = 0;
    out.lines = 0;
    out.longest = 0;
    out.text[0] = '\0';
    rts_writer_init(&writer, capture_line, &out);
    return 0;
}

static void the_worked_example(void **state)
{
    (void)state;
    rts_record_begin(&writer, "go");
    rts_record_end(&writer);
    assert_string_equal(out.text, "~0 {\"t\":\"go\"} 496a4c80\n");
}

/** good.stream again, by the calls that the engine makes. */
static void the_good_vector(void **state)
{
    (void)state;
    static rts_plan plan;
    plan.seed = 7;
    plan.count = 1;
    rts_plan_item_default(&plan.item[0]);
    strcpy(plan.item[0].measurement, "task-switch");

    rts_record_begin(&writer, "hello");
    rts_record_name(&writer, "v", "1.2");
    rts_record_name(&writer, "engine", "0.1.0");
    rts_record_name(&writer, "port", "vectors");
    rts_record_name(&writer, "nonce", "0123456789abcdef");
    rts_record_end(&writer);
    rts_record_begin(&writer, "env");
    rts_record_name(&writer, "key", "kernel.release");
    rts_record_head(&writer);
    rts_record_text(&writer, "value", "6.1.0");
    rts_record_end(&writer);
    rts_plan_tell(&plan, &writer);
    rts_record_begin(&writer, "clock");
    rts_record_unsigned(&writer, "id", 0);
    rts_record_name(&writer, "name", "tsc");
    rts_record_big(&writer, "hz", 2500000000u);
    rts_record_name(&writer, "source", "register");
    rts_record_unsigned(&writer, "uncertainty_ppb", 0);
    rts_record_unsigned(&writer, "resolution_ticks", 1);
    rts_record_end(&writer);
    rts_record_begin(&writer, "calibration");
    rts_record_name(&writer, "name", "clock-read");
    rts_record_unsigned(&writer, "clock", 0);
    rts_record_unsigned(&writer, "count", 9);
    rts_record_big(&writer, "total", 190);
    rts_record_signed(&writer, "min", 20);
    rts_record_signed(&writer, "median", 21);
    rts_record_signed(&writer, "max", 25);
    rts_record_end(&writer);
    rts_record_begin(&writer, "begin");
    rts_record_unsigned(&writer, "item", 0);
    rts_record_name(&writer, "measurement", "task-switch");
    rts_record_name(&writer, "pass", "single");
    rts_record_name(&writer, "load", "none");
    rts_record_unsigned(&writer, "clock", 0);
    rts_record_big(&writer, "at", 1000);
    rts_record_unsigned(&writer, "sub_bits", 5);
    rts_record_unsigned(&writer, "max_bits", 20);
    rts_record_unsigned(&writer, "negative_bits", 10);
    rts_record_unsigned(&writer, "ops", 1);
    rts_record_signed(&writer, "priority", 80);
    rts_record_signed(&writer, "cpu", 0);
    rts_record_big(&writer, "window_ticks", 1000);
    rts_record_end(&writer);
    rts_record_begin(&writer, "series");
    rts_record_unsigned(&writer, "item", 0);
    rts_record_unsigned(&writer, "index", 0);
    rts_record_name(&writer, "name", "switch");
    rts_record_end(&writer);
    static const int64_t buckets[] = {36, 4, 37, 1, 42, 1, 127, 1};
    rts_record_begin(&writer, "hist");
    rts_record_unsigned(&writer, "item", 0);
    rts_record_unsigned(&writer, "series", 0);
    rts_record_name(&writer, "side", "+");
    rts_record_list(&writer, "b");
    for (size_t i = 0; i < sizeof buckets / sizeof buckets[0]; i++) {
        rts_record_list_signed(&writer, buckets[i]);
    }
    rts_record_end(&writer);
    static const int64_t extremes[][3] = {{1999, 6, 700}, {52, 4, 500}};
    for (size_t i = 0; i < 2; i++) {
        rts_record_begin(&writer, "extreme");
        rts_record_unsigned(&writer, "item", 0);
        rts_record_unsigned(&writer, "series", 0);
        rts_record_signed(&writer, "value", extremes[i][0]);
        rts_record_big(&writer, "index", (uint64_t)extremes[i][1]);
        rts_record_big(&writer, "at", (uint64_t)extremes[i][2]);
        rts_record_end(&writer);
    }
    rts_record_begin(&writer, "window");
    rts_record_unsigned(&writer, "item", 0);
    rts_record_unsigned(&writer, "series", 0);
    rts_record_unsigned(&writer, "first", 0);
    rts_record_big(&writer, "width", 1000);
    rts_record_list(&writer, "v");
    rts_record_list_null(&writer);
    rts_record_list_signed(&writer, 1999);
    rts_record_end(&writer);
    rts_record_begin(&writer, "end");
    rts_record_unsigned(&writer, "item", 0);
    rts_record_unsigned(&writer, "series", 0);
    rts_record_head(&writer);
    rts_record_name(&writer, "status", "ok");
    rts_record_name(&writer, "stop", "count");
    rts_record_big(&writer, "count", 7);
    rts_record_big(&writer, "overflow", 0);
    rts_record_big(&writer, "dropped", 0);
    rts_record_signed(&writer, "min", 40);
    rts_record_signed(&writer, "max", 1999);
    rts_record_big_signed(&writer, "sum", rts_wide_from_signed(2256));
    rts_record_big(&writer, "sumsq", 4007116);
    rts_record_big(&writer, "elapsed", 5000);
    rts_record_end(&writer);
    rts_record_begin(&writer, "bye");
    rts_record_unsigned(&writer, "items", 1);
    rts_record_unsigned(&writer, "measured", 1);
    rts_record_unsigned(&writer, "skipped", 0);
    rts_record_name(&writer, "status", "ok");
    rts_record_big(&writer, "records", writer.records);
    rts_record_end(&writer);

    size_t length = 0;
    char *expected = spec_file("vectors/streams/good.stream", &length);
    assert_string_equal(out.text, expected);
    free(expected);
}

/** Takes every line of a stream apart and frames it again. */
static void again(const char *row, const char *file)
{
    size_t length = 0;
    uint64_t frames = 0;
    uint64_t bad = 0;
    uint64_t console = 0;
    char *text = spec_file(file, &length);
    for (char *line = text; line < text + length;) {
        char *lf = memchr(line, '\n', (size_t)(text + length - line));
        size_t size = (size_t)((lf != NULL ? lf : text + length) - line);
        char *next = line + size + 1;
        const bool cr = size > 0 && line[size - 1] == '\r';
        size -= cr ? 1 : 0;
        rts_frame frame;
        if (size == 0 || line[0] != '~') {
            console++;
        } else if (rts_frame_read(line, size, &frame) != NULL) {
            bad++;
        } else {
            frames++;
            out.length = 0;
            writer.sequence = frame.sequence;
            assert_true(rts_writer_payload(&writer, frame.payload, frame.length));
            assert_int_equal(out.length, size + 1);
            assert_memory_equal(out.text, line, size);
        }
        line = next;
    }
    assert_int_equal(frames, vector_number(row, "frames"));
    assert_int_equal(bad, vector_number(row, "bad_lines"));
    assert_int_equal(console, vector_number(row, "console_lines"));
    free(text);
}

static void every_vector_again(void **state)
{
    (void)state;
    assert_true(each_vector("streams/", again) >= 30);
}

static void any_changed_byte_is_noticed(void **state)
{
    (void)state;
    rts_frame frame;
    rts_record_begin(&writer, "env");
    rts_record_name(&writer, "key", "a");
    rts_record_end(&writer);
    const size_t size = out.length - 1;
    assert_null(rts_frame_read(out.text, size, &frame));
    for (size_t i = 0; i < size; i++) {
        for (int bit = 0; bit < 8; bit++) {
            out.text[i] = (char)(out.text[i] ^ (1 << bit));
            assert_non_null(rts_frame_read(out.text, size, &frame));
            out.text[i] = (char)(out.text[i] ^ (1 << bit));
        }
        assert_non_null(rts_frame_read(out.text, i, &frame)); /* cut there */
    }
}

static void the_sequence_wraps(void **state)
{
    (void)state;
    writer.sequence = 0xffffffffu;
    rts_record_begin(&writer, "a");
    rts_record_end(&writer);
    rts_record_begin(&writer, "b");
    rts_record_end(&writer);
    assert_memory_equal(out.text, "~ffffffff {\"t\":\"a\"} ", 20);
    assert_memory_equal(strchr(out.text, '\n') + 1, "~0 {\"t\":\"b\"} ", 13);
    assert_true(writer.records == 2);
}

/** Joins the values of `key` over all lines, and checks that the parts have the same head and say "more" rightly. */
static void join(const char *head, const char *key, char *into)
{
    into[0] = '\0';
    char *line = strtok(out.text, "\n");
    while (line != NULL) {
        char *next = strtok(NULL, "\n");
        assert_non_null(strstr(line, head));
        assert_true((strstr(line, ",\"more\":1} ") != NULL) == (next != NULL));
        const char *start = strstr(line, key);
        if (start != NULL) {
            start += strlen(key);
            const char *end = strstr(start, next != NULL ? "\",\"more\":1}" : "\"} ");
            assert_non_null(end);
            strncat(into, start, (size_t)(end - start));
        }
        line = next;
    }
}

static void long_texts_are_split(void **state)
{
    static char text[3000];
    static char escaped[sizeof text * RTS_ESCAPE_BYTES];
    static char joined[sizeof escaped];
    static const char *const pieces[] = {
        "a", "bcdef", "\"", "\\", "\n", "\x7f", "\xc2\xb5", "\xe2\x98\x80", "\xf0\x9f\x98\x80", "\xff"};
    uint64_t seed = 21;
    for (size_t length = 0; length < 1500; length += 7) {
        reset(state);
        text[0] = '\0';
        while (strlen(text) < length) {
            strcat(text, pieces[test_random(&seed) % (sizeof pieces / sizeof pieces[0])]);
        }
        rts_record_begin(&writer, "env");
        rts_record_name(&writer, "key", "k");
        rts_record_head(&writer);
        rts_record_text(&writer, "value", text);
        rts_record_end(&writer);
        assert_true(out.longest <= RTS_LINE_BYTES);
        assert_true(out.lines == writer.records);
        join("{\"t\":\"env\",\"key\":\"k\"", "\"value\":\"", joined);
        size_t size = 0;
        const char *rest = text;
        for (size_t got = 1; got != 0; size += got) {
            got = rts_escape_next(escaped + size, &rest);
        }
        escaped[size] = '\0';
        assert_string_equal(joined, escaped);
    }
}

static void many_keys_are_split(void **state)
{
    (void)state;
    static const char *const keys[] = {"count", "overflow", "dropped", "sum", "sumsq", "elapsed"};
    rts_record_begin(&writer, "end");
    rts_record_unsigned(&writer, "item", 65535);
    rts_record_unsigned(&writer, "series", 3);
    rts_record_head(&writer);
    const rts_wide largest = {UINT64_MAX, UINT64_MAX};
    for (size_t i = 0; i < 6; i++) {
        rts_record_big_wide(&writer, keys[i], largest);
    }
    rts_record_end(&writer);
    assert_int_equal(out.lines, 2);
    assert_true(out.longest <= RTS_LINE_BYTES);
    const char *second = strchr(out.text, '\n') + 1;
    assert_memory_equal(second, "~1 {\"t\":\"end\",\"item\":65535,\"series\":3,\"", 39);
    for (size_t i = 0; i < 6; i++) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "\"%s\":\"340282366920938463463374607431768211455\"", keys[i]);
        const char *place = strstr(out.text, quoted);
        assert_non_null(place);
        assert_null(strstr(place + 1, quoted)); /* once only */
    }
}

static void a_name_is_cut_but_stays_whole(void **state)
{
    (void)state;
    char name[400];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    rts_record_begin(&writer, "env");
    rts_record_name(&writer, "key", name);
    rts_record_head(&writer);
    rts_record_text(&writer, "value", name);
    rts_record_end(&writer);
    assert_true(out.longest <= RTS_LINE_BYTES);
    rts_frame frame;
    for (char *line = strtok(out.text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        assert_null(rts_frame_read(line, strlen(line), &frame));
    }
}

static void lists_leave_room(void **state)
{
    (void)state;
    uint64_t left = 1000;
    for (size_t records = 0; left > 0; records++) {
        rts_record_begin(&writer, "samples");
        rts_record_list(&writer, "v");
        assert_true(rts_record_list_room(&writer, 2));
        for (; left > 0 && rts_record_list_room(&writer, 1); left--) {
            rts_record_list_signed(&writer, -(int64_t)(((uint64_t)1 << 53) - 1));
        }
        rts_record_end(&writer);
    }
    assert_true(out.longest <= RTS_LINE_BYTES && out.longest > RTS_LINE_BYTES - 30);
}

static void integers_beyond_2_53_are_cut(void **state)
{
    (void)state;
    rts_record_begin(&writer, "a");
    rts_record_signed(&writer, "x", INT64_MIN);
    rts_record_unsigned(&writer, "y", UINT64_MAX);
    rts_record_end(&writer);
    assert_non_null(strstr(out.text, "\"x\":-9007199254740991,\"y\":9007199254740991}"));
}

static void escapes(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"plain ~ text", "plain ~ text"},
        {"\"\\", "\\\"\\\\"},
        {"\x01\x1f\x7f", "\\u0001\\u001f\\u007f"},
        {"\xc2\xb5\xe2\x98\x80", "\\u00b5\\u2600"},
        {"\xf0\x9f\x98\x80", "\\ud83d\\ude00"},
        {"\xff"
         "a\xc2",
         "\\ufffda\\ufffd"},
        {"\xc0\x80", "\\ufffd\\ufffd"},                       /* an overlong NUL */
        {"\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd"},            /* a surrogate */
        {"\xf4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd"}, /* beyond U+10FFFF */
        {"\xe2\x98", "\\ufffd\\ufffd"},                       /* cut short */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char whole[200];
        const char *rest = cases[i][0];
        size_t size = 0;
        for (size_t got = 1; got != 0; size += got) {
            got = rts_escape_next(whole + size, &rest);
        }
        whole[size] = '\0';
        assert_string_equal(whole, cases[i][1]);
    }
}

static rts_status refuse_line(void *arg, const char *line, size_t length)
{
    (void)line;
    (void)length;
    ++*(int *)arg;
    return RTS_FAILED;
}

static void a_dead_reader_is_noticed_once(void **state)
{
    (void)state;
    int calls = 0;
    rts_writer_init(&writer, refuse_line, &calls);
    for (int i = 0; i < 3; i++) {
        rts_record_begin(&writer, "a");
        rts_record_end(&writer);
    }
    assert_true(writer.failed);
    assert_int_equal(calls, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_worked_example, reset),
        cmocka_unit_test_setup(the_good_vector, reset),
        cmocka_unit_test_setup(every_vector_again, reset),
        cmocka_unit_test_setup(any_changed_byte_is_noticed, reset),
        cmocka_unit_test_setup(the_sequence_wraps, reset),
        cmocka_unit_test_setup(long_texts_are_split, reset),
        cmocka_unit_test_setup(many_keys_are_split, reset),
        cmocka_unit_test_setup(a_name_is_cut_but_stays_whole, reset),
        cmocka_unit_test_setup(lists_leave_room, reset),
        cmocka_unit_test_setup(integers_beyond_2_53_are_cut, reset),
        cmocka_unit_test_setup(escapes, reset),
        cmocka_unit_test_setup(a_dead_reader_is_noticed_once, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
