/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each CPU's last steps are kept as they come, by their numbers. A trail's last record says which of them are its own.
 */
#include "trails.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../probe/bpf/rtstone_attach.h"
#include "ring.h"
#include "split.h"
#include "symbols.h"

enum {
    RETIRED =
        512,     /* trails of threads that have ended: the slowest of each and of each kind, until there are so many */
    LAST = 512,  /* trails that are kept because they are the last */
    SLOWEST = 4, /* and of each thread and kind because they are the slowest */
    BEFORE = 8,  /* steps before the due time */
    OWN_BEFORE = 4, /* of the thread's own */
    LONGEST = 511   /* of one CPU */
};

/** A trail. The steps of each CPU are in their order, the CPUs one after the other. */
struct kept {
    struct rtstone_attach_late late;
    struct rtstone_attach_own own;
    unsigned uses; /**< of the lists below */
    bool printed;  /**< with its thread, which has ended */
    size_t count;
    struct rtstone_attach_step step[];
};

/** The last steps of a CPU: the one with a number is at its remainder. */
struct history {
    uint32_t newest; /**< its highest number; 0: none */
    struct rtstone_attach_step step[RTSTONE_ATTACH_STEPS];
};

static struct {
    rts_ring ring;
    const struct rtstone_attach_thread *threads; /**< of each slot */
    uint32_t cpus;
    struct history *history;
    struct rtstone_attach_own *owns; /**< the last of each slot */
    struct kept *last[LAST];
    size_t next;                                            /**< of `last`, to be replaced */
    struct kept *(*slowest)[RTSTONE_ATTACH_LATES][SLOWEST]; /**< of each slot */
    size_t retired;                                         /**< trails of threads that have ended, printed with them */
} trails;

bool rts_trails_open(int ring, uint32_t cpus, const struct rtstone_attach_thread *threads)
{
    trails.threads = threads;
    trails.cpus = cpus;
    trails.history = calloc(cpus, sizeof *trails.history);
    trails.owns = calloc(RTSTONE_ATTACH_THREADS, sizeof *trails.owns);
    trails.slowest = calloc(RTSTONE_ATTACH_THREADS, sizeof *trails.slowest);
    if (trails.history == NULL || trails.owns == NULL || trails.slowest == NULL) {
        errno = ENOMEM;
        return false;
    }
    (void)rts_symbols_load(); /* without names there are no stacks */
    return rts_ring_open(&trails.ring, ring, RTSTONE_ATTACH_TRAILS_BYTES);
}

static void take_steps(const struct rtstone_attach_step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct rtstone_attach_step *const step = &steps[i];
        if (step->number == 0 || step->cpu >= trails.cpus) {
            continue;
        }
        struct history *const history = &trails.history[step->cpu];
        history->step[step->number % RTSTONE_ATTACH_STEPS] = *step;
        if (history->newest == 0 || (int32_t)(step->number - history->newest) > 0) {
            history->newest = step->number;
        }
    }
}

/**
 * The steps of one CPU from just before `due` to `until`, and none behind the number `end` (0: any). They are written from the end of `room` on
 * towards its beginning. Returns how many they are; a step that is missing ends them.
 */
static size_t select_steps(const struct history *history, uint32_t end, uint64_t due, uint64_t until,
                           struct rtstone_attach_step room[LONGEST])
{
    size_t count = 0;
    unsigned before = 0;
    uint32_t number = end == 0 ? history->newest : end;
    for (unsigned passed = 0; number != 0 && passed < RTSTONE_ATTACH_STEPS && count < LONGEST && before < BEFORE;
         passed++, number--) {
        const struct rtstone_attach_step *const step = &history->step[number % RTSTONE_ATTACH_STEPS];
        if (step->number != number) {
            break;
        }
        if (step->step.at <= until) {
            before += step->step.at < due ? 1u : 0u;
            count++;
            room[LONGEST - count] = *step;
        }
    }
    return count;
}

