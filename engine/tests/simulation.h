/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of measurements share: a plan in, a simulated run, and the record stream read back by means that are not the engine's.
 */
#ifndef RTS_TEST_SIMULATION_H
#define RTS_TEST_SIMULATION_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rtstone/engine.h"
#include "rtstone/load.h"
#include "rtstone/measurement.h"
#include "simulated.h"

/** A plan that grows and the stream that answers it. */
typedef struct simulation {
    char plan[16384];
    size_t plan_length;
    size_t plan_read;
    uint32_t sequence;
    uint32_t items;
    char *stream;
    size_t length;
    size_t room;
    sim_outcome outcome;
} simulation;

/* ---- the plan ------------------------------------------------------------------------------- */

static inline uint32_t plain_crc32(const char *bytes, size_t count)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < count; i++) {
        crc ^= (unsigned char)bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc & 1u) != 0 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
        }
    }
    return ~crc;
}

static inline void plan_line(simulation *sim, const char *payload)
{
    char body[256];
    const int length = snprintf(body, sizeof body, "%" PRIx32 " %s", sim->sequence++, payload);
    assert_in_range(length, 1, (int)sizeof body - 1);
    char *end = sim->plan + sim->plan_length;
    const size_t left = sizeof sim->plan - sim->plan_length;
    const int written = snprintf(end, left, "~%s %08" PRIx32 "\n", body, plain_crc32(body, (size_t)length));
    assert_in_range(written, 1, (int)left - 1);
    sim->plan_length += (size_t)written;
}

static inline void plan_begin(simulation *sim, uint32_t items)
{
    memset(sim, 0, sizeof *sim);
    char line[200];
    (void)snprintf(line, sizeof line,
                   "{\"t\":\"plan\",\"v\":\"1.0\",\"seed\":\"1\",\"repetition\":0,\"items\":%" PRIu32 "}", items);
    plan_line(sim, line);
}

/** Adds an item: `more` is "" or further keys, each after a comma. */
static inline void plan_item(simulation *sim, const char *measurement, const char *more)
{
    char line[240];
    (void)snprintf(line, sizeof line, "{\"t\":\"item\",\"item\":%" PRIu32 ",\"measurement\":\"%s\"%s}", sim->items++,
                   measurement, more);
    plan_line(sim, line);
}

/* ---- the run -------------------------------------------------------------------------------- */

static inline long simulation_read(void *arg, char *buffer, size_t room)
{
    simulation *sim = arg;
    const size_t left = sim->plan_length - sim->plan_read;
    const size_t count = left < room ? left : room;
    memcpy(buffer, sim->plan + sim->plan_read, count);
    sim->plan_read += count;
    return (long)count;
}

static inline rts_status simulation_write(void *arg, const char *bytes, size_t count)
{
    simulation *sim = arg;
    if (sim->length + count + 1 > sim->room) {
        sim->room = 2 * (sim->length + count + 1);
        sim->stream = realloc(sim->stream, sim->room);
        assert_non_null(sim->stream);
    }
    memcpy(sim->stream + sim->length, bytes, count);
    sim->length += count;
    sim->stream[sim->length] = '\0';
    return RTS_OK;
}

static inline int simulation_engine(void *unused)
{
    (void)unused;
    return rts_engine_run(NULL);
}

/** Runs what was planned. Free it with simulation_free. */
static inline void simulation_run(simulation *sim, const sim_script *script)
{
    plan_line(sim, "{\"t\":\"go\"}");
    const sim_io io = {.read = simulation_read, .write = simulation_write, .arg = sim};
    sim->outcome = sim_run(script, &io, simulation_engine, NULL);
}

static inline void simulation_free(simulation *sim)
{
    free(sim->stream);
    sim->stream = NULL;
}

/* ---- the stream ----------------------------------------------------------------------------- */

