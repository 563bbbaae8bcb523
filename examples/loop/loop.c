/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A real-time loop as robots and motion controllers have it: a cycle each period, by an absolute timer, under SCHED_FIFO. It keeps
 * its own account of each cycle, and of the faults that were planted in it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#include "account.h"
#include "plants.h"
#include "threads.h"
#include "wait.h"

/* Time for the faults' threads to reach their first wait. */
enum { START_NS = 20000000 };

/* The cycles. No allocation, no floating point and no output until they are over. */
static void run(const settings *from, uint64_t base_ns, series *of)
{
    const int32_t thread = thread_id();
    uint64_t number = 0;
    while (number < from->cycles && !stop_requested()) {
        const uint64_t due_ns = base_ns + number * from->period_ns;
        if (!from->wait->until(number, due_ns)) {
            break;
        }
        const uint64_t start_ns = now_ns();
        plants_inside(number);
        spin_until(now_ns() + from->work_ns);
        const uint64_t end_ns = now_ns();
        of->cycles[number] = (cycle){.due_ns = due_ns, .start_ns = start_ns, .end_ns = end_ns, .thread = thread};
        ++number;
        if (!from->catch_up && end_ns > base_ns + number * from->period_ns) {
            number = (end_ns - base_ns) / from->period_ns + 1;
        }
    }
    of->periods = number < from->cycles ? number : from->cycles;
}

int main(int argc, char *argv[])
{
    const settings from = settings_read("loop", argc, argv);
    plants_draw(&from);
    plants_fork(&from);
    stop_on_signals();
    series cycles;
    int error = series_open(&cycles, "loop", from.period_ns, from.deadline_ns, from.cycles);
    if (error != 0) {
        settings_refused(&from, "memory for the account", error);
    }
    const bool locked = mlockall(MCL_CURRENT) == 0;
    plants_prepare(&from);
    error = thread_become("loop", from.priority, from.cpu);
    if (error != 0) {
        settings_refused(&from, "the loop its priority or its CPU", error);
    }
    (void)fprintf(stderr, "loop: pid %" PRId32 ", thread loop, priority %d, CPU %d\n", thread_id(), from.priority,
                  from.cpu);
    const uint64_t base_ns = now_ns() + START_NS;
    error = from.wait->open != NULL ? from.wait->open(base_ns, from.period_ns) : 0;
    if (error != 0) {
        settings_refused(&from, from.wait->name, error);
    }
    plants_go(base_ns);
    run(&from, base_ns, &cycles);
    plants_finish();
    thread_rest();
    return account_print(&from, base_ns, locked, &cycles, 1) ? 0 : REFUSED;
}
