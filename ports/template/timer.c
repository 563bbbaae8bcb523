/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * [optional] The measured interrupt: RTS_SERVICE_TIMER, and with it SSCL Table 2, Rhealstone's interrupt latency and SLAC.
 */
#include "rtstone/port.h"

/*
 * [optional] A periodic timer whose value at the assertion is known (a compare register that counts on, not one that the handler
 * sets again, which would lose the lateness). The handler's first instruction reads the clock; it then calls
 *   isr(arg, asserted, entered)
 * once for every period that is due, late or not, each with its own `asserted`.
 */
rts_status rts_port_timer_start(const rts_timer_spec *spec, rts_isr isr, void *arg)
{
    (void)spec;
    (void)isr;
    (void)arg;
    return RTS_UNSUPPORTED;
}

/* [required] Where that first instruction is: at the vector, in a handler, or in a thread. */
const char *rts_port_timer_entered(const char *source)
{
    (void)source;
    return RTS_ENTERED_HANDLER;
}

/* [optional] */
rts_status rts_port_timer_stop(void)
{
    return RTS_UNSUPPORTED;
}

#ifdef RTS_PORT_TIMER_RESTS
/* [optional] Only where a thread stands in for the handler and has to rest: rtstone_port.h then defines RTS_PORT_TIMER_RESTS. */
bool rts_port_timer_arms(const char *source)
{
    (void)source;
    return false;
}

/* [optional] Likewise. */
uint64_t rts_port_timer_rests(uint32_t *rest_us)
{
    *rest_us = 0;
    return 0;
}
#endif

/* [optional] One sentence for each source that the port does not know: the item is then skipped with it, and not failed. */
const char *rts_port_timer_why_not(const rts_timer_spec *spec, bool in_kernel)
{
    (void)spec;
    return in_kernel ? "no handler of the kernel answers the interrupt here" : NULL;
}

#ifdef RTS_PORT_TIMER_WAITS
/* [optional] Only where the handler is part of a kernel that the engine is not: rtstone_port.h then defines RTS_PORT_TIMER_WAITS. */
rts_timer_answer rts_port_timer_answer(const char *source)
{
    (void)source;
    return RTS_TIMER_ENGINE;
}

/* [optional] Likewise. */
rts_status rts_port_timer_raise(void)
{
    return RTS_UNSUPPORTED;
}

/* [optional] Likewise. */
rts_status rts_port_timer_wait(rts_timer_stamps *stamps)
{
    (void)stamps;
    return RTS_UNSUPPORTED;
}
#endif
