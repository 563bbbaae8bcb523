/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the script makes of a call: its cost, its number by the caller's name, its fault.
 */
#include "task.h"

#include <string.h>

#define NAMES 24u

/* Counts are per name, since many tasks may have one name after each other. */
static struct {
    char name[16];
    uint64_t calls[SIM_CALL_COUNT];
} counted[NAMES];
static unsigned counted_names;
static uint64_t tail_calls;

void sim_calls_reset(void)
{
    counted_names = 0;
    tail_calls = 0;
}

unsigned sim_counted_name(const char *name)
{
    for (unsigned i = 0; i < counted_names; i++) {
        if (strncmp(counted[i].name, name, sizeof counted[i].name - 1) == 0) {
            return i;
        }
    }
    if (counted_names == NAMES) {
        rts_port_fatal("too many different names of threads");
    }
    const unsigned index = counted_names++;
    memset(&counted[index], 0, sizeof counted[index]);
    strncpy(counted[index].name, name, sizeof counted[index].name - 1);
    return index;
}

static sim_fault_kind fault_of(sim_call call, unsigned name)
{
    const uint64_t n = counted[name].calls[call];
    for (unsigned i = 0; i < SIM_FAULTS_MAX; i++) {
        const sim_fault *fault = &sim_active->faults[i];
        if (fault->kind == SIM_FAULT_NONE || fault->call != call || n < fault->from) {
            continue;
        }
        if (fault->thread != NULL && strcmp(fault->thread, counted[name].name) != 0) {
            continue;
        }
        if (n == fault->from || (fault->every != 0 && (n - fault->from) % fault->every == 0)) {
            return fault->kind;
        }
    }
    return SIM_FAULT_NONE;
}

sim_verdict sim_enter(sim_call call)
{
    if (sim_current() == NULL) {
        return (sim_verdict){.status = RTS_OK};
    }
    const unsigned name = sim_in_isr() ? sim_counted_name("isr") : sim_current()->name;
    counted[name].calls[call]++;
    const sim_fault_kind fault = fault_of(call, name);
    rts_ticks cost = fault == SIM_FAULT_FREE ? 0 : sim_active->cost[call];
    if (call == SIM_CLOCK_READ && !sim_in_isr() && sim_current()->is_load) {
        cost = sim_active->load_step;
    }
    if (sim_active->tail_every != 0 && call == sim_active->tail_call && ++tail_calls % sim_active->tail_every == 0) {
        cost += sim_active->tail_cost;
    }
    sim_advance(cost);
    if (fault == SIM_FAULT_NO_SWITCH && !sim_in_isr()) {
        sim_hold();
    }
    return (sim_verdict){
        .status = fault == SIM_FAULT_FAIL ? RTS_FAILED : RTS_OK,
        .lost = fault == SIM_FAULT_LOST,
        .no_switch = fault == SIM_FAULT_NO_SWITCH,
        .reorder = fault == SIM_FAULT_REORDER,
    };
}

uint64_t sim_calls(const char *thread, sim_call call)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < counted_names; i++) {
        if (thread == NULL || strcmp(thread, counted[i].name) == 0) {
            sum += counted[i].calls[call];
        }
    }
    return sum;
}