static void release(struct kept *kept)
{
    if (kept != NULL && --kept->uses == 0) {
        free(kept);
    }
}

static uint64_t length(const struct kept *kept)
{
    return kept->late.until - kept->late.due;
}

static void put(struct kept **place, struct kept *kept)
{
    release(*place);
    *place = kept;
    kept->uses++;
}

/** True if both are of one cycle: of a miss, each sleep beyond the deadline has a record, and the last one counts. */
static bool same(const struct kept *one, const struct rtstone_attach_late *other)
{
    return one != NULL && one->late.number == other->number && one->late.kind == other->kind &&
           one->late.index == other->index;
}

static void keep(struct kept *kept)
{
    struct kept **place = &trails.last[trails.next];
    for (size_t i = 0; i < LAST; i++) {
        if (same(trails.last[i], &kept->late)) {
            place = &trails.last[i];
        }
    }
    if (place == &trails.last[trails.next]) {
        trails.next = (trails.next + 1u) % LAST;
    }
    put(place, kept);
    struct kept **const slowest = trails.slowest[kept->late.slot][kept->late.kind];
    struct kept **least = &slowest[0];
    for (size_t i = 0; i < SLOWEST; i++) {
        if (slowest[i] == NULL || same(slowest[i], &kept->late)) {
            put(&slowest[i], kept);
            return;
        }
        least = length(slowest[i]) < length(*least) ? &slowest[i] : least;
    }
    if (length(kept) > length(*least)) {
        put(least, kept);
    }
}

static void take_late(const struct rtstone_attach_late *late)
{
    /* Not static: a measured fork of the engine would copy their pages. */
    struct rtstone_attach_step room[LONGEST];
    struct rtstone_attach_step all[RTSTONE_ATTACH_TOUCHED * LONGEST];
    const struct rtstone_attach_own *const own = &trails.owns[late->slot];
    size_t total = 0;
    for (size_t i = 0; i < RTSTONE_ATTACH_TOUCHED && own->touched[i].used != 0 && late->lost == 0; i++) {
        if (own->touched[i].cpu < trails.cpus) {
            const size_t count = select_steps(&trails.history[own->touched[i].cpu], (uint32_t)own->touched[i].end,
                                              late->due, late->until, room);
            memcpy(&all[total], &room[LONGEST - count], count * sizeof *room);
            total += count;
        }
    }
    struct kept *const kept = malloc(sizeof *kept + total * sizeof kept->step[0]);
    if (kept != NULL) {
        *kept = (struct kept){.late = *late, .own = *own, .uses = 1, .count = total};
        memcpy(kept->step, all, total * sizeof kept->step[0]);
        keep(kept);
        release(kept);
    }
}

/** Forgets the miss of a cycle that was not seen to its end. */
static void forget(const struct rtstone_attach_unseen *unseen)
{
    const struct rtstone_attach_late late = {.slot = unseen->slot,
                                             .number = trails.threads[unseen->slot].number,
                                             .kind = RTSTONE_ATTACH_MISS,
                                             .index = unseen->index};
    for (size_t i = 0; i < LAST; i++) {
        if (same(trails.last[i], &late)) {
            release(trails.last[i]);
            trails.last[i] = NULL;
        }
    }
    for (size_t i = 0; i < SLOWEST; i++) {
        struct kept **const slowest = &trails.slowest[late.slot][late.kind][i];
        if (same(*slowest, &late)) {
            release(*slowest);
            *slowest = NULL;
        }
    }
}

