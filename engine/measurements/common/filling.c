/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One task fills a queue and drains it again, and looks at what came out.
 */
#include "filling.h"

#include "state.h"
#include "timed.h"

RTS_STATE_FITS(rts_filling);
_Static_assert(sizeof(rts_numbered) == RTS_MESSAGE_BYTES_MAX, "every queue measurement sends messages of one size");

static rts_status send(void *arg, uint32_t i)
{
    rts_filling *filling = arg;
    const rts_numbered message = {i, ~(uint64_t)i};
    return filling->urgent ? rts_port_queue_send_urgent(&filling->queue, &message)
                           : rts_port_queue_send(&filling->queue, &message);
}

static rts_status receive(void *arg, uint32_t i)
{
    rts_filling *filling = arg;
    return rts_port_queue_receive(&filling->queue, &filling->got[i]);
}

/* What came out of a queue that was filled with numbers from 0 on: each once, from the tail or from the head. */
static void inspect(rts_filling *filling, uint32_t count)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < count; i++) {
        const rts_numbered *got = &filling->got[i];
        const bool whole = got->number < count && got->complement == ~got->number;
        if (whole && (seen & 1u << got->number) == 0) {
            seen |= 1u << got->number;
            filling->received++;
            filling->ordered += got->number == (filling->urgent ? count - 1u - i : i) ? 1u : 0u;
        }
        filling->got[i].complement = got->number; /* so that a receive that does nothing is seen */
    }
    filling->sent += count;
}

/* A window for each time that the queue is filled, or drained: their sum is the set's. */
static rts_status work_batch(rts_run *run, uint32_t count, rts_ticks *total)
{
    rts_filling *filling = rts_run_state(run);
    const bool sends = filling->half == RTS_TIME_SENDS;
    rts_status status = RTS_OK;
    for (uint32_t left = count; left > 0 && status == RTS_OK;) {
        const uint32_t now = rts_refill(left, RTS_QUEUE_DEPTH);
        status = sends ? rts_time_together(filling, send, now, total) : rts_do_all(filling, send, now);
        if (status != RTS_OK) {
            return status;
        }
        status = sends ? rts_do_all(filling, receive, now) : rts_time_together(filling, receive, now, total);
        inspect(filling, now);
        left -= now;
    }
    return status;
}

static rts_status work_single(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)total;
    rts_filling *filling = rts_run_state(run);
    const bool sends = filling->half == RTS_TIME_SENDS;
    for (uint32_t left = count; left > 0;) {
        const uint32_t now = rts_refill(left, RTS_QUEUE_DEPTH);
        rts_status status = sends ? rts_time_each(run, send, now, NULL) : rts_do_all(filling, send, now);
        if (status != RTS_OK) {
            return status;
        }
        status = sends ? rts_do_all(filling, receive, now) : rts_time_each(run, receive, now, NULL);
        if (status != RTS_OK) {
            return status;
        }
        inspect(filling, now);
        left -= now;
    }
    return RTS_OK;
}

/* An urgent message must overtake an ordinary one, or the port has promised what it cannot do. */
static rts_status try_urgent(rts_filling *filling)
{
    filling->urgent = false;
    rts_status status = send(filling, 0);
    filling->urgent = true;
    status = status != RTS_OK ? status : send(filling, 1);
    status = status != RTS_OK ? status : rts_do_all(filling, receive, 2);
    if (status != RTS_OK) {
        return status;
    }
    return filling->got[0].number == 1u && filling->got[1].number == 0u ? RTS_OK : RTS_BROKEN;
}

rts_status rts_filling_setup(rts_run *run, rts_filling_half half, bool urgent)
{
    rts_filling *filling = rts_run_state(run);
    filling->half = half;
    filling->urgent = urgent;
    rts_status status = rts_port_queue_create(&filling->queue, RTS_QUEUE_DEPTH, RTS_MESSAGE_BYTES_MAX);
    if (status != RTS_OK) {
        return status;
    }
    filling->made = true;
    status = urgent ? try_urgent(filling) : RTS_OK;
    return status != RTS_OK ? status : rts_worker_create(&filling->worker, run, RTS_PRIORITY_MIDDLE);
}

static rts_status do_slice(rts_run *run, rts_work work, uint32_t count, rts_ticks *total)
{
    rts_filling *filling = rts_run_state(run);
    filling->sent = 0;
    filling->received = 0;
    filling->ordered = 0;
    const rts_status status = rts_worker_do(&filling->worker, work, count, total);
    if (status != RTS_OK) {
        return status;
    }
    rts_run_check(run, "messages", filling->received, filling->sent, filling->sent);
    /* Where something stands in for the head of the queue, the order is told but not demanded. */
    const bool demanded = !filling->urgent || rts_port_substitute(RTS_SERVICE_QUEUE_URGENT) == NULL;
    rts_run_check(run, filling->urgent ? "last-in-first-out" : "first-in-first-out", filling->ordered,
                  demanded ? filling->sent : 0, filling->sent);
    return RTS_OK;
}

rts_status rts_filling_batch(rts_run *run, uint32_t ops, rts_ticks *total)
{
    return do_slice(run, work_batch, ops, total);
}

rts_status rts_filling_single(rts_run *run, uint32_t samples)
{
    return do_slice(run, work_single, samples, NULL);
}

void rts_filling_teardown(rts_run *run)
{
    rts_filling *filling = rts_run_state(run);
    rts_worker_destroy(&filling->worker);
    if (filling->made) {
        rts_port_queue_destroy(&filling->queue);
    }
}