/** Where a key's value begins in a record, behind its quote if it has one; NULL: there is no such key. Not beyond the line. */
static inline const char *record_value(const char *record, const char *key)
{
    char wanted[40];
    (void)snprintf(wanted, sizeof wanted, "\"%s\":", key);
    const char *end = strchr(record, '\n');
    const char *at = strstr(record, wanted);
    if (at == NULL || (end != NULL && at > end)) {
        return NULL;
    }
    at += strlen(wanted);
    return *at == '"' ? at + 1 : at;
}

static inline int64_t record_number(const char *record, const char *key)
{
    const char *at = record_value(record, key);
    if (at == NULL) {
        fail_msg("no %s in %.120s", key, record);
    }
    return strtoll(at, NULL, 10);
}

static inline bool record_is(const char *record, const char *key, const char *text)
{
    const char *at = record_value(record, key);
    return at != NULL && strncmp(at, text, strlen(text)) == 0 && (at[strlen(text)] == '"' || at[strlen(text)] == ',');
}

/** The next record of a type about an item after `from` (NULL: from the start); item < 0: about any; NULL: there is no such record. */
static inline const char *record_next(const simulation *sim, const char *from, const char *type, int item)
{
    const char *at = from == NULL ? sim->stream : strchr(from, '\n');
    while (at != NULL && *at != '\0') {
        at = *at == '\n' ? at + 1 : at;
        if (*at == '~' && record_is(at, "t", type) && (item < 0 || record_number(at, "item") == item)) {
            return at;
        }
        at = strchr(at, '\n');
    }
    return NULL;
}

/** The part of an item's `begin` that has a key; fails when none has. */
static inline const char *begin_with(const simulation *sim, int item, const char *key)
{
    const char *at = record_next(sim, NULL, "begin", item);
    while (at != NULL && record_value(at, key) == NULL) {
        at = record_next(sim, at, "begin", item);
    }
    assert_non_null(at);
    return at;
}

/** The `end` of an item's series; fails if the series has no end. */
static inline const char *series_end(const simulation *sim, int item, int series)
{
    const char *at = NULL;
    while ((at = record_next(sim, at, "end", item)) != NULL) {
        if (record_number(at, "series") == series) {
            return at;
        }
    }
    fail_msg("no end of item %d series %d in:\n%s", item, series, sim->stream);
    return "";
}

/** A check of an item by its name; fails if there is no such check. */
static inline const char *check_named(const simulation *sim, int item, const char *name)
{
    const char *at = NULL;
    while ((at = record_next(sim, at, "check", item)) != NULL) {
        if (record_is(at, "name", name)) {
            return at;
        }
    }
    fail_msg("no check %s of item %d in:\n%s", name, item, sim->stream);
    return "";
}

/** The n-th number of a list of numbers; false behind its end. */
static inline bool list_number(const char *record, const char *key, unsigned n, int64_t *number)
{
    const char *at = record_value(record, key);
    assert_non_null(at);
    assert_int_equal(*at, '[');
    for (unsigned i = 0;; i++) {
        char *end = NULL;
        const int64_t value = strtoll(at + 1, &end, 10);
        if (end == at + 1) { /* null, or an empty list */
            return false;
        }
        if (i == n) {
            *number = value;
            return true;
        }
        if (*end != ',') {
            return false;
        }
        at = end;
    }
}

/** All values of `samples` or `batch` records of a series, in order; returns how many. */
static inline size_t raw_values(const simulation *sim, const char *type, int item, int series, int64_t *values,
                                size_t room)
{
    size_t count = 0;
    const char *at = NULL;
    while ((at = record_next(sim, at, type, item)) != NULL) {
        if (series >= 0 && record_number(at, "series") != series) {
            continue;
        }
        assert_int_equal(record_number(at, "first"), (int64_t)count);
        int64_t value = 0;
        for (unsigned n = 0; list_number(at, "v", n, &value); n++) {
            assert_true(count < room);
            values[count++] = value;
        }
    }
    return count;
}

/** The bucket of a magnitude by the spec's formula, implemented independently of the engine. */
static inline int64_t bucket_of(uint64_t magnitude, unsigned sub_bits)
{
    unsigned length = 0;
    while (length < 64 && magnitude >> length != 0) {
        length++;
    }
    const unsigned e = length > sub_bits ? length - sub_bits : 0;
    return (int64_t)(((uint64_t)e << (sub_bits - 1)) + (magnitude >> e));
}