static bool on_record(void *nothing, const void *record, size_t bytes)
{
    (void)nothing;
    if (bytes == RTSTONE_ATTACH_SEGMENT * sizeof(struct rtstone_attach_step)) {
        struct rtstone_attach_step steps[RTSTONE_ATTACH_SEGMENT];
        memcpy(steps, record, sizeof steps);
        take_steps(steps, RTSTONE_ATTACH_SEGMENT);
    } else if (bytes == sizeof(struct rtstone_attach_own)) {
        struct rtstone_attach_own own;
        memcpy(&own, record, sizeof own);
        if (own.slot < RTSTONE_ATTACH_THREADS) {
            trails.owns[own.slot] = own;
        }
    } else if (bytes == sizeof(struct rtstone_attach_unseen)) {
        struct rtstone_attach_unseen unseen;
        memcpy(&unseen, record, sizeof unseen);
        if (unseen.slot < RTSTONE_ATTACH_THREADS) {
            forget(&unseen);
        }
    } else if (bytes == sizeof(struct rtstone_attach_late)) {
        struct rtstone_attach_late late;
        memcpy(&late, record, sizeof late);
        if (late.slot < RTSTONE_ATTACH_THREADS && late.kind < RTSTONE_ATTACH_LATES) {
            late.number = trails.threads[late.slot].number;
            take_late(&late);
        }
    }
    return true;
}

_Static_assert(RTSTONE_ATTACH_SEGMENT * sizeof(struct rtstone_attach_step) != sizeof(struct rtstone_attach_own) &&
                   sizeof(struct rtstone_attach_own) != sizeof(struct rtstone_attach_late),
               "each kind of record has its own size");

void rts_trails_take(void)
{
    (void)rts_ring_read(&trails.ring, on_record, NULL);
}

void rts_trails_print_name(const char *key, const char *name, size_t room)
{
    (void)printf("\"%s\":\"", key);
    for (size_t i = 0; i < room && name[i] != '\0'; i++) {
        (void)printf("%02x", (unsigned)(unsigned char)name[i]); /* a name may hold any byte */
    }
    (void)printf("\"");
}

static void print_step(const struct rtstone_attach_step *step, const char *before)
{
    (void)printf("%s{\"at\":%llu,\"kind\":%u,\"what\":%u,\"pid\":%u,\"prio\":%d,\"cpu\":%u,", before, step->step.at,
                 step->step.kind, step->step.what, step->step.pid, step->step.prio, step->cpu);
    rts_trails_print_name("task", step->step.task, sizeof step->step.task);
    if (step->step.kind == RTSTONE_SPLIT_INTERRUPT || step->step.kind == RTSTONE_SPLIT_INTERRUPT_END) {
        (void)printf(",");
        rts_trails_print_name("name", step->step.name, sizeof step->step.name);
    }
    if (step->step.kind == RTSTONE_SPLIT_HELD) {
        const char *const by = rts_linux_split_held_by(step->step.what & 0xffu); /* above it: the thread's slot */
        (void)printf(",");
        rts_trails_print_name("name", by, strlen(by));
    }
    if (step->step.kind == RTSTONE_SPLIT_WOKEN || step->step.kind == RTSTONE_SPLIT_LEFT ||
        step->step.kind == RTSTONE_ATTACH_MOVED || step->step.kind == RTSTONE_ATTACH_FAULTS) {
        uint32_t detail;
        memcpy(&detail, step->step.name, sizeof detail);
        (void)printf(",\"detail\":%" PRIu32, detail);
    }
    (void)printf("}");
}

/** The thread's own steps, the oldest first: all since the due time, and some from before. */
static void print_own(const struct rtstone_attach_own *own, uint64_t due)
{
    const char *before = "";
    const uint64_t oldest = own->count > RTSTONE_ATTACH_OWN ? own->count - RTSTONE_ATTACH_OWN : 0;
    uint64_t first = own->count;
    for (unsigned earlier = 0; first > oldest && earlier < OWN_BEFORE; first--) {
        earlier += own->step[(first - 1u) % RTSTONE_ATTACH_OWN].step.at <= due ? 1u : 0u;
    }
    (void)printf(",\"own\":[");
    for (uint64_t i = first; i < own->count; i++) {
        const struct rtstone_attach_step *const step = &own->step[i % RTSTONE_ATTACH_OWN];
        if (step->number == (uint32_t)(i + 1u)) {
            print_step(step, before);
            before = ",";
        }
    }
    (void)printf("]");
}

