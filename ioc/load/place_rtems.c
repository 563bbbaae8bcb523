/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where the clients of an IOC on RTEMS are: threads of the one image, or programs on the host of a board with a link.
 */
#include "place_rtems.h"

#include <stdlib.h>
#include <string.h>

#include <cadef.h>
#include <epicsEvent.h>
#include <epicsThread.h>

#include "../clients/channels.h"
#include "outside.h"
#include "place.h"

typedef struct own_client {
    const client_kind *kind;
    const char *name;
    epicsEventId ready; /**< its context exists */
    epicsEventId go;
    epicsEventId over;
    bool has_context;
    client client;
} own_client;

static own_client clients[] = {{.kind = &client_camonitor, .name = "camonitor"},
                               {.kind = &client_caput, .name = "caput"}};
enum { MONITOR, PUT, COUNT };

static rtstone_load_account account;
static atomic_int ended; /* the clients are to end */
static atomic_bool over; /* one has ended */
static bool started;

static void run(void *arg)
{
    own_client *const own = arg;
    own->has_context = ca_context_create(ca_enable_preemptive_callback) == ECA_NORMAL;
    epicsEventMustTrigger(own->ready);
    epicsEventMustWait(own->go);
    (void)own->kind->run(&own->client); /* client_connect finds the context */
    atomic_store(&over, true);
    epicsEventMustTrigger(own->over);
}

bool ioc_threads_prepare(void)
{
    for (size_t i = 0; i < COUNT; i++) {
        own_client *const own = &clients[i];
        own->ready = epicsEventCreate(epicsEventEmpty);
        own->go = epicsEventCreate(epicsEventEmpty);
        own->over = epicsEventCreate(epicsEventEmpty);
        if (own->ready == NULL || own->go == NULL || own->over == NULL ||
            epicsThreadCreate(own->name, epicsThreadPriorityLow, epicsThreadGetStackSize(epicsThreadStackBig), run,
                              own) == NULL) {
            return false;
        }
        epicsEventMustWait(own->ready);
        if (!own->has_context) {
            return false;
        }
    }
    return true;
}

/* ---- threads of the image -------------------------------------------------------------------------------------- */

static rts_status open_threads(void)
{
    return clients[PUT].has_context ? RTS_OK : RTS_UNSUPPORTED;
}

static uint64_t in_records; /* at the beginning, then since then */

/* Loopback has no device that interrupts. */
static void count(bool begins)
{
    const uint64_t sum = ioc_records_sum();
    in_records = begins ? sum : sum - in_records;
}

static void achieved(rts_load_fact_fn fact, void *arg)
{
    fact(arg, "puts_in_records", in_records);
}

static bool failed(void)
{
    return atomic_load(&over);
}

static bool is_watched(const void *arg)
{
    (void)arg;
    return account.watching != 0;
}

static bool begin(own_client *own, uint32_t records, uint32_t pause_ms)
{
    char program[] = "client";
    char json[] = "--json";
    char *words[] = {program, json};
    own->client = (client){.program = own->kind->program, .account = &account, .ended = &ended};
    if (client_read(&own->client, (int)(sizeof words / sizeof words[0]), words, own->kind->usage) >= 0) {
        return false;
    }
    own->client.options.records = (long)records;
    own->client.options.pause_s = pause_ms * 1e-3;
    epicsEventMustTrigger(own->go);
    return true;
}

static rtstone_load_account *start(uint32_t records, uint32_t pause_ms, int32_t cpu, void (*give_up)(void),
                                   const char **why)
{
    (void)cpu;
    (void)give_up;
    if (started) {
        *why = "they can be started once in a session, so its loads of an IOC must be of one intensity";
        return NULL;
    }
    started = true;
    *why = "they did not see all records";
    return ioc_records_find(records) && begin(&clients[MONITOR], records, pause_ms) &&
                   ioc_place_until(failed, is_watched, NULL, 10000) && begin(&clients[PUT], records, pause_ms)
               ? &account
               : NULL;
}

static void nothing(void) {}

static bool never(void)
{
    return false;
}

static void end(void)
{
    atomic_store(&ended, 1);
    for (size_t i = 0; i < COUNT; i++) {
        if (clients[i].client.account != NULL) {
            (void)epicsEventWaitWithTimeout(clients[i].over, 30.0);
        }
    }
}

static const ioc_place threads = {
    .where = "by clients in threads of the same image, by TCP through the loopback interface",
    .open = open_threads,
    .count = count,
    .achieved = achieved,
    .start = start,
    .tell = nothing, /* they look at the account every 10 ms */
    .rest = nothing,
    .failed = failed,
    .elsewhere = never,
    .end = end,
};

/* ---- on the host ----------------------------------------------------------------------------------------------- */

atomic_uint ioc_network_interrupts;

static struct {
    uint32_t interrupts; /* at the beginning, then since then */
    uint64_t began;
    uint64_t ended;
} on_the_way;

static rts_status open_outside(void)
{
    return rts_ioc_outside_records.account != NULL ? RTS_OK : RTS_UNSUPPORTED;
}

static void count_outside(bool begins)
{
    const uint32_t interrupts = atomic_load(&ioc_network_interrupts);
    count(begins);
    if (begins) {
        on_the_way.interrupts = interrupts;
        on_the_way.began = rts_clock_read();
    } else {
        on_the_way.interrupts = interrupts - on_the_way.interrupts;
        on_the_way.ended = rts_clock_read();
    }
}

static void achieved_outside(rts_load_fact_fn fact, void *arg)
{
    const uint64_t elapsed_ns = rts_load_ns(on_the_way.ended - on_the_way.began);
    achieved(fact, arg);
    fact(arg, "near_interrupts", on_the_way.interrupts);
    fact(arg, "near_interrupts_per_s", rts_load_per_s(on_the_way.interrupts, elapsed_ns));
    fact(arg, "elapsed_ns", elapsed_ns);
}

static rtstone_load_account *start_outside(uint32_t records, uint32_t pause_ms, int32_t cpu, void (*give_up)(void),
                                           const char **why)
{
    (void)cpu;
    (void)give_up;
    if (!started && !ioc_records_find(records)) {
        *why = "the IOC has fewer records";
        return NULL;
    }
    started = true;
    return ioc_outside_start(records, pause_ms, why);
}

static bool elsewhere(void)
{
    return rts_ioc_outside_records.account->machine != 0;
}

static const ioc_place outside = {
    .where = "by clients outside of its process",
    .open = open_outside,
    .count = count_outside,
    .achieved = achieved_outside,
    .start = start_outside,
    .tell = ioc_outside_tell,
    .rest = nothing,
    .failed = ioc_outside_failed,
    .elsewhere = elsewhere,
    .end = nothing,
};

const ioc_place *const ioc_places[] = {&outside, &threads, NULL};
