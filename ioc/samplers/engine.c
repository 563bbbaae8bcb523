/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A sampler on the port's own timer, as in the measurement interrupt-response: on the POSIX port the timer's thread stands in for the interrupt's
 * handler and releases the semaphore that the measuring task waits for.
 *
 * There is no bottom half and no user-level interrupt service routine in this: those two parameters are not measured.
 */
#include "interrupts.h"
#include "samplers.h"
#include "stream.h"

int engineSamplerConfigure(const char *name, int period_us, int cpu)
{
    static const char call[] = "engineSamplerConfigure";
    static bool there;
    int32_t resolved = 0;
    if (there) {
        return sampler_refuse(call, name, "there is one already, and the engine has one timer");
    }
    if (period_us < 50 || period_us > 1000000) {
        return sampler_refuse(call, name, "its period is 50 to 1000000 microseconds");
    }
    if (cpu < RTS_CPU_ANY || rts_port_cpu_resolve(cpu, &resolved) != RTS_OK) {
        return sampler_refuse(call, name, "there is no such CPU, or this process may not use it");
    }
    const char *const wrong = interrupts_register(&(interrupts_spec){.name = name,
                                                                     .source = "default",
                                                                     .period_us = (unsigned)period_us,
                                                                     .path = RTS_TIMER_DIRECT,
                                                                     .cpu = resolved});
    if (wrong != NULL) {
        return sampler_refuse(call, name, wrong);
    }
    there = true;
    return 0;
}
