/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A system of which nothing is known but that libCom runs on it (VxWorks, RTEMS): the answers that place.h gives for that.
 */
#include "place.h"

void rts_place_duty(uint64_t *run_ns, uint64_t *rest_ns)
{
    *run_ns = 50000000u;
    *rest_ns = 5600000u;
}

bool rts_place_realtime(void)
{
    return true;
}

void rts_place_ordinary(void) {}

rts_status rts_place_pin(int32_t cpu)
{
    return cpu == 0 && rts_place_cpu_count() == 1 ? RTS_OK : RTS_UNSUPPORTED;
}

uint32_t rts_place_cpu_count(void)
{
    const int count = epicsThreadGetCPUs();
    return count > 0 ? (uint32_t)count : 1;
}

rts_status rts_place_cpu(int32_t wanted, int32_t *actual)
{
    if (wanted != RTS_CPU_ANY && wanted != 0) {
        return RTS_INVALID;
    }
    *actual = 0;
    return RTS_OK;
}

uint64_t rts_place_cpu_ns(void)
{
    return 0;
}

bool rts_place_locked(void)
{
    return false;
}

void rts_place_claim_granted(void) {}

void rts_place_die_with_parent(long parent)
{
    (void)parent;
}

void rts_place_describe(rts_fact_fn fact, void *arg)
{
    (void)fact;
    (void)arg;
}

rts_status rts_place_programs(void)
{
    return RTS_UNSUPPORTED;
}

rts_status rts_place_program_start(struct rts_thread *thread, void (*main)(void *thread))
{
    (void)thread;
    (void)main;
    return RTS_UNSUPPORTED;
}

rts_status rts_place_program_join(struct rts_thread *thread)
{
    (void)thread;
    return RTS_UNSUPPORTED;
}

void *rts_place_memory(size_t bytes)
{
    (void)bytes;
    return NULL;
}

rts_status rts_place_traffic(void)
{
    return RTS_UNSUPPORTED;
}

rts_status rts_port_traffic_start(const rts_traffic_spec *spec)
{
    (void)spec;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_traffic_wait(rts_traffic_source source, uint8_t *byte)
{
    (void)source;
    (void)byte;
    return RTS_UNSUPPORTED;
}

rts_status rts_port_traffic_stop(rts_traffic_counts *counts)
{
    (void)counts;
    return RTS_UNSUPPORTED;
}
