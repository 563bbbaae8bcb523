/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * thread-switch by the futex itself, without a semaphore of POSIX around it: the difference of the two is the cost of that layer.
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/ping.h"
#include "common/state.h"

typedef struct state {
    rts_ping ping;
    _Atomic uint32_t for_a; /* 1: it is that party's turn */
    _Atomic uint32_t for_b;
} state;

RTS_STATE_FITS(state);

static rts_status give(_Atomic uint32_t *turn)
{
    atomic_store(turn, 1u);
    return syscall(SYS_futex, turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) >= 0 ? RTS_OK : RTS_FAILED;
}

static rts_status take(_Atomic uint32_t *turn)
{
    while (atomic_exchange(turn, 0u) == 0u) {
        if (syscall(SYS_futex, turn, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) != 0 && errno != EAGAIN && errno != EINTR) {
            return RTS_FAILED;
        }
    }
    return RTS_OK;
}

static rts_status give_a(rts_ping *ping)
{
    return give(&((state *)ping)->for_a);
}

static rts_status give_b(rts_ping *ping)
{
    return give(&((state *)ping)->for_b);
}

static rts_status take_b(rts_ping *ping)
{
    return take(&((state *)ping)->for_b);
}

static rts_status pass_a(rts_ping *ping)
{
    const rts_status given = give_b(ping);
    return given != RTS_OK ? given : take(&((state *)ping)->for_a);
}

static rts_status pass_b(rts_ping *ping)
{
    const rts_status given = give_a(ping);
    return given != RTS_OK ? given : take_b(ping);
}

static const rts_ping_way way = {
    .kind = RTS_PING_EITHER,
    .a = RTS_PRIORITY_MIDDLE,
    .b = RTS_PRIORITY_MIDDLE,
    .blocks = 2,
    .first_b = take_b,
    .begin_a = pass_a,
    .pass_a = pass_a,
    .pass_b = pass_b,
    .idle_b = pass_b,
    .wake_b = give_b,
    .free_a = give_a,
};

static rts_status setup(rts_run *run)
{
    state *own = rts_run_state(run);
    atomic_store(&own->for_a, 0u);
    atomic_store(&own->for_b, 0u);
    return rts_ping_create(&own->ping, run, &way);
}

static void teardown(rts_run *run)
{
    rts_ping_destroy(&((state *)rts_run_state(run))->ping);
}

const rts_measurement rts_measurement_futex_switch = {
    .name = "futex-switch",
    .meaning = 1,
    .summary = "thread-switch by the kernel's futex itself, without a semaphore of POSIX around it",
    .series = {"futex-switch"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup,
    .batch = rts_ping_batch,
    .single = rts_ping_single,
    .teardown = teardown,
};
