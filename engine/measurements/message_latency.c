/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rhealstone, "intertask message latency": from the start of a send until the more urgent task that waits for the message has it.
 */
#include "common/ping.h"
#include "common/state.h"

typedef struct state {
    rts_ping ping;
    struct rts_queue queue;
    bool made;
    uint64_t sent;
    uint64_t received; /**< B's: the number of the message in `got` */
    uint64_t got[2];
} state;

RTS_STATE_FITS(state);

static rts_status send(rts_ping *ping)
{
    state *own = (state *)ping;
    const uint64_t number = ++own->sent;
    const uint64_t message[2] = {number, ~number};
    return rts_port_queue_send(&own->queue, message);
}

/* The message is checked before the wait for the next one, not between its arrival and the clock reading. */
static rts_status receive(rts_ping *ping)
{
    state *own = (state *)ping;
    if (own->got[0] != own->received || own->got[1] != ~own->received) {
        return RTS_BROKEN;
    }
    own->received++;
    return rts_port_queue_receive(&own->queue, own->got);
}

static const rts_ping_way way = {
    .kind = RTS_PING_THERE,
    .a = RTS_PRIORITY_LOW,
    .b = RTS_PRIORITY_HIGH,
    .blocks = 1,
    .first_b = receive,
    .begin_a = send,
    .pass_a = send,
    .pass_b = receive,
    .idle_b = receive,
    .wake_b = send,
};

static rts_status setup(rts_run *run)
{
    state *own = rts_run_state(run);
    const rts_status status = rts_port_queue_create(&own->queue, RTS_QUEUE_DEPTH, RTS_MESSAGE_BYTES_MAX);
    if (status != RTS_OK) {
        return status;
    }
    own->made = true;
    own->got[1] = ~own->got[0]; /* as if message 0 had come */
    return rts_ping_create(&own->ping, run, &way);
}

static void teardown(rts_run *run)
{
    state *own = rts_run_state(run);
    rts_ping_destroy(&own->ping);
    if (own->made) {
        rts_port_queue_destroy(&own->queue);
    }
}

const rts_measurement rts_measurement_message_latency = {
    .name = "message-latency",
    .meaning = 1,
    .summary = "from a send until the more urgent task that waits for the message has it: one switch",
    .series = {"message-latency"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_QUEUE,
    .passes = RTS_PASS_SINGLE,
    .traits = RTS_PRIORITIZED,
    .setup = setup,
    .single = rts_ping_single,
    .teardown = teardown,
};
