/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What Linux and the CPU say of the counter that rts_clock_read uses.
 */
#include <string.h>
#include <time.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "files.h"

/** The kernel's own clock source; it watches it and leaves it when it goes wrong. */
static bool kernel_uses(const char *name)
{
    char source[64];
    return rts_linux_line("/sys/devices/system/clocksource/clocksource0/current_clocksource", source, sizeof source) &&
           strcmp(source, name) == 0;
}

#if defined(__x86_64__)
/** Ticks at one rate in all power states, and can be read in order (RDTSCP). */
static bool invariant(void)
{
    unsigned a;
    unsigned b;
    unsigned c;
    unsigned d;
    return __get_cpuid(0x80000001u, &a, &b, &c, &d) != 0 && (d & 1u << 27) != 0 &&
           __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & 1u << 8) != 0;
}

static bool virtual_machine(void)
{
    unsigned a;
    unsigned b;
    unsigned c;
    unsigned d;
    return __get_cpuid(1u, &a, &b, &c, &d) != 0 && (c & 1u << 31) != 0;
}

static uint64_t stated_hz(const char **by)
{
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (virtual_machine()) {
        /* Timing information, in kHz, as VMware and KVM define it. Leaf 15h may be the host's here, so it does not count. */
        __cpuid(0x40000000u, a, b, c, d);
        if (a >= 0x40000010u && a < 0x40010000u) {
            __cpuid(0x40000010u, a, b, c, d);
            *by = "the hypervisor (CPUID leaf 40000010h)";
            return (uint64_t)a * 1000u;
        }
        return 0;
    }
    if (__get_cpuid_count(0x15u, 0u, &a, &b, &c, &d) != 0 && a != 0 && b != 0 && c != 0) {
        *by = "the CPU (CPUID leaf 15h)";
        return (uint64_t)c * b / a;
    }
    return 0;
}

rts_system_counter rts_system_counter_facts(void)
{
    rts_system_counter facts = {.name = "tsc"};
    facts.usable = invariant() && kernel_uses("tsc");
    facts.stated_hz = stated_hz(&facts.stated_by);
    return facts;
}
#elif defined(__aarch64__)
rts_system_counter rts_system_counter_facts(void)
{
    rts_system_counter facts = {.name = "cntvct", .stated_by = "register CNTFRQ_EL0"};
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(facts.stated_hz));
    facts.usable = kernel_uses("arch_sys_counter");
    return facts;
}
#else
rts_system_counter rts_system_counter_facts(void)
{
    const rts_system_counter facts = {.name = "none"};
    return facts;
}
#endif

clockid_t rts_system_reference_clock(const char **name)
{
    *name = "CLOCK_MONOTONIC_RAW";
    return CLOCK_MONOTONIC_RAW;
}
