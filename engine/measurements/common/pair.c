/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two parties and a semaphore for each.
 */
#include "pair.h"

#include "state.h"

RTS_STATE_FITS(rts_pair);

/* One more than is ever given: a semaphore that is given twice shows in the counts of the ping, not as a failure. */
#define MAXIMUM 2u

rts_status rts_pair_setup(rts_run *run, const rts_ping_way *way, rts_pair_kind kind)
{
    rts_pair *pair = rts_run_state(run);
    rts_status (*const semaphore)(struct rts_semaphore *, uint32_t, uint32_t) =
        kind == RTS_PAIR_SHARED ? rts_port_semaphore_create_shared : rts_port_semaphore_create;
    rts_status status = semaphore(&pair->for_a, 0, MAXIMUM);
    if (status != RTS_OK) {
        return status;
    }
    pair->made++;
    status = semaphore(&pair->for_b, 0, MAXIMUM);
    if (status != RTS_OK) {
        return status;
    }
    pair->made++;
    return rts_ping_create(&pair->ping, run, way);
}

void rts_pair_teardown(rts_run *run)
{
    rts_pair *pair = rts_run_state(run);
    rts_ping_destroy(&pair->ping);
    if (pair->made > 1) {
        rts_port_semaphore_destroy(&pair->for_b);
    }
    if (pair->made > 0) {
        rts_port_semaphore_destroy(&pair->for_a);
    }
    pair->made = 0;
}

rts_status rts_pair_give_a(rts_ping *ping)
{
    return rts_port_semaphore_give(&((rts_pair *)ping)->for_a);
}

rts_status rts_pair_give_b(rts_ping *ping)
{
    return rts_port_semaphore_give(&((rts_pair *)ping)->for_b);
}

rts_status rts_pair_take_a(rts_ping *ping)
{
    return rts_port_semaphore_take(&((rts_pair *)ping)->for_a);
}

rts_status rts_pair_take_b(rts_ping *ping)
{
    return rts_port_semaphore_take(&((rts_pair *)ping)->for_b);
}

rts_status rts_pair_pass_a(rts_ping *ping)
{
    const rts_status given = rts_port_semaphore_give(&((rts_pair *)ping)->for_b);
    return given != RTS_OK ? given : rts_port_semaphore_take(&((rts_pair *)ping)->for_a);
}

rts_status rts_pair_pass_b(rts_ping *ping)
{
    const rts_status given = rts_port_semaphore_give(&((rts_pair *)ping)->for_a);
    return given != RTS_OK ? given : rts_port_semaphore_take(&((rts_pair *)ping)->for_b);
}
