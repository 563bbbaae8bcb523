/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A cable without devices: a veth pair between two network name spaces, and a pseudo-terminal instead of a serial line.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../measurements/network.h"
#include "cable.h"

#define LINE_BYTES_A_LOOK 115u /* in 10 ms: 115200 baud, ten bits a character */
#define LOOK_NS 10000000L

static void pause_ns(long ns)
{
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = ns};
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
}

/** Holds the near end's name space, and makes the link when the far end has its own. */
static void near_main(void *arg)
{
    rts_cable *const own = arg;
    if (!rts_cable_own_space()) {
        atomic_store(&own->failed, true);
        return;
    }
    atomic_store(&own->near_process, (int)getpid());
    while (!rts_cable_over(own) && atomic_load(&own->far_process) == 0) {
        pause_ns(1000000L);
    }
    if (rts_cable_over(own)) {
        return;
    }
    if (!net_link_make(own->names.near_name, own->names.far_name, atomic_load(&own->far_process)) ||
        !link_up(own->names.near_name, RTS_CABLE_NEAR_ADDRESS)) {
        atomic_store(&own->failed, true);
        return;
    }
    while (!rts_cable_over(own)) {
        atomic_store(&own->near_is_up, link_runs(own->names.near_name));
        pause_ns(LOOK_NS);
    }
}

/** Takes from the pseudo-terminal what a line would have sent meanwhile. */
static void reader_main(void *arg)
{
    rts_cable *const own = arg;
    char bytes[LINE_BYTES_A_LOOK];
    while (!rts_cable_over(own)) {
        struct pollfd ready = {.fd = own->terminal, .events = POLLIN};
        if (poll(&ready, 1, RTS_CABLE_PATIENCE_MS) > 0 && read(own->terminal, bytes, sizeof bytes) > 0) {
            pause_ns(LOOK_NS);
        }
    }
}

static bool near_is_made(const void *arg)
{
    const rts_cable *own = arg;
    return atomic_load(&own->near_process) != 0;
}

rts_status rts_cable_terminal(rts_cable *own, int32_t cpu)
{
    own->terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (own->terminal < 0 || grantpt(own->terminal) != 0 || unlockpt(own->terminal) != 0 ||
        ptsname_r(own->terminal, own->names.line, sizeof own->names.line) != 0) {
        return RTS_FAILED;
    }
    return rts_cable_make(&own->reader, reader_main, own, cpu);
}

rts_status rts_cable_init_virtual(rts_cable *own, int32_t cpu)
{
    own->is_virtual = true;
    memcpy(own->names.near_name, "rts-near", sizeof "rts-near");
    memcpy(own->names.far_name, "rts-far", sizeof "rts-far");
    rts_status status = rts_cable_make(&own->near_end, near_main, own, cpu);
    if (status == RTS_OK) {
        status = rts_cable_terminal(own, cpu);
    }
    if (status == RTS_OK && rts_cable_until(own, near_is_made, own) != RTS_OK) {
        status = RTS_UNSUPPORTED;
    }
    if (status != RTS_OK) {
        rts_cable_stop(own);
        rts_cable_close(own);
    }
    return status;
}

void rts_cable_close(rts_cable *own)
{
    rts_cable_end(&own->near_end);
    rts_cable_end(&own->reader);
    if (own->terminal >= 0) {
        (void)close(own->terminal);
        own->terminal = -1;
    }
}
