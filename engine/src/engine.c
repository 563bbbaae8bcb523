/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A session from `hello` to `bye`.
 */
#include "rtstone/engine.h"

#include "bytes.h"
#include "engine.h"
#include "report.h"
#include "text.h"

#define NONCE_DIGITS 16u

static rts_status write_line(void *arg, const char *line, size_t length)
{
    (void)arg;
    return rts_port_console_write(line, length);
}

static void hello(rts_engine *engine, const char *nonce)
{
    char derived[NONCE_DIGITS + 1u];
    if (nonce == NULL) {
        rts_format_hex(derived, rts_random_seed(engine->plan.seed, engine->plan.repetition, 0), NONCE_DIGITS);
        derived[NONCE_DIGITS] = '\0';
        nonce = derived;
    }
    rts_record_begin(&engine->writer, "hello");
    rts_record_name(&engine->writer, "v", RTS_STREAM_VERSION);
    rts_record_name(&engine->writer, "engine", RTS_ENGINE_VERSION);
    rts_record_name(&engine->writer, "port", RTS_PORT_NAME);
    rts_record_name(&engine->writer, "nonce", nonce);
    rts_record_end(&engine->writer);
}

static void fact(void *arg, const char *key, const char *value)
{
    rts_writer *writer = arg;
    rts_record_begin(writer, "env");
    rts_record_name(writer, "key", key);
    rts_record_head(writer);
    rts_record_text(writer, "value", value);
    rts_record_end(writer);
}

static void number_fact(rts_writer *writer, const char *key, uint64_t value)
{
    char digits[RTS_NUMBER_BYTES + 1u];
    digits[rts_format_unsigned(digits, value)] = '\0';
    fact(writer, key, digits);
}

static void degraded(void *arg, const char *reason, const char *text, const char *remedy)
{
    rts_writer *writer = arg;
    rts_record_begin(writer, "degraded");
    rts_record_name(writer, "reason", reason);
    rts_record_head(writer);
    rts_record_text(writer, "text", text);
    rts_record_text(writer, "remedy", remedy == NULL ? "" : remedy);
    rts_record_end(writer);
}

static int bye(rts_engine *engine, const char *status, int code)
{
    rts_writer *writer = &engine->writer;
    rts_record_begin(writer, "bye");
    rts_record_unsigned(writer, "items", engine->plan.count);
    rts_record_unsigned(writer, "measured", engine->measured);
    rts_record_unsigned(writer, "skipped", engine->skipped);
    rts_record_name(writer, "status", status);
    rts_record_big(writer, "records", writer->records);
    rts_record_end(writer);
    return writer->failed ? RTS_EXIT_FAILED : code;
}

/** Says why nothing can be measured, and ends. */
static int refuse(rts_engine *engine, const char *text, int code)
{
    rts_record_begin(&engine->writer, "refused");
    rts_record_text(&engine->writer, "text", text);
    rts_record_end(&engine->writer);
    return bye(engine, "failed", code);
}

static int refuse_load(rts_engine *engine, const char *load, const char *why)
{
    char text[RTS_LOAD_WHY_BYTES + 2u * RTS_PLAN_NAME_BYTES];
    const char *const part[] = {"the load ", load, " cannot be started: ", why};
    size_t length = 0;
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        for (const char *at = part[i]; *at != '\0' && length + 1u < sizeof text; at++) {
            text[length++] = *at;
        }
    }
    text[length] = '\0';
    return refuse(engine, text, RTS_EXIT_FAILED);
}

/** What the items before one left of their budgets, shared with those after it that may have it too; 0 of an item that may not. */
static rts_ticks spare(const rts_engine *engine, uint32_t index)
{
    rts_ticks budgets = 0;
    uint32_t sharers = 0;
    for (uint32_t i = 0; i < engine->plan.count; i++) {
        const rts_plan_item *const item = &engine->plan.item[i];
        if (i < index) {
            budgets += rts_clock_ticks_from_ms(engine->clocks.run.hz, item->budget_ms);
        } else {
            sharers += item->budget_ms != 0u ? item->spare : 0u;
        }
    }
    const rts_ticks used = rts_clock_read() - engine->first;
    return engine->plan.item[index].spare != 0u && sharers != 0u && budgets > used ? (budgets - used) / sharers : 0u;
}

