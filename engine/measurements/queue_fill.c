/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SSCL Table 1, "Queue Fill", "Queue Drain" and "Queue Fill Urgent": a task sends messages into an empty queue (to its tail or its head) until it is
 * full, receives them all, and checks them. Which half is timed, and to which end the task sends, depends on the measurement.
 */
#include "common/state.h"
#include "common/timed.h"
#include "common/worker.h"

/** What is timed. */
typedef enum timed_half { RTS_TIME_SENDS, RTS_TIME_RECEIVES } timed_half;

/** Two words: the message's number and its complement. */
typedef struct numbered {
    uint64_t number;
    uint64_t complement;
} numbered;

/** The state of such a measurement. */
typedef struct state {
    rts_worker worker;
    struct rts_queue queue;
    bool made;
    bool urgent;
    timed_half half;
    uint64_t sent;     /**< in this slice */
    uint64_t received; /**< whole and once */
    uint64_t ordered;  /**< in the order that is asked for */
    numbered got[RTS_QUEUE_DEPTH];
} state;

RTS_STATE_FITS(state);
_Static_assert(sizeof(numbered) == RTS_MESSAGE_BYTES_MAX, "every queue measurement sends messages of one size");

static rts_status send(void *arg, uint32_t i)
{
    state *filling = arg;
    const numbered message = {i, ~(uint64_t)i};
    return filling->urgent ? rts_port_queue_send_urgent(&filling->queue, &message)
                           : rts_port_queue_send(&filling->queue, &message);
}

static rts_status receive(void *arg, uint32_t i)
{
    state *filling = arg;
    return rts_port_queue_receive(&filling->queue, &filling->got[i]);
}

/* What came out of a queue that was filled with numbers from 0 on: each once, from the tail or from the head. */
static void inspect(state *filling, uint32_t count)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < count; i++) {
        const numbered *got = &filling->got[i];
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
    state *filling = rts_run_state(run);
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
    state *filling = rts_run_state(run);
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
static rts_status try_urgent(state *filling)
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

static rts_status setup(rts_run *run, timed_half half, bool urgent)
{
    state *filling = rts_run_state(run);
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
    state *filling = rts_run_state(run);
    filling->sent = 0;
    filling->received = 0;
    filling->ordered = 0;
    const rts_status status = rts_worker_do(&filling->worker, work, count, total);
    if (status != RTS_OK) {
        return status;
    }
    rts_run_check(run, "messages", filling->received, filling->sent, filling->sent);
    /* If the port has a substitute for the head of the queue, the order is reported but not demanded. */
    const bool demanded = !filling->urgent || rts_port_substitute(RTS_SERVICE_QUEUE_URGENT) == NULL;
    rts_run_check(run, filling->urgent ? "last-in-first-out" : "first-in-first-out", filling->ordered,
                  demanded ? filling->sent : 0, filling->sent);
    return RTS_OK;
}

static rts_status batch(rts_run *run, uint32_t ops, rts_ticks *total)
{
    return do_slice(run, work_batch, ops, total);
}

static rts_status single(rts_run *run, uint32_t samples)
{
    return do_slice(run, work_single, samples, NULL);
}

static void teardown(rts_run *run)
{
    state *filling = rts_run_state(run);
    rts_worker_destroy(&filling->worker);
    if (filling->made) {
        rts_port_queue_destroy(&filling->queue);
    }
}

static rts_status setup_fill(rts_run *run)
{
    return setup(run, RTS_TIME_SENDS, false);
}

const rts_measurement rts_measurement_queue_fill = {
    .name = "queue-fill",
    .meaning = 2,
    .summary = "a task sends into a queue that nobody waits at: time of one message",
    .series = {"queue-fill"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_QUEUE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .batch_limit = RTS_QUEUE_DEPTH,
    .setup = setup_fill,
    .batch = batch,
    .single = single,
    .teardown = teardown,
};

static rts_status setup_drain(rts_run *run)
{
    return setup(run, RTS_TIME_RECEIVES, false);
}

const rts_measurement rts_measurement_queue_drain = {
    .name = "queue-drain",
    .meaning = 2,
    .summary = "a task receives from a queue that was full: time of one message",
    .series = {"queue-drain"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_QUEUE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .batch_limit = RTS_QUEUE_DEPTH,
    .setup = setup_drain,
    .batch = batch,
    .single = single,
    .teardown = teardown,
};

static rts_status setup_fill_urgent(rts_run *run)
{
    return setup(run, RTS_TIME_SENDS, true);
}

const rts_measurement rts_measurement_queue_fill_urgent = {
    .name = "queue-fill-urgent",
    .meaning = 2,
    .summary = "a task sends to the head of a queue that nobody waits at: time of one message",
    .series = {"queue-fill-urgent"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_QUEUE |
                1u << RTS_SERVICE_QUEUE_URGENT,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .batch_limit = RTS_QUEUE_DEPTH,
    .setup = setup_fill_urgent,
    .batch = batch,
    .single = single,
    .teardown = teardown,
};
