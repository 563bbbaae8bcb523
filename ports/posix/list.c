/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prints what this engine can measure here, for people and as JSON.
 */
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "posix.h"
#include "rtstone/engine.h"
#include "rtstone/load.h"
#include "rtstone/measurement.h"

/** First service of the set that is not available here; RTS_SERVICE_COUNT when all are. */
static rts_service lacking(uint32_t services)
{
    for (uint32_t i = 0; i < RTS_SERVICE_COUNT; i++) {
        if ((services & 1u << i) != 0 && rts_port_supports((rts_service)i) != RTS_OK) {
            return (rts_service)i;
        }
    }
    return RTS_SERVICE_COUNT;
}

static const char *or_empty(const char *text)
{
    return text == NULL ? "" : text;
}

static void string(const char *key, const char *text)
{
    /* Names and sentences are constants of ours: no quote and no backslash among them, as the tests check. */
    (void)printf("\"%s\":\"%s\"", key, text);
}

/** What the measurement is like, for a host that plans by it. */
static void traits_json(const rts_measurement *measurement)
{
    static const char *const names[] = {"enters", "on-timer", "prioritized", "trails", "window", "kernel-handler"};
    static const char *const paced_by[] = {"", "timer", "length", "outside"};
    const char *comma = "";
    (void)printf(",\"traits\":[");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if ((measurement->traits & 1u << i) != 0u) {
            (void)printf("%s\"%s\"", comma, names[i]);
            comma = ",";
        }
    }
    (void)printf("],");
    string("paced_by", paced_by[measurement->paced_by]);
    (void)printf(",");
    string("whole", measurement->whole == 0u ? "" : measurement->series[measurement->whole - 1u]);
}

static void measurement_json(const rts_measurement *measurement, uint32_t choice)
{
    const rts_service missing = lacking(measurement->services);
    const rts_choice *const chosen = measurement->choice_count != 0u ? &measurement->choices[choice] : NULL;
    char name[RTS_MEASUREMENT_NAME_BYTES];
    rts_measurement_name(measurement, choice, name);
    (void)printf("{");
    string("name", name);
    (void)printf(",");
    string("summary", chosen != NULL ? chosen->summary : measurement->summary);
    (void)printf(",\"passes\":[%s%s%s],\"series\":[", (measurement->passes & RTS_PASS_SINGLE) != 0 ? "\"single\"" : "",
                 measurement->passes == (RTS_PASS_SINGLE | RTS_PASS_BATCH) ? "," : "",
                 (measurement->passes & RTS_PASS_BATCH) != 0 ? "\"batch\"" : "");
    for (size_t i = 0; i < RTS_SERIES_MAX && measurement->series[i] != NULL; i++) {
        (void)printf("%s\"%s\"", i == 0 ? "" : ",", measurement->series[i]);
    }
    if (chosen != NULL) {
        (void)printf("\"%s\"", name);
    }
    (void)printf("],\"supported\":%s,", missing == RTS_SERVICE_COUNT ? "true" : "false");
    string("why_not", missing == RTS_SERVICE_COUNT ? "" : or_empty(rts_port_why_not(missing)));
    (void)printf(",\"substitutes\":[");
    const char *comma = "";
    for (uint32_t i = 0; i < RTS_SERVICE_COUNT; i++) {
        const char *const substitute = rts_port_substitute((rts_service)i);
        if ((measurement->services & 1u << i) != 0 && substitute != NULL) {
            (void)printf("%s\"%s\"", comma, substitute);
            comma = ",";
        }
    }
    (void)printf("]");
    traits_json(measurement);
    (void)printf(",");
    string("of", measurement->name);
    (void)printf(",");
    string("choice", chosen != NULL ? chosen->name : "");
    (void)printf("}");
}

