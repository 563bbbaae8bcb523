/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Interrupts that kernels share: a second timer and a serial line interrupt below the measured interrupt; low-priority tasks wait for
 * them, pass what came through a queue, allocate and free.
 */
#include "rtstone/load.h"

/** Interrupts a second of each source, for each unit of intensity. */
#define RATE_HZ 1000u
/** Shortest item: it has about this many interrupts of each source at intensity 1, so chance changes their number by about a twentieth. */
#define LEAST_MS 500u
/** Beyond it, slow kernels would do nothing but answer. */
#define INTENSITY_MAX 8u

#define STORE_BLOCKS RTS_BLOCK_COUNT

/** What a consumer hands on. */
typedef struct message {
    _Alignas(RTS_MESSAGE_ALIGNMENT) uint8_t byte;
    bool end; /**< its sender has ended */
} message;

struct state;

/** The task that waits for the events of one source. */
typedef struct consumer {
    struct rts_thread thread;
    struct state *load;
    rts_traffic_source source;
    uint64_t events;
} consumer;

typedef struct state {
    consumer consumers[RTS_TRAFFIC_SOURCES];
    struct rts_thread store;
    struct rts_queue queue;
    struct rts_blocks blocks;
    uint32_t running; /**< consumers that were made */
    bool threads;     /**< the port has them */
    bool queue_made;
    bool blocks_made;
    bool store_made;
    bool started;
    uint64_t stored;
    uint64_t allocations;
    rts_ticks began;
    rts_ticks ended;
    rts_traffic_counts counts;
} state;

_Static_assert(sizeof(state) <= RTS_LOAD_STATE_BYTES, "the state of the load does not fit");
_Static_assert(sizeof(message) <= RTS_MESSAGE_BYTES_MAX, "the message does not fit");

static void send(state *own, message what)
{
    if (rts_port_queue_send(&own->queue, &what) != RTS_OK) {
        rts_port_fatal("the load cannot send to its queue");
    }
}

static void consume(void *arg)
{
    consumer *own = arg;
    for (;;) {
        message what = {0, false};
        const rts_status status = rts_port_traffic_wait(own->source, &what.byte);
        if (status == RTS_INTERRUPTED) {
            break;
        }
        if (status != RTS_OK) {
            rts_port_fatal("the load cannot wait for its interrupts");
        }
        own->events++;
        send(own->load, what);
    }
    send(own->load, (message){0, true});
}

static void keep(state *own, uint8_t byte)
{
    void *block = NULL;
    if (rts_port_block_alloc(&own->blocks, &block) != RTS_OK) {
        rts_port_fatal("the load cannot allocate a block");
    }
    *(uint8_t *)block = byte;
    own->allocations++;
    if (rts_port_block_free(&own->blocks, block) != RTS_OK) {
        rts_port_fatal("the load cannot free a block");
    }
}

/** Receives until every consumer has said that it ended. */
static void store(void *arg)
{
    state *own = arg;
    for (uint32_t senders = RTS_TRAFFIC_SOURCES; senders > 0;) {
        message what;
        if (rts_port_queue_receive(&own->queue, &what) != RTS_OK) {
            rts_port_fatal("the load cannot receive from its queue");
        }
        if (what.end) {
            senders--;
        } else {
            own->stored++;
            keep(own, what.byte);
        }
    }
}

/** Where there are no threads, the handler does what is left: it takes the byte. */
static void take_in_interrupt(void *arg, rts_traffic_source source, uint8_t byte)
{
    state *own = arg;
    (void)byte;
    own->consumers[source].events++;
}

static void join(struct rts_thread *thread)
{
    if (rts_port_thread_join(thread) != RTS_OK) {
        rts_port_fatal("a task of the load cannot be ended");
    }
}

static void stop(void *arg)
{
    state *own = arg;
    if (own->started && rts_port_traffic_stop(&own->counts) != RTS_OK) {
        rts_port_fatal("the load's interrupts cannot be stopped");
    }
    own->started = false;
    own->ended = rts_clock_read(); /* what the tasks are behind is not the load's time */
    for (uint32_t i = 0; i < own->running; i++) {
        join(&own->consumers[i].thread);
    }
    if (own->store_made) {
        for (uint32_t i = own->running; i < RTS_TRAFFIC_SOURCES; i++) {
            send(own, (message){0, true}); /* in the name of one that could not be made */
        }
        join(&own->store);
    }
    if (own->blocks_made) {
        rts_port_blocks_destroy(&own->blocks);
    }
    if (own->queue_made) {
        rts_port_queue_destroy(&own->queue);
    }
    own->store_made = own->blocks_made = own->queue_made = false;
}

