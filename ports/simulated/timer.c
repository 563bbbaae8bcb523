/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The simulated measured interrupt: comes as late, or as early, as the script says, and loses no period.
 */
#include <string.h>

#include "kernel.h"

static struct {
    bool running;
    rts_isr isr;
    void *arg;
    rts_ticks first; /* timer's ticks at which the first expiry is due */
    rts_ticks period;
    uint64_t expiries; /* since start */
    uint64_t interrupts;
} timer;

static rts_ticks divider(void)
{
    return sim_active->timer_divider > 1 ? sim_active->timer_divider : 1;
}

rts_ticks sim_timer_clock_read(void)
{
    (void)sim_enter(SIM_CLOCK_READ);
    return sim_now() / divider();
}

void sim_timer_reset(void)
{
    memset(&timer, 0, sizeof timer);
}

uint64_t sim_interrupts(void)
{
    return timer.interrupts;
}

static rts_ticks asserted(void)
{
    return timer.first + timer.expiries * timer.period;
}

rts_ticks sim_timer_due(void)
{
    if (!timer.running) {
        return UINT64_MAX;
    }
    int64_t late = 0;
    if (sim_active->latency_count > 0) {
        late = sim_active->latencies[timer.interrupts % sim_active->latency_count];
    }
    const int64_t due = (int64_t)asserted() + late;
    return due < 0 ? 0 : (rts_ticks)due * divider();
}

void sim_timer_deliver(void)
{
    const rts_ticks at = asserted();
    timer.expiries++;
    timer.interrupts++;
    timer.isr(timer.arg, at, sim_now() / divider());
}

const char *rts_port_timer_why_not(const rts_timer_spec *spec, bool in_kernel)
{
    const bool known = strcmp(spec->source, "default") == 0;
    return known && !in_kernel ? NULL : "the simulated kernel has one source of the measured interrupt, default";
}

rts_status rts_port_timer_start(const rts_timer_spec *spec, rts_isr isr, void *arg)
{
    const rts_status status = sim_service(RTS_SERVICE_TIMER);
    if (status != RTS_OK) {
        return status;
    }
    if (timer.running || spec->period == 0 || strcmp(spec->source, "default") != 0) {
        return RTS_INVALID;
    }
    timer.isr = isr;
    timer.arg = arg;
    timer.period = spec->period;
    timer.first = sim_now() / divider() + spec->phase + spec->period;
    timer.expiries = 0;
    timer.running = true;
    return RTS_OK;
}

const char *rts_port_timer_entered(const char *source)
{
    (void)source;
    return sim_active->entered != NULL ? sim_active->entered : RTS_ENTERED_HANDLER;
}

rts_status rts_port_timer_stop(void)
{
    if (!timer.running) {
        return RTS_INVALID;
    }
    timer.running = false;
    return RTS_OK;
}
