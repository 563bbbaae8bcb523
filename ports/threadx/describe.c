/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The facts that the kernel and its library report about themselves, and the resources that a run acquires: none.
 */
#include "board_hooks.h"
#include "threadx.h"

/* How the library was built, a bit each: set by ThreadX at its start. */
extern ULONG _tx_build_options;

static const struct {
    uint8_t first; /**< bits that indicate it; any of them */
    uint8_t last;
    const char *text;
} options[] = {
    {31, 31, "not interruptible"},
    {30, 30, "suspension and resumption inline"},
    {23, 23, "timers served in the tick's interrupt"},
    {22, 22, "timers reactivated inline"},
    {21, 21, "stacks not filled"},
    {19, 19, "no preemption thresholds"},
    {18, 18, "variables not cleared twice"},
    {17, 17, "no notify callbacks"},
    {9, 16, "performance counts"},
    {8, 8, "event trace"},
    {7, 7, "execution profile"},
};

static bool option(uint32_t bit)
{
    return (_tx_build_options >> bit & 1u) != 0;
}

static size_t append(char *text, size_t at, size_t room, const char *more)
{
    for (; *more != '\0' && at + 1u < room; more++) {
        text[at++] = *more;
    }
    text[at] = '\0';
    return at;
}

/** What the library was built with beyond the defaults. */
static void describe_options(rts_fact_fn fact, void *arg)
{
    static char text[320];
    size_t at = append(text, 0, sizeof text, "");
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        bool set = false;
        for (uint32_t bit = options[i].first; bit <= options[i].last; bit++) {
            set = set || option(bit);
        }
        if (set) {
            at = append(text, at, sizeof text, at == 0 ? "" : "; ");
            at = append(text, at, sizeof text, options[i].text);
        }
    }
    fact(arg, "kernel.options", at == 0 ? "the defaults" : text);
}

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

void rts_kernel_describe(rts_fact_fn fact, void *arg)
{
    fact(arg, "kernel.sysname", "ThreadX");
    fact(arg, "kernel.release",
         TEXT(THREADX_MAJOR_VERSION) "." TEXT(THREADX_MINOR_VERSION) "." TEXT(THREADX_PATCH_VERSION));
    fact(arg, "kernel.compiler", RTS_THREADX_COMPILER);
    fact(arg, "sched.rt", "fixed priorities, preemptive, first in first out within one (no time slices)");
    fact(arg, "sched.priorities",
         "timers 0, top 1, high 2, middle 3, low 4, engine 5, load 6 of 0 to " TEXT(TX_MAX_PRIORITIES) " - 1");
    fact(arg, "sched.slices", "none");
    board_fact_number(fact, arg, "sched.tick_hz", RTS_THREADX_TICK_HZ);
    fact(arg, "idle", "never halts: waits in the handler that switches, with interrupts let in now and then");
    fact(arg, "task.memory",
         option(21) ? "the port's: a stack of a pool" : "the port's: a stack of a pool, which creation fills");
    fact(arg, "kernel.heap", "none");
    board_fact_number(fact, arg, "memory.task_stack_bytes", BOARD_STACK_BYTES);
#ifdef TX_DISABLE_ERROR_CHECKING
    fact(arg, "kernel.asserts", "off");
#else
    fact(arg, "kernel.asserts", "on: each call checks its arguments; figures are not those of the kernel");
#endif
    fact(arg, "kernel.stack_checks", option(20) ? "on" : "off");
    fact(arg, "kernel.mpu", "off");
#ifdef TX_PORT_USE_BASEPRI
    fact(arg, "kernel.masking", "interrupts from " TEXT(TX_PORT_BASEPRI) " on, for parts of each service");
#else
    fact(arg, "kernel.masking", "all interrupts, for parts of each service");
#endif
    fact(arg, "kernel.inlining", "within a source file");
    describe_options(fact, arg);
}

rts_status rts_port_prepare(rts_degraded_fn degraded, void *arg)
{
    (void)degraded;
    (void)arg;
    return RTS_OK;
}

void rts_port_release(void) {}
