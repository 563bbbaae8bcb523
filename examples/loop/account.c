/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The account, as JSON.
 */
#include "account.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plants.h"
#include "threads.h"

int series_open(series *of, const char *name, uint64_t period_ns, uint64_t deadline_ns, uint64_t room)
{
    *of = (series){.name = name, .period_ns = period_ns, .deadline_ns = deadline_ns, .room = room};
    of->cycles = malloc((size_t)room * sizeof of->cycles[0]);
    if (of->cycles == NULL) {
        return ENOMEM;
    }
    memset(of->cycles, 0, (size_t)room * sizeof of->cycles[0]);
    return 0;
}

static bool was_run(const cycle *of)
{
    return of->end_ns != 0;
}

static bool is_late(const series *in, const cycle *of)
{
    return was_run(of) && of->end_ns - of->due_ns > in->deadline_ns;
}

static int compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Least, usual and greatest of `count` times, which it sorts. */
static void print_times(const char *name, uint64_t *times, uint64_t count)
{
    if (count == 0) {
        return;
    }
    qsort(times, (size_t)count, sizeof times[0], compare);
    printf(",\"%s\":{\"min\":%" PRIu64 ",\"p50\":%" PRIu64 ",\"p99\":%" PRIu64 ",\"max\":%" PRIu64 "}", name, times[0],
           times[(count - 1) / 2], times[(count - 1) - (count - 1) / 100], times[count - 1]);
}

/*
 * The faults that were carried out while a cycle was due or ran. Late cycles come in the order of their due times, and no fault
 * begins more than a period before its cycle is due: *first is the first fault that was not over, for the next call.
 */
static void print_plants(const settings *from, uint64_t base_ns, const cycle *of, uint32_t *first)
{
    const plant *planted;
    while ((planted = plants_at(*first)) != NULL && atomic_load(&planted->state) == DONE &&
           planted->end_ns <= of->due_ns) {
        ++*first;
    }
    const char *comma = "";
    printf(",\"plants\":[");
    for (uint32_t index = *first; (planted = plants_at(index)) != NULL; ++index) {
        if (base_ns + planted->cycle * from->period_ns >= of->end_ns + from->period_ns) {
            break;
        }
        if (atomic_load(&planted->state) == DONE && planted->start_ns < of->end_ns && planted->end_ns > of->due_ns) {
            printf("%s%" PRIu32, comma, index);
            comma = ",";
        }
    }
    printf("]");
}

static void print_late(const settings *from, uint64_t base_ns, const series *in)
{
    uint32_t first = 0;
    uint64_t last_end_ns = 0; /* of the cycle run before */
    const char *comma = "";
    printf(",\"late\":[");
    for (uint64_t number = 0; number < in->periods; ++number) {
        const cycle *const of = &in->cycles[number];
        if (is_late(in, of)) {
            printf("%s\n{\"cycle\":%" PRIu64 ",\"due_ns\":%" PRIu64 ",\"start_ns\":%" PRIu64 ",\"end_ns\":%" PRIu64
                   ",\"thread\":%" PRId32 ",\"behind\":%s",
                   comma, number, of->due_ns, of->start_ns, of->end_ns, of->thread,
                   last_end_ns > of->due_ns ? "true" : "false");
            print_plants(from, base_ns, of, &first);
            printf("}");
            comma = ",";
        }
        last_end_ns = was_run(of) ? of->end_ns : last_end_ns;
    }
    printf("]");
}

static void print_raw(const series *in)
{
    const char *comma = "";
    printf(",\"cycles\":[");
    for (uint64_t number = 0; number < in->periods; ++number) {
        const cycle *const of = &in->cycles[number];
        if (was_run(of)) {
            printf("%s\n[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", comma, number, of->due_ns, of->start_ns,
                   of->end_ns);
            comma = ",";
        }
    }
    printf("]");
}

