/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Simulated interrupts for a load: a second timer that writes bytes to a line, and the line, which gives each of them back four byte
 * times later.
 */
#include <string.h>

#include "../../probe/rtstone_traffic.h"
#include "kernel.h"

#define RING 256u
#define ON_THE_LINE 16u
#define LINE_RATE 2880u /* a second has that many of the four byte times that a byte takes at 115200 bit/s */

typedef struct ring {
    struct rts_semaphore there;
    uint32_t in;
    uint32_t out;
    uint8_t bytes[RING];
} ring;

static struct {
    bool running;
    rts_traffic_spec spec;
    unsigned long long state;
    rts_ticks mean;
    rts_ticks due; /* the timer's next expiry; UINT64_MAX: none */
    uint8_t byte;
    struct {
        rts_ticks due[ON_THE_LINE];
        uint8_t byte[ON_THE_LINE];
        uint32_t in;
        uint32_t out;
    } line;
    ring rings[RTS_TRAFFIC_SOURCES];
    rts_traffic_counts counts;
} traffic;

void sim_traffic_reset(void)
{
    memset(&traffic, 0, sizeof traffic);
}

static rts_ticks line_due(void)
{
    return traffic.line.in == traffic.line.out ? UINT64_MAX : traffic.line.due[traffic.line.out % ON_THE_LINE];
}

rts_ticks sim_traffic_due(void)
{
    if (!traffic.running) {
        return UINT64_MAX;
    }
    return traffic.due < line_due() ? traffic.due : line_due();
}

static void event(rts_traffic_source source, uint8_t byte)
{
    ring *own = &traffic.rings[source];
    traffic.counts.interrupts[source]++;
    traffic.counts.events[source]++;
    if (traffic.spec.consume != NULL) {
        traffic.spec.consume(traffic.spec.arg, source, byte);
    } else if (own->in - own->out == RING) {
        traffic.counts.lost[source]++;
    } else {
        own->bytes[own->in++ % RING] = byte;
        if (rts_port_semaphore_give_isr(&own->there) != RTS_OK) {
            rts_port_fatal("the load's handler cannot release its semaphore");
        }
    }
}

void sim_traffic_deliver(void)
{
    if (line_due() <= traffic.due) {
        event(RTS_TRAFFIC_LINE, traffic.line.byte[traffic.line.out++ % ON_THE_LINE]);
        return;
    }
    traffic.due += rtstone_traffic_interval(&traffic.state, traffic.mean);
    traffic.counts.sent++;
    if (traffic.line.in - traffic.line.out < ON_THE_LINE) {
        const uint32_t place = traffic.line.in++ % ON_THE_LINE;
        traffic.line.due[place] = sim_now() + sim_active->hz / LINE_RATE;
        traffic.line.byte[place] = traffic.byte;
    }
    event(RTS_TRAFFIC_TIMER, traffic.byte++);
}

rts_status rts_port_traffic_start(const rts_traffic_spec *spec)
{
    rts_status status = sim_service(RTS_SERVICE_TRAFFIC);
    if (status != RTS_OK || traffic.running) {
        return status != RTS_OK ? status : RTS_INVALID;
    }
    sim_traffic_reset();
    for (uint32_t i = 0; i < RTS_TRAFFIC_SOURCES && status == RTS_OK; i++) {
        status = rts_port_semaphore_create(&traffic.rings[i].there, 0, RING + 1u);
    }
    if (status != RTS_OK) {
        return status;
    }
    traffic.spec = *spec;
    traffic.state = rtstone_traffic_state(spec->seed);
    traffic.mean = sim_active->hz / spec->rate_hz;
    traffic.due = sim_now() + rtstone_traffic_interval(&traffic.state, traffic.mean);
    traffic.running = true;
    return RTS_OK;
}

rts_status rts_port_traffic_wait(rts_traffic_source source, uint8_t *byte)
{
    ring *own = &traffic.rings[source];
    const rts_status status = rts_port_semaphore_take(&own->there);
    if (status != RTS_OK) {
        return status;
    }
    if (own->in == own->out) {
        return RTS_INTERRUPTED;
    }
    *byte = own->bytes[own->out++ % RING];
    return RTS_OK;
}

rts_status rts_port_traffic_stop(rts_traffic_counts *counts)
{
    traffic.due = UINT64_MAX;
    rts_status status = rts_port_sleep_until(sim_now() + 2u * sim_active->hz / LINE_RATE); /* for bytes on the line */
    traffic.running = false;
    *counts = traffic.counts;
    for (uint32_t i = 0; i < RTS_TRAFFIC_SOURCES && traffic.spec.consume == NULL && status == RTS_OK; i++) {
        status = rts_port_semaphore_give(&traffic.rings[i].there);
    }
    return status;
}