/** The plan's items, one after the other, on a target that is prepared. */
static int session(rts_engine *engine)
{
    if (rts_port_prepare(degraded, &engine->writer) != RTS_OK) {
        degraded(&engine->writer, "prepare", "the port could not prepare the target for a run", "");
    }
    if (rts_clocks_learn(&engine->clocks) != RTS_OK) {
        return refuse(engine, "the frequency of a clock is not known", RTS_EXIT_FAILED);
    }
    if (rts_clocks_calibrate(&engine->clocks, &engine->run.recorder[0], engine->run.raw[0].held, RTS_PORT_RAW_SAMPLES,
                             &engine->writer) != RTS_OK) {
        return refuse(engine, "a clock stands still", RTS_EXIT_FAILED);
    }
    if (rts_port_supports(RTS_SERVICE_THREADS) == RTS_OK) { /* else there are no pings */
        rts_clocks_account(&engine->clocks, rts_measurement_ping_account, engine->run.state, engine->run.raw[0].held,
                           RTS_PORT_RAW_SAMPLES, &engine->writer);
    }
    if (engine->plan.loads_required) {
        rts_load_fault fault;
        const rts_plan_item *const item = rts_engine_try_loads(engine, &fault);
        if (item != NULL) {
            return refuse_load(engine, fault.load != NULL ? fault.load : item->load, fault.why);
        }
    }
    engine->first = rts_clock_read();
    for (uint32_t i = 0; i < engine->plan.count && !engine->writer.failed; i++) {
        const rts_plan_item *item = &engine->plan.item[i];
#ifdef RTS_PORT_GATES
        if (!rts_engine_ends(engine)) {
            const rts_ticks before = rts_clock_read();
            rts_port_gate(item->number);
            engine->first += rts_clock_read() - before; /* a wait takes nothing of the items' time */
        }
#endif
        engine->spare = spare(engine, i);
        if (rts_engine_ends(engine)) {
            rts_report_skip(item, "interrupted", NULL, "the run was ended before its turn", &engine->writer);
            engine->skipped++;
        } else {
            rts_engine_item(engine, item);
        }
    }
    return engine->interrupted ? bye(engine, "interrupted", RTS_EXIT_INTERRUPTED) : bye(engine, "ok", RTS_EXIT_OK);
}

size_t rts_engine_memory_bytes(void)
{
    return sizeof(rts_engine);
}

int rts_engine_run(const char *nonce)
{
    rts_engine *engine = rts_port_memory(sizeof(rts_engine));
    if (engine == NULL) {
        rts_port_fatal("there is not enough memory for a run");
    }
    rts_writer_init(&engine->writer, write_line, NULL);
    const bool planned = rts_plan_receive(&engine->reader, &engine->plan);
    if (planned && engine->reader.state == RTS_PLAN_REFUSED) {
        engine->plan.count = 0;
        hello(engine, nonce);
        return refuse(engine, engine->reader.refusal, RTS_EXIT_USAGE);
    }
    const size_t left_out = planned ? 0u : rts_plan_built_in(&engine->plan);
    hello(engine, nonce);
    rts_port_describe(fact, &engine->writer);
    fact(&engine->writer, "engine.plan", planned ? "host" : "built-in");
    number_fact(&engine->writer, "engine.memory_bytes", sizeof(rts_engine));
    rts_plan_tell(&engine->plan, &engine->writer);
    if (left_out != 0u) {
        degraded(&engine->writer, "plan-cut", "the built-in plan has more items than this engine holds", "send a plan");
    }
    const int code = session(engine);
    rts_port_release();
    return code;
}
