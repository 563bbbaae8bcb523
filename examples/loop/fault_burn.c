/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A thread of a lower priority computes until the kernel throttles it, and the loop with it: it uses up the CPU time that their
 * control group has (cpu.max, cpu.cfs_quota_us, cpu.rt_runtime_us), or all real-time threads (sched_rt_runtime_us). Where
 * nothing limits that time, it delays nobody.
 */
#include "fault.h"
#include "threads.h"

/* Off the CPU for longer is accounted for. The loop's own cycles are shorter. */
enum { GAP_NS = 500000, GAPS = 0, OFF_NS, LONGEST_BEGAN, LONGEST_ENDED };

static void outside(plant *planted)
{
    plant_begin(planted);
    const uint64_t until = planted->start_ns + planted->drawn_ns;
    uint64_t wall = planted->start_ns;
    uint64_t cpu = thread_cpu_ns();
    uint64_t longest = 0;
    while (wall < until) {
        const uint64_t cpu_next = thread_cpu_ns();
        const uint64_t wall_next = now_ns();
        const uint64_t passed = wall_next - wall;
        const uint64_t had = cpu_next - cpu;
        if (passed > had && passed - had > GAP_NS) {
            ++planted->details[GAPS];
            planted->details[OFF_NS] += passed - had;
            if (passed - had > longest) {
                longest = passed - had;
                planted->details[LONGEST_BEGAN] = wall;
                planted->details[LONGEST_ENDED] = wall_next;
            }
        }
        wall = wall_next;
        cpu = cpu_next;
    }
    plant_end(planted);
}

extern const fault fault_burn;
const fault fault_burn = {
    .name = "throttle",
    .summary = "a lower thread uses up the group's CPU time, if that is limited",
    .details = {[GAPS] = "gaps",
                [OFF_NS] = "off_cpu_ns",
                [LONGEST_BEGAN] = "longest_start_ns",
                [LONGEST_ENDED] = "longest_end_ns"},
    .thread = "burn",
    .above = -1,
    .outside = outside,
};
