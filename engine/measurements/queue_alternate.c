/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SSCL Table 1, "Alternate Queues Fill/Drain": two tasks and two queues, each task sending to the queue that the other waits on.
 */
#include "common/ping.h"
#include "common/state.h"

typedef struct state {
    rts_ping ping;
    struct rts_queue to_a;
    struct rts_queue to_b;
    uint32_t made;
    uint64_t sent_a; /**< what A has sent: its messages carry the number, B answers with it */
    uint64_t sent_b;
} state;

RTS_STATE_FITS(state);

/* A message is two words: its number and the complement, so that none is taken for another. */
static rts_status send(struct rts_queue *queue, uint64_t number)
{
    const uint64_t message[2] = {number, ~number};
    return rts_port_queue_send(queue, message);
}

static rts_status receive(struct rts_queue *queue, uint64_t number)
{
    uint64_t message[2] = {0, 0};
    const rts_status status = rts_port_queue_receive(queue, message);
    if (status != RTS_OK) {
        return status;
    }
    return message[0] == number && message[1] == ~number ? RTS_OK : RTS_BROKEN;
}

static rts_status pass_a(rts_ping *ping)
{
    state *own = (state *)ping;
    const rts_status sent = send(&own->to_b, ++own->sent_a);
    return sent != RTS_OK ? sent : receive(&own->to_a, own->sent_a);
}

static rts_status first_b(rts_ping *ping)
{
    state *own = (state *)ping;
    return receive(&own->to_b, own->sent_b + 1u);
}

static rts_status answer(rts_ping *ping)
{
    state *own = (state *)ping;
    return send(&own->to_a, ++own->sent_b);
}

static rts_status pass_b(rts_ping *ping)
{
    const rts_status sent = answer(ping);
    return sent != RTS_OK ? sent : first_b(ping);
}

static rts_status wake_b(rts_ping *ping)
{
    state *own = (state *)ping;
    return send(&own->to_b, ++own->sent_a);
}

static const rts_ping_way way = {
    .kind = RTS_PING_ROUND,
    .a = RTS_PRIORITY_MIDDLE,
    .b = RTS_PRIORITY_MIDDLE,
    .blocks = 2,
    .first_b = first_b,
    .begin_a = pass_a,
    .pass_a = pass_a,
    .pass_b = pass_b,
    .idle_b = pass_b,
    .wake_b = wake_b,
    .free_a = answer,
};

static rts_status setup(rts_run *run)
{
    state *own = rts_run_state(run);
    rts_status status = rts_port_queue_create(&own->to_a, RTS_QUEUE_DEPTH, RTS_MESSAGE_BYTES_MAX);
    if (status != RTS_OK) {
        return status;
    }
    own->made++;
    status = rts_port_queue_create(&own->to_b, RTS_QUEUE_DEPTH, RTS_MESSAGE_BYTES_MAX);
    if (status != RTS_OK) {
        return status;
    }
    own->made++;
    return rts_ping_create(&own->ping, run, &way);
}

static void teardown(rts_run *run)
{
    state *own = rts_run_state(run);
    rts_ping_destroy(&own->ping);
    if (own->made > 1) {
        rts_port_queue_destroy(&own->to_b);
    }
    if (own->made > 0) {
        rts_port_queue_destroy(&own->to_a);
    }
}

const rts_measurement rts_measurement_queue_alternate = {
    .name = "queue-alternate",
    .meaning = 2,
    .summary = "two tasks send in turn to the queue that the other waits on: two sends, two receives, two switches",
    .series = {"queue-alternate"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_QUEUE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup,
    .batch = rts_ping_batch,
    .single = rts_ping_single,
    .teardown = teardown,
};
