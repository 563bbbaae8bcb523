/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Encodes and decodes lines on standard input, so that other implementations can be compared with this one. See README.md.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../src/frame.h"
#include "../src/plan.h"
#include "../src/record.h"

#define LINE_ROOM 4096

static rts_status print_line(void *arg, const char *line, size_t length)
{
    (void)arg;
    return fwrite(line, 1, length, stdout) == length ? RTS_OK : RTS_FAILED;
}

/** Reads a line without its LF, and cuts it at LINE_ROOM. Returns false at the end. */
static bool next_line(char *line, size_t *length)
{
    int character = getchar();
    if (character == EOF) {
        return false;
    }
    for (*length = 0; character != EOF && character != '\n'; character = getchar()) {
        if (*length < LINE_ROOM) {
            line[(*length)++] = (char)character;
        }
    }
    line[*length] = '\0';
    return true;
}

/** `seq payload`, seq in decimal: a framed line each. */
static int encode(void)
{
    char line[LINE_ROOM + 1];
    size_t length = 0;
    rts_writer writer;
    rts_writer_init(&writer, print_line, NULL);
    while (next_line(line, &length)) {
        int digits = 0;
        uint32_t sequence = 0;
        if (sscanf(line, "%" SCNu32 "%n", &sequence, &digits) != 1 || line[digits] != ' ') {
            fprintf(stderr, "not a sequence number and a payload: %.40s\n", line);
            return 2;
        }
        writer.sequence = sequence;
        if (!rts_writer_payload(&writer, line + digits + 1, length - (size_t)digits - 1)) {
            printf("too long\n");
        }
    }
    return 0;
}

/** Framed lines: `ok seq payload`, `bad reason`, or `console`. */
static int decode(void)
{
    char line[LINE_ROOM + 1];
    size_t length = 0;
    while (next_line(line, &length)) {
        rts_frame frame;
        if (length > 0 && line[length - 1] == '\r') {
            length--;
        }
        if (length == 0 || line[0] != '~') {
            puts("console");
            continue;
        }
        const char *wrong = rts_frame_read(line, length, &frame);
        if (wrong != NULL) {
            printf("bad %s\n", wrong);
        } else {
            printf("ok %" PRIu32 " %.*s\n", frame.sequence, (int)frame.length, frame.payload);
        }
    }
    return 0;
}

/** Texts of any bytes but LF and NUL, a line each: an `env` record each, in as many parts as it needs. */
static int env(void)
{
    char line[LINE_ROOM + 1];
    size_t length = 0;
    rts_writer writer;
    rts_writer_init(&writer, print_line, NULL);
    while (next_line(line, &length)) {
        rts_record_begin(&writer, "env");
        rts_record_name(&writer, "key", "text");
        rts_record_head(&writer);
        rts_record_text(&writer, "value", line);
        rts_record_end(&writer);
    }
    return 0;
}

/** A plan: prints the engine's echo of it, or `refused reason` and exit code 1. */
static int plan(void)
{
    static rts_plan into;
    rts_plan_reader reader;
    rts_writer writer;
    char line[LINE_ROOM + 1];
    size_t length = 0;
    rts_plan_begin(&reader, &into);
    while (next_line(line, &length) && rts_plan_line(&reader, line, length) == RTS_PLAN_WANTS_MORE) {
    }
    if (rts_plan_end(&reader) == RTS_PLAN_REFUSED) {
        printf("refused %s\n", reader.refusal);
        return 1;
    }
    rts_writer_init(&writer, print_line, NULL);
    rts_plan_tell(&into, &writer);
    return 0;
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } commands[] = {{"encode", encode}, {"decode", decode}, {"env", env}, {"plan", plan}};
    for (size_t i = 0; count == 2 && i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(arguments[1], commands[i].name) == 0) {
            return commands[i].run();
        }
    }
    fprintf(stderr, "usage: tool_codec encode|decode|env|plan\n");
    return 2;
}
