/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes the plan that the command line stands for, as a host would send it.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "rtstone/engine.h"

typedef struct writer {
    char *text;
    size_t room;
    size_t length;
    uint32_t sequence;
    size_t begin; /* of the line that is being written */
    bool full;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t left = out->room - out->length;
    const int count = vsnprintf(out->text + out->length, left, format, arguments);
    va_end(arguments);
    if (count < 0 || (size_t)count >= left) {
        out->full = true;
        return;
    }
    out->length += (size_t)count;
}

/* CRC-32 as in zlib, bit by bit: a plan is a few hundred bytes. */
static uint32_t crc_of(const char *bytes, size_t count)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < count; i++) {
        crc ^= (unsigned char)bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
        }
    }
    return ~crc;
}

static void begin(writer *out, const char *type)
{
    out->begin = out->length;
    put(out, "~%x {\"t\":\"%s\"", out->sequence++, type);
}

static void end(writer *out)
{
    put(out, "}");
    put(out, " %08x\n", crc_of(out->text + out->begin + 1, out->length - out->begin - 1));
}

#define LONG_ENOUGH 180u /* a key, "more" and the CRC still fit into a line of 256 bytes */

static void item(writer *out, const rts_options *options, size_t index)
{
    begin(out, "item");
    put(out, ",\"item\":%zu,\"measurement\":\"%s\"", index, options->measurement[index]);
    for (size_t i = 0; i < RTS_OPTION_ITEM_COUNT; i++) {
        const char *const value = options->value[i];
        if (value == NULL) {
            continue;
        }
        if (out->length - out->begin > LONG_ENOUGH) {
            put(out, ",\"more\":1");
            end(out);
            begin(out, "item");
            put(out, ",\"item\":%zu", index);
        }
        const char *const quote = rts_option_rules[i].words == NULL ? "" : "\"";
        put(out, ",\"%s\":%s%s%s", rts_option_rules[i].key, quote, value, quote);
    }
    end(out);
}

size_t rts_plan_text(const rts_options *options, char *text, size_t room)
{
    writer out = {.text = text, .room = room};
    begin(&out, "plan");
    put(&out, ",\"v\":\"" RTS_PLAN_VERSION "\",\"seed\":\"%s\",\"repetition\":%s,\"items\":%zu",
        options->seed == NULL ? "1" : options->seed, options->repetition == NULL ? "0" : options->repetition,
        options->measurements);
    end(&out);
    for (size_t i = 0; i < options->measurements; i++) {
        item(&out, options, i);
    }
    begin(&out, "go");
    end(&out);
    return out.full ? 0 : out.length;
}
