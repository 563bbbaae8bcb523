/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The clients of an IOC, wherever they are: let loose while an item is measured, held in between, their account read.
 */
#include "clients.h"

#include "place.h"

static const ioc_place *place; /* NULL: nobody has asked for clients yet */
static rtstone_load_account *account;
static uint32_t records;
static uint32_t pause_ms;
static bool running;
static const char *reason = "";

const char *ioc_clients_why(void)
{
    return reason;
}

const char *ioc_clients_where(void)
{
    return place == NULL ? "" : place->where;
}

bool ioc_clients_elsewhere(void)
{
    return place != NULL && place->elsewhere();
}

rts_status ioc_clients_open(void)
{
    for (const ioc_place *const *each = ioc_places; *each != NULL; each++) {
        const rts_status status = (*each)->open();
        if (status != RTS_UNSUPPORTED) {
            place = *each;
            return status;
        }
    }
    return RTS_UNSUPPORTED;
}

static bool all_are_connected(const void *arg)
{
    const rtstone_load_account *const told = arg;
    return told->watching != 0 && told->connected != 0;
}

static bool goes_on(const void *arg)
{
    const rtstone_load_account *const told = arg;
    return told->holding == 0;
}

static bool has_settled(const void *arg)
{
    const rtstone_load_account *const told = arg;
    return told->holding != 0 && told->settled == told->bursts;
}

static void want(uint32_t wanted)
{
    account->wanted = wanted;
    place->tell();
}

void ioc_clients_end(void)
{
    if (running) {
        place->end();
    }
    running = false;
}

rts_status ioc_clients_burst(uint32_t wanted_records, uint32_t wanted_pause_ms, int32_t cpu)
{
    if (running && (records != wanted_records || pause_ms != wanted_pause_ms)) {
        ioc_clients_end();
    }
    if (!running) {
        records = wanted_records;
        pause_ms = wanted_pause_ms;
        running = true;
        account = place->start(records, pause_ms, cpu, ioc_clients_end, &reason);
        if (account == NULL) {
            ioc_clients_end();
            return RTS_FAILED;
        }
        reason = "they did not find its records";
        if (!ioc_place_until(place->failed, all_are_connected, account, 10000)) {
            ioc_clients_end();
            return RTS_FAILED;
        }
    }
    want(1);
    reason = "they do not go on";
    return ioc_place_until(place->failed, goes_on, account, 1000) ? RTS_OK : RTS_FAILED;
}

bool ioc_clients_hold(void)
{
    if (!running) {
        return true;
    }
    want(0);
    const bool settled = ioc_place_until(place->failed, has_settled, account, 5000);
    place->rest();
    return settled;
}

bool ioc_clients_in_burst(const void *state)
{
    (void)state;
    return account != NULL && (atomic_load_explicit(&account->in_burst, memory_order_relaxed) != 0 ||
                               atomic_load_explicit(&account->monitors, memory_order_relaxed) +
                                       atomic_load_explicit(&account->merged, memory_order_relaxed) <
                                   atomic_load_explicit(&account->puts, memory_order_relaxed));
}

static ioc_clients_counts count_all(void)
{
    if (account == NULL) {
        return (ioc_clients_counts){0};
    }
    return (ioc_clients_counts){
        .bursts = account->bursts,
        .puts = account->puts,
        .failed = account->failed,
        .burst_ns = account->burst_ns,
        .monitors = account->monitors,
        .merged = account->merged,
        .lost = account->lost,
        .cut = account->cut,
    };
}

ioc_clients_counts ioc_clients_begin(void)
{
    const ioc_clients_counts before = count_all();
    place->count(true);
    return before;
}

ioc_clients_counts ioc_clients_stop(void)
{
    place->count(false);
    return count_all();
}

void ioc_clients_network(rts_load_fact_fn fact, void *arg)
{
    place->achieved(fact, arg);
}