/* Returns how many of its cycles missed the deadline, and prints all of them. */
static uint64_t print_series(const settings *from, uint64_t base_ns, const series *in)
{
    uint64_t run = 0;
    uint64_t misses = 0;
    uint64_t *const lateness = malloc((size_t)in->room * sizeof *lateness);
    uint64_t *const response = malloc((size_t)in->room * sizeof *response);
    for (uint64_t number = 0; number < in->periods; ++number) {
        const cycle *const of = &in->cycles[number];
        if (was_run(of)) {
            if (lateness != NULL && response != NULL) {
                lateness[run] = of->start_ns - of->due_ns;
                response[run] = of->end_ns - of->due_ns;
            }
            ++run;
            misses += is_late(in, of) ? 1 : 0;
        }
    }
    printf("\n{\"name\":\"%s\",\"period_ns\":%" PRIu64 ",\"deadline_ns\":%" PRIu64 ",\"periods\":%" PRIu64
           ",\"run\":%" PRIu64 ",\"skipped\":%" PRIu64 ",\"misses\":%" PRIu64,
           in->name, in->period_ns, in->deadline_ns, in->periods, run, in->periods - run, misses);
    if (lateness != NULL && response != NULL) {
        print_times("lateness_ns", lateness, run);
        print_times("response_ns", response, run);
    }
    free(lateness);
    free(response);
    print_late(from, base_ns, in);
    if (from->raw) {
        print_raw(in);
    }
    printf("}");
    return misses;
}

static const char *state_name(const plant *planted)
{
    switch (atomic_load(&planted->state)) {
    case DONE:
        return "done";
    case BEGUN:
        return "begun";
    default:
        return "not-reached";
    }
}

/* Returns how many were carried out, and prints all. */
static uint32_t print_all_plants(void)
{
    uint32_t done = 0;
    const plant *planted;
    printf(",\n\"plants\":[");
    for (uint32_t index = 0; (planted = plants_at(index)) != NULL; ++index) {
        const fault *const of = planted->fault;
        printf("%s\n{\"number\":%" PRIu32 ",\"fault\":\"%s\",\"cycle\":%" PRIu64 ",\"drawn_ns\":%" PRIu64
               ",\"lead_ns\":%" PRIu64 ",\"state\":\"%s\"",
               index > 0 ? "," : "", index, of->name, planted->cycle, planted->drawn_ns, planted->lead_ns,
               state_name(planted));
        if (atomic_load(&planted->state) == DONE) {
            ++done;
            printf(",\"thread\":%" PRId32 ",\"start_ns\":%" PRIu64 ",\"end_ns\":%" PRIu64, planted->thread,
                   planted->start_ns, planted->end_ns);
            for (uint32_t detail = 0; detail < DETAILS_AT_MOST && of->details[detail] != NULL; ++detail) {
                printf(",\"%s\":%" PRIu64, of->details[detail], planted->details[detail]);
            }
        }
        printf("}");
    }
    printf("]");
    return done;
}

bool account_print(const settings *from, uint64_t base_ns, bool locked, const series *of, uint32_t count)
{
    uint32_t planted = 0;
    while (plants_at(planted) != NULL) {
        ++planted;
    }
    printf("{\"program\":\"%s\",\"version\":1,\"pid\":%ld,\"base_ns\":%" PRIu64
           ",\"cpu\":%d,\"priority\":%d,\"wait\":\"%s\""
           ",\"catch_up\":%s,\"together\":%s,\"memory_locked\":%s,\"seed\":%" PRIu64 ",\"every\":%" PRIu64
           ",\"length_min_ns\":%" PRIu64 ",\"length_max_ns\":%" PRIu64,
           from->program, (long)getpid(), base_ns, from->cpu, from->priority, from->wait->name,
           from->catch_up ? "true" : "false", from->together ? "true" : "false", locked ? "true" : "false", from->seed,
           from->every, from->length_min_ns, from->length_max_ns);
    threads_print();
    printf(",\n\"series\":[");
    uint64_t misses = 0;
    uint64_t periods = 0;
    for (uint32_t index = 0; index < count; ++index) {
        printf("%s", index > 0 ? "," : "");
        misses += print_series(from, base_ns, &of[index]);
        periods += of[index].periods;
    }
    printf("]");
    const uint32_t done = print_all_plants();
    printf(",\n\"planted\":%" PRIu32 ",\"carried_out\":%" PRIu32 "}\n", planted, done);
    const bool written = fflush(stdout) == 0 && ferror(stdout) == 0;
    (void)fprintf(stderr,
                  "%s: %" PRIu64 " of %" PRIu64 " cycles missed their deadline; %" PRIu32 " of %" PRIu32
                  " planted faults carried out\n",
                  from->program, misses, periods, done, planted);
    return written;
}
