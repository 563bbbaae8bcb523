/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the simulated target says of itself, its console, its memory and its CPU.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel.h"

static void *memory;

void *rts_port_memory(size_t bytes)
{
    if (memory == NULL) {
        memory = calloc(1, bytes);
    }
    return memory;
}

void sim_memory_release(void)
{
    free(memory);
    memory = NULL;
}

void rts_port_describe(rts_fact_fn fact, void *arg)
{
    fact(arg, "kernel.name", "simulated");
    fact(arg, "kernel.release", "1");
    fact(arg, "simulated.script", sim_active->name);
    fact(arg, "clock.virtual", "1");
    fact(arg, "cpu.model", "simulated");
#ifdef __VERSION__
    fact(arg, "compiler", __VERSION__);
#endif
}

rts_status rts_port_prepare(rts_degraded_fn degraded, void *arg)
{
    (void)degraded;
    (void)arg;
    return RTS_OK;
}

void rts_port_release(void) {}

rts_status rts_port_clock_info(rts_clock_info *info)
{
    *info = (rts_clock_info){.name = "virtual", .source = "definition", .hz = sim_active->hz, .id = 0};
    return sim_active->hz == 0 ? RTS_BROKEN : RTS_OK;
}

rts_status rts_port_timer_clock_info(rts_clock_info *info)
{
    if (sim_active->timer_divider <= 1) {
        return rts_port_clock_info(info);
    }
    *info = (rts_clock_info){
        .name = "virtual-timer", .source = "definition", .hz = sim_active->hz / sim_active->timer_divider, .id = 1};
    return info->hz == 0 ? RTS_BROKEN : RTS_OK;
}

rts_status sim_service(rts_service service)
{
    const uint32_t bit = 1u << service;
    if ((sim_active->unsupported & bit) != 0) {
        return RTS_UNSUPPORTED;
    }
    return (sim_active->denied & bit) != 0 ? RTS_DENIED : RTS_OK;
}

rts_status rts_port_supports(rts_service service)
{
    return service < RTS_SERVICE_COUNT ? sim_service(service) : RTS_UNSUPPORTED;
}

const char *rts_port_substitute(rts_service service)
{
    if (service == RTS_SERVICE_PING_SEMAPHORE && sim_active->barging) {
        return "two semaphores, because the task that gives one can take it again before its waiter runs";
    }
    if (service == RTS_SERVICE_QUEUE_URGENT && sim_active->urgent_fifo) {
        return "urgent messages go before all others but keep their order among themselves";
    }
    return NULL;
}

const char *rts_port_why_not(rts_service service)
{
    switch (rts_port_supports(service)) {
    case RTS_UNSUPPORTED:
        return "the script says that this kernel has no such service";
    case RTS_DENIED:
        return "the script says that this kernel refuses the service";
    default:
        return NULL;
    }
}

uint32_t rts_port_cpu_count(void)
{
    return 1;
}

rts_status rts_port_cpu_resolve(int32_t wanted, int32_t *actual)
{
    *actual = 0;
    return wanted == 0 || wanted == RTS_CPU_ANY ? RTS_OK : RTS_INVALID;
}

int32_t rts_port_priority_native(rts_priority priority, rts_sched sched)
{
    return sched == RTS_SCHED_TS ? 0 : (int32_t)priority;
}

rts_status rts_port_console_write(const char *bytes, size_t count)
{
    return sim_active_io->write(sim_active_io->arg, bytes, count);
}

long rts_port_plan_read(char *buffer, size_t room)
{
    return sim_active_io->read(sim_active_io->arg, buffer, room);
}

bool rts_port_interrupted(void)
{
    return sim_active->interrupt_at != 0 && sim_now() >= sim_active->interrupt_at;
}

rts_status rts_port_cache_flush(void)
{
    const rts_status status = sim_service(RTS_SERVICE_CACHE_FLUSH);
    return status != RTS_OK ? status : sim_enter(SIM_CACHE_FLUSH).status;
}

void rts_port_duty(rts_ticks *run, rts_ticks *rest)
{
    *run = sim_active->duty_run;
    *rest = sim_active->duty_rest;
}

rts_ticks sim_clock_read(void)
{
    (void)sim_enter(SIM_CLOCK_READ);
    return sim_now();
}