static void all_json(void)
{
    (void)printf("{\"v\":\"1.2\",");
    string("engine", RTS_ENGINE_VERSION);
    (void)printf(",");
    string("port", RTS_PORT_NAME);
    (void)printf(",\"measurements\":[");
    const char *comma = "";
    for (size_t i = 0; i < rts_measurement_count; i++) {
        for (uint32_t choice = 0; choice < rts_measurement_names(rts_measurements[i]); choice++) {
            (void)printf("%s", comma);
            measurement_json(rts_measurements[i], choice);
            comma = ",";
        }
    }
    (void)printf("],\"loads\":[");
    for (size_t i = 0; i < rts_load_count; i++) {
        (void)printf(i == 0 ? "{" : ",{");
        string("name", rts_loads[i]->name);
        (void)printf(",");
        string("summary", rts_loads[i]->summary);
        (void)printf(",");
        string("unit", rts_loads[i]->unit);
        (void)printf("}");
    }
    (void)printf("],\"timers\":[\"%s\",\"%s\"", RTS_POSIX_TIMER_PAIR, rts_posix_nanosleep.name);
    const rts_timer_source *source;
    for (size_t i = 0; (source = rts_system_timer_source(i)) != NULL; i++) {
        (void)printf(",\"%s\"", source->name);
    }
    (void)printf("],\"clocks\":[");
    const char *summary;
    const char *clock;
    for (size_t i = 0; (clock = rts_posix_clock_name(i, &summary)) != NULL; i++) {
        (void)printf(i == 0 ? "{" : ",{");
        string("name", clock);
        (void)printf(",");
        string("summary", summary);
        (void)printf("}");
    }
    (void)printf("],");
    string("capabilities", rts_system_capabilities());
    (void)printf("}\n");
}

/** The names that a measurement with choices has, in lines of their own. */
static void choices_text(const rts_measurement *measurement)
{
    size_t used = 0;
    for (uint32_t i = 0; i < measurement->choice_count; i++) {
        char name[RTS_MEASUREMENT_NAME_BYTES];
        rts_measurement_name(measurement, i, name);
        const bool begins = used == 0u || used + strlen(name) > 74u;
        if (begins) {
            (void)printf("%s  %-26s  ", i == 0 ? "" : ",\n", "");
            used = 0;
        }
        (void)printf("%s%s", begins ? "" : ", ", name);
        used += strlen(name) + 2u;
    }
    (void)printf("%s", measurement->choice_count == 0u ? "" : "\n");
}

static void all_text(void)
{
    (void)printf("measurements (* not available here)\n");
    for (size_t i = 0; i < rts_measurement_count; i++) {
        const rts_measurement *const measurement = rts_measurements[i];
        const rts_service missing = lacking(measurement->services);
        (void)printf("  %-26s%s %s\n", measurement->name, missing == RTS_SERVICE_COUNT ? " " : "*",
                     measurement->summary);
        choices_text(measurement);
        if (missing != RTS_SERVICE_COUNT) {
            (void)printf("  %-26s  (%s)\n", "", or_empty(rts_port_why_not(missing)));
        }
    }
    (void)printf("\nloads\n");
    for (size_t i = 0; i < rts_load_count; i++) {
        (void)printf("  %-26s  %s; intensity counts %s\n", rts_loads[i]->name, rts_loads[i]->summary,
                     rts_loads[i]->unit);
    }
    (void)printf("\ntimer sources\n  %s\n  %s\n", RTS_POSIX_TIMER_PAIR, rts_posix_nanosleep.name);
    const rts_timer_source *source;
    for (size_t i = 0; (source = rts_system_timer_source(i)) != NULL; i++) {
        (void)printf("  %s\n", source->name);
    }
    (void)printf("\nclocks of a run\n");
    const char *summary;
    const char *clock;
    for (size_t i = 0; (clock = rts_posix_clock_name(i, &summary)) != NULL; i++) {
        (void)printf("  %-26s  %s\n", clock, summary);
    }
}

void rts_list(bool json)
{
    if (json) {
        all_json();
    } else {
        all_text();
    }
}
