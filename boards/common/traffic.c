/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Interrupts for a load: connects the board's second timer and serial line to the tasks that wait for their events.
 */
#include "rtstone/port.h"

#if BOARD_HAS_TRAFFIC

/* Events that a consumer may be behind: a power of two. */
#define RING 256u

/* After the last byte was written: longer than the line takes to report it. */
#define QUIET_NS 2000000u

typedef struct ring {
    struct rts_semaphore there;
    volatile uint32_t in;  /**< written by the handler */
    volatile uint32_t out; /**< written by the consumer */
    uint8_t bytes[RING];
} ring;

static struct {
    rts_traffic_spec spec;
    ring rings[RTS_TRAFFIC_SOURCES];
    rts_traffic_counts counts;
    bool made; /* the semaphores: those of the run of the load before this one */
} traffic;

void board_traffic_interrupt(uint32_t source)
{
    traffic.counts.interrupts[source]++;
}

void board_traffic_event(uint32_t source, uint8_t byte)
{
    ring *own = &traffic.rings[source];
    traffic.counts.events[source]++;
    if (source == RTS_TRAFFIC_TIMER) {
        traffic.counts.sent++;
    }
    if (traffic.spec.consume != NULL) {
        traffic.spec.consume(traffic.spec.arg, (rts_traffic_source)source, byte);
        return;
    }
    const uint32_t in = own->in;
    if (in - own->out == RING) {
        traffic.counts.lost[source]++;
        return;
    }
    own->bytes[in % RING] = byte;
    own->in = in + 1u;
    if (rts_port_semaphore_give_isr(&own->there) != RTS_OK) {
        rts_port_fatal("the load's handler cannot release its semaphore");
    }
}

rts_status rts_port_traffic_start(const rts_traffic_spec *spec)
{
    traffic.spec = *spec;
    traffic.counts = (rts_traffic_counts){{0}, {0}, {0}, 0};
    for (uint32_t i = 0; i < RTS_TRAFFIC_SOURCES; i++) {
        traffic.rings[i].in = 0;
        traffic.rings[i].out = 0;
        /* Any task that waited at the last semaphore has been released at the end. */
        if (traffic.made) {
            rts_port_semaphore_destroy(&traffic.rings[i].there);
        }
        /* One more than the ring: the end itself. */
        const rts_status status = rts_port_semaphore_create(&traffic.rings[i].there, 0, RING + 1u);
        if (status != RTS_OK) {
            return status;
        }
    }
    traffic.made = true;
    return board_traffic_start(spec->rate_hz, spec->seed) ? RTS_OK : RTS_FAILED;
}

rts_status rts_port_traffic_wait(rts_traffic_source source, uint8_t *byte)
{
    ring *own = &traffic.rings[source];
    const rts_status status = rts_port_semaphore_take(&own->there);
    if (status != RTS_OK) {
        return status;
    }
    const uint32_t out = own->out;
    if (out == own->in) {
        return RTS_INTERRUPTED;
    }
    *byte = own->bytes[out % RING];
    own->out = out + 1u;
    return RTS_OK;
}

rts_status rts_port_traffic_stop(rts_traffic_counts *counts)
{
    board_traffic_quiet();
    rts_status status = rts_port_sleep_until(rts_clock_read() + board_clock_hz() / (1000000000u / QUIET_NS));
    board_traffic_stop();
    *counts = traffic.counts;
    for (uint32_t i = 0; i < RTS_TRAFFIC_SOURCES && traffic.spec.consume == NULL && status == RTS_OK; i++) {
        status = rts_port_semaphore_give(&traffic.rings[i].there);
    }
    return status;
}

#endif
