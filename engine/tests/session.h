/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A session of the engine on the scripted port: a plan of some items in, what it said out.
 */
#ifndef RTS_TESTS_SESSION_H
#define RTS_TESTS_SESSION_H

#include "fake_port.h"

#include "../src/frame.h"
#include "../src/run.h"

static char plan_text[4096];
static bool loads_required;

/** Frames a plan of items, each given as the keys behind its number. */
static inline void plan_of(size_t count, const char *const *items)
{
    static capture lines;
    char payload[300];
    rts_writer writer;
    memset(&lines, 0, sizeof lines);
    rts_writer_init(&writer, capture_line, &lines);
    snprintf(payload, sizeof payload, "{\"t\":\"plan\",\"v\":\"1.0\",\"seed\":\"9\",\"repetition\":2,\"items\":%zu%s}",
             count, loads_required ? ",\"loads_required\":1" : "");
    rts_writer_payload(&writer, payload, strlen(payload));
    for (size_t i = 0; i < count; i++) {
        snprintf(payload, sizeof payload, "{\"t\":\"item\",\"item\":%zu,%s}", i, items[i]);
        assert_true(rts_writer_payload(&writer, payload, strlen(payload)));
    }
    rts_writer_payload(&writer, "{\"t\":\"go\"}", 10);
    memcpy(plan_text, lines.text, lines.length + 1);
    fake.plan = plan_text;
}

#define PLAN(...)                                                                                                      \
    plan_of(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (const char *const[]){__VA_ARGS__})

static inline bool said(const char *text)
{
    return strstr(fake.out.text, text) != NULL;
}

static inline size_t times_said(const char *text)
{
    size_t count = 0;
    for (const char *at = strstr(fake.out.text, text); at != NULL; at = strstr(at + 1, text)) {
        count++;
    }
    return count;
}

/** Runs the engine, and checks the rules of every session: each line is framed, numbered, and counted by `bye`. */
static inline int run_engine(void)
{
    const int code = rts_engine_run(NULL);
    uint32_t lines = 0;
    char wanted[64];
    rts_frame frame;
    for (const char *line = fake.out.text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        assert_null(rts_frame_read(line, length, &frame));
        assert_int_equal(frame.sequence, lines);
        lines++;
        line += length + 1;
    }
    if (fake.lines_until_dead == 0) {
        snprintf(wanted, sizeof wanted, "\"records\":\"%u\"}", lines);
        assert_non_null(strstr(frame.payload, wanted));
        assert_memory_equal(frame.payload, "{\"t\":\"bye\"", 10);
    }
    return code;
}

#endif
