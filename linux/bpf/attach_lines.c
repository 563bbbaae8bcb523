/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "attach_lines.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "trails.h"

struct count {
    const char *name;
    uint64_t value;
};

static void print_counts(const struct count *counts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        (void)printf("\"%s\":%" PRIu64 ",", counts[i].name, counts[i].value);
    }
}

/** The members of a series, without brackets around them. */
static void print_series(const struct rtstone_attach_series *series)
{
    const struct count counts[] = {
        {"samples", series->samples},           {"sum", series->sum},     {"squares", series->squares},
        {"squares_high", series->squares_high}, {"least", series->least}, {"most", series->most},
        {"overflow", series->overflow},
    };
    print_counts(counts, sizeof counts / sizeof counts[0]);
    (void)printf("\"buckets\":[");
    const char *between = "";
    for (size_t i = 0; i < RTSTONE_ATTACH_BUCKETS; i++) {
        if (series->buckets[i] != 0) {
            (void)printf("%s[%zu,%u]", between, i, series->buckets[i]);
            between = ",";
        }
    }
    (void)printf("]");
}

void rts_attach_print_thread(const struct rtstone_attach_thread *thread)
{
    const struct count counts[] = {
        {"thread", thread->number},
        {"tid", thread->tid},
        {"pid", thread->tgid},
        {"ended", thread->state == RTSTONE_ATTACH_ENDED},
        {"pending", thread->pending},
        {"policy", thread->policy},
        {"priority", thread->priority},
        {"cpu", thread->cpu},
        {"wakings", thread->wakings},
        {"awake", thread->awake},
        {"unseen", thread->unseen},
        {"untold", thread->untold},
        {"preempted", thread->preempted},
        {"by_timer", thread->by_timer},
        {"migrations", thread->migrations},
        {"unnamed", thread->unnamed},
        {"faults", thread->faults[1] - thread->faults[0]},
        {"major_faults", thread->major[1] - thread->major[0]},
    };
    (void)printf("{");
    print_counts(counts, sizeof counts / sizeof counts[0]);
    rts_trails_print_name("comm", thread->comm, sizeof thread->comm);
    (void)printf(",");
    print_series(&thread->latency);
    (void)printf("}\n");
}

void rts_attach_print_cycles(const struct rtstone_attach_cycle *cycle, uint32_t number, bool with_faults)
{
    const struct count counts[] = {
        {"cycle", number},
        {"cycles", cycle->cycles},
        {"broken", cycle->broken},
        {"endless", cycle->endless},
        {"open", cycle->begun != 0},
        {"waits", cycle->waits},
        {"undated", cycle->undated},
        {"misses", cycle->misses},
        {"late_starts", cycle->late[RTSTONE_ATTACH_LATE_START]},
        {"late_wakings", cycle->late[RTSTONE_ATTACH_LATE_WAKING]},
        {"lost", cycle->lost[RTSTONE_ATTACH_LATE_START] + cycle->lost[RTSTONE_ATTACH_LATE_WAKING] +
                     cycle->lost[RTSTONE_ATTACH_MISS]},
    };
    (void)printf("{");
    print_counts(counts, sizeof counts / sizeof counts[0]);
    (void)printf("\"series\":[");
    for (size_t i = 0; i < RTSTONE_ATTACH_SERIES; i++) {
        if (i == RTSTONE_ATTACH_FAULTED && !with_faults) {
            break; /* the last */
        }
        (void)printf("%s{", i == 0 ? "" : ",");
        print_series(&cycle->of[i]);
        (void)printf("}");
    }
    (void)printf("]}\n");
}