/** Makes the queue, the blocks and the task that uses them. */
static rts_status make_store(state *own, const rts_thread_attr *attr)
{
    rts_status status = rts_port_queue_create(&own->queue, RTS_QUEUE_DEPTH, sizeof(message));
    own->queue_made = status == RTS_OK;
    if (status == RTS_OK) {
        status = rts_port_blocks_create(&own->blocks, STORE_BLOCKS, RTS_BLOCK_BYTES);
        own->blocks_made = status == RTS_OK;
    }
    if (status == RTS_OK) {
        status = rts_port_thread_create(&own->store, attr, store, own);
        own->store_made = status == RTS_OK;
    }
    return status;
}

static rts_status make_consumers(state *own, const rts_thread_attr *attr)
{
    rts_status status = RTS_OK;
    for (uint32_t i = 0; i < RTS_TRAFFIC_SOURCES && status == RTS_OK; i++) {
        own->consumers[i].load = own;
        own->consumers[i].source = (rts_traffic_source)i;
        status = rts_port_thread_create(&own->consumers[i].thread, attr, consume, &own->consumers[i]);
        own->running += status == RTS_OK ? 1u : 0u;
    }
    return status;
}

static rts_status start(void *arg, const rts_load_spec *spec)
{
    state *own = arg;
    if (spec->intensity > INTENSITY_MAX) {
        return RTS_INVALID;
    }
    *own = (state){.threads = rts_port_supports(RTS_SERVICE_THREADS) == RTS_OK};
    own->began = rts_clock_read();
    if (spec->intensity == 0) {
        return RTS_OK;
    }
    const rts_traffic_spec traffic = {
        .rate_hz = spec->intensity * RATE_HZ,
        .seed = spec->seed,
        .cpu = spec->cpu,
        .consume = own->threads ? NULL : take_in_interrupt,
        .arg = own,
    };
    const rts_thread_attr attr = {
        .name = "load",
        .priority = RTS_PRIORITY_LOAD,
        .sched = RTS_SCHED_RT, /* whose lowest priority is that of ordinary programs */
        .space = RTS_SPACE_SHARED,
        .cpu = spec->cpu,
    };
    rts_status status = own->threads ? make_store(own, &attr) : RTS_OK;
    if (status == RTS_OK) {
        status = rts_port_traffic_start(&traffic);
        own->started = status == RTS_OK;
        own->began = rts_clock_read(); /* the making of its tasks is not its time */
    }
    if (status == RTS_OK && own->threads) {
        status = make_consumers(own, &attr);
    }
    if (status != RTS_OK) {
        stop(own);
    }
    return status;
}

static void achieved(void *arg, rts_load_fact_fn fact, void *fact_arg)
{
    state *own = arg;
    const rts_traffic_counts *counts = &own->counts;
    const uint64_t elapsed_ns = rts_load_ns(own->ended - own->began);
    fact(fact_arg, "timer_interrupts", counts->interrupts[RTS_TRAFFIC_TIMER]);
    fact(fact_arg, "line_interrupts", counts->interrupts[RTS_TRAFFIC_LINE]);
    fact(fact_arg, "timer_interrupts_per_s", rts_load_per_s(counts->interrupts[RTS_TRAFFIC_TIMER], elapsed_ns));
    fact(fact_arg, "line_interrupts_per_s", rts_load_per_s(counts->interrupts[RTS_TRAFFIC_LINE], elapsed_ns));
    fact(fact_arg, "bytes_sent", counts->sent);
    fact(fact_arg, "bytes_received", counts->events[RTS_TRAFFIC_LINE]);
    fact(fact_arg, "timer_events_taken", own->consumers[RTS_TRAFFIC_TIMER].events);
    fact(fact_arg, "bytes_taken", own->consumers[RTS_TRAFFIC_LINE].events);
    fact(fact_arg, "messages", own->stored);
    fact(fact_arg, "allocations", own->allocations);
    fact(fact_arg, "events_lost", counts->lost[RTS_TRAFFIC_TIMER] + counts->lost[RTS_TRAFFIC_LINE]);
    fact(fact_arg, "elapsed_ns", elapsed_ns);
    if (own->running == RTS_TRAFFIC_SOURCES && rts_port_supports(RTS_SERVICE_CPU_TIME) == RTS_OK) {
        uint64_t sum_ns = 0;
        uint64_t used_ns = 0;
        bool known = rts_port_thread_cpu_ns(&own->store, &sum_ns) == RTS_OK;
        for (uint32_t i = 0; i < own->running; i++) {
            known = known && rts_port_thread_cpu_ns(&own->consumers[i].thread, &used_ns) == RTS_OK;
            sum_ns += used_ns;
        }
        if (known) {
            fact(fact_arg, "cpu_time_ns", sum_ns);
        }
    }
}

const rts_load rts_load_traffic = {
    .name = "traffic",
    .summary =
        "a timer and a serial line interrupt below what is measured; low-priority tasks queue and allocate what came",
    .unit = "thousand interrupts a second of each source",
    .services = 1u << RTS_SERVICE_TRAFFIC, /* without threads the handlers are all of it */
    .least_ms = LEAST_MS,
    .state_bytes = sizeof(state),
    .start = start,
    .stop = stop,
    .achieved = achieved,
};