/** The calls of a stack: null if it is another wake-up's or has no names, empty if it is user space. */
static void print_stack(const char *key, const struct rtstone_split_stack *stack, uint64_t due, bool entered)
{
    const char *calls[RTS_SYMBOLS_CALLS];
    uint64_t frames[RTSTONE_SPLIT_FRAMES];
    size_t count = 0;
    for (size_t i = 0; i < RTSTONE_SPLIT_FRAMES; i++) {
        frames[i] = stack->frame[i];
    }
    if (stack->due != due || !rts_symbols_calls(frames, stack->depth, entered, calls, &count)) {
        (void)printf(",\"%s\":null", key);
        return;
    }
    (void)printf(",\"%s_at\":%llu,\"%s\":[", key, stack->at, key);
    for (size_t i = 0; i < count; i++) {
        (void)printf("%s\"%.100s\"", i == 0 ? "" : ",", calls[i]); /* a name of the kernel's has no quotes */
    }
    (void)printf("]");
}

static void print(const struct kept *kept)
{
    const struct rtstone_attach_late *const late = &kept->late;
    (void)printf(
        "{\"late\":%u,\"slot\":%u,\"kind\":%u,\"index\":%llu,\"due\":%llu,\"until\":%llu,\"lost\":%u,\"pid\":%u,"
        "\"prio\":%d,",
        late->number, late->slot, late->kind, late->index, late->due, late->until, late->lost, late->pid, late->prio);
    rts_trails_print_name("comm", late->comm, sizeof late->comm);
    print_own(&kept->own, late->due);
    print_stack("expired", &kept->own.expired, late->due, true);
    print_stack("chosen", &late->chosen, late->due, false);
    (void)printf(",\"steps\":[");
    for (size_t i = 0; i < kept->count; i++) {
        print_step(&kept->step[i], i == 0 ? "" : ",");
    }
    (void)printf("]}\n");
}

void rts_trails_print(void)
{
    for (size_t i = 0; i < LAST; i++) {
        const struct kept *const kept = trails.last[(trails.next + i) % LAST];
        if (kept != NULL && !kept->printed) {
            print(kept);
        }
    }
    for (size_t slot = 0; slot < RTSTONE_ATTACH_THREADS; slot++) {
        for (size_t kind = 0; kind < RTSTONE_ATTACH_LATES; kind++) {
            for (size_t i = 0; i < SLOWEST; i++) {
                const struct kept *const kept = trails.slowest[slot][kind][i];
                if (kept != NULL && kept->uses == 1) { /* it is not among the last */
                    print(kept);
                }
            }
        }
    }
}

void rts_trails_retire(size_t slot)
{
    for (size_t kind = 0; kind < RTSTONE_ATTACH_LATES; kind++) {
        struct kept *most = NULL;
        for (size_t i = 0; i < SLOWEST; i++) {
            struct kept *const kept = trails.slowest[slot][kind][i];
            most = kept != NULL && (most == NULL || length(kept) > length(most)) ? kept : most;
        }
        if (most != NULL && trails.retired < RETIRED) {
            print(most);
            most->printed = true;
            trails.retired++;
        }
        for (size_t i = 0; i < SLOWEST; i++) {
            release(trails.slowest[slot][kind][i]);
            trails.slowest[slot][kind][i] = NULL;
        }
    }
}

void rts_trails_close(void)
{
    for (size_t i = 0; i < LAST; i++) {
        release(trails.last[i]);
    }
    for (size_t slot = 0; trails.slowest != NULL && slot < RTSTONE_ATTACH_THREADS; slot++) {
        for (size_t kind = 0; kind < RTSTONE_ATTACH_LATES; kind++) {
            for (size_t i = 0; i < SLOWEST; i++) {
                release(trails.slowest[slot][kind][i]);
            }
        }
    }
    free(trails.history);
    free(trails.owns);
    free(trails.slowest);
    memset(&trails, 0, sizeof trails);
    rts_symbols_free();
}