/** What a bucket of a series holds; index < 0: all buckets of that side. */
static inline int64_t bucket_count(const simulation *sim, int item, int series, const char *side, int64_t index)
{
    int64_t sum = 0;
    const char *at = NULL;
    while ((at = record_next(sim, at, "hist", item)) != NULL) {
        if (record_number(at, "series") != series || !record_is(at, "side", side)) {
            continue;
        }
        int64_t bucket = 0;
        int64_t count = 0;
        for (unsigned n = 0; list_number(at, "b", n, &bucket); n += 2) {
            assert_true(list_number(at, "b", n + 1, &count));
            sum += index < 0 || bucket == index ? count : 0;
        }
    }
    return sum;
}

/** Demands that a series is exactly these samples: raw values, end, histogram and extremes alike. The item must have raw on. */
static inline void assert_series(const simulation *sim, int item, int series, const int64_t *expected, size_t count)
{
    int64_t *raw = calloc(count + 1, sizeof *raw);
    assert_non_null(raw);
    assert_int_equal(raw_values(sim, "samples", item, series, raw, count + 1), count);
    int64_t min = INT64_MAX;
    int64_t max = INT64_MIN;
    int64_t sum = 0;
    uint64_t overflow = 0;
    unsigned __int128 sumsq = 0;
    for (size_t i = 0; i < count; i++) {
        if (raw[i] != expected[i]) {
            fail_msg("item %d series %d sample %zu is %" PRId64 ", not %" PRId64, item, series, i, raw[i], expected[i]);
        }
        min = expected[i] < min ? expected[i] : min;
        max = expected[i] > max ? expected[i] : max;
        sum += expected[i];
        const uint64_t magnitude = (uint64_t)(expected[i] < 0 ? -expected[i] : expected[i]);
        sumsq += (unsigned __int128)magnitude * magnitude;
        const unsigned bits = expected[i] < 0 ? RTS_PORT_NEGATIVE_BITS : RTS_PORT_MAX_BITS;
        overflow += magnitude >> bits != 0 ? 1 : 0;
    }
    free(raw);
    const char *end = series_end(sim, item, series);
    assert_int_equal(record_number(end, "count"), (int64_t)count);
    assert_int_equal(record_number(end, "overflow"), (int64_t)overflow);
    assert_int_equal(record_number(end, "dropped"), 0);
    assert_int_equal(record_number(end, "min"), min);
    assert_int_equal(record_number(end, "max"), max);
    assert_int_equal(record_number(end, "sum"), sum);
    char text[48];
    size_t at = sizeof text - 1;
    text[at] = '\0';
    do {
        text[--at] = (char)('0' + (int)(sumsq % 10));
        sumsq /= 10;
    } while (sumsq != 0);
    assert_true(record_is(end, "sumsq", text + at));
    for (size_t i = 0; i < count; i++) {
        const bool negative = expected[i] < 0;
        const uint64_t magnitude = (uint64_t)(negative ? -expected[i] : expected[i]);
        const unsigned bits = negative ? RTS_PORT_NEGATIVE_BITS : RTS_PORT_MAX_BITS;
        if (magnitude >> bits != 0) {
            continue;
        }
        int64_t same = 0;
        const int64_t index = bucket_of(magnitude, RTS_PORT_SUB_BITS);
        for (size_t j = 0; j < count; j++) {
            const uint64_t other = (uint64_t)(expected[j] < 0 ? -expected[j] : expected[j]);
            same += (expected[j] < 0) == negative && other >> bits == 0 && bucket_of(other, RTS_PORT_SUB_BITS) == index;
        }
        assert_int_equal(bucket_count(sim, item, series, negative ? "-" : "+", index), same);
    }
    assert_int_equal(bucket_count(sim, item, series, "+", -1) + bucket_count(sim, item, series, "-", -1),
                     (int64_t)(count - overflow));
}

#endif
