/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A stream's sender and receiver as event loops have them: neither socket blocks, and each end waits by pselect, no longer than its clock allows.
 *
 * They do the system calls that iperf3's ends do, so that the two can be held beside each other (bench/network): a wait is for the data and
 * for the control stream, the receiver's for newcomers too; after a wait the sender sends up to ten blocks, the receiver receives one.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "network.h"

#include "../system.h"

#define BLOCKS_A_WAIT 10

/** What a loop waits for. */
typedef struct waits {
    int data;
    int control;
    int listener; /**< the listening socket for new connections; -1: there is no such socket */
    bool sends;
    uint64_t until; /**< of net_now_ns */
} waits;

static bool set_blocking(int socket_, bool blocks)
{
    const int flags = fcntl(socket_, F_GETFL);
    return flags >= 0 && fcntl(socket_, F_SETFL, blocks ? flags & ~O_NONBLOCK : flags | O_NONBLOCK) == 0;
}

bool net_loops_possible(void)
{
    int taken
        [8]; /* both ends open fewer, and begin with the descriptors of this process, among which some may be free */
    size_t count = 0;
    bool possible = true;
    while (count < sizeof taken / sizeof taken[0] && possible) {
        taken[count] = open("/dev/null", O_RDONLY | O_CLOEXEC);
        possible = taken[count] >= 0 && taken[count] < FD_SETSIZE;
        count += taken[count] >= 0 ? 1u : 0u;
    }
    while (count > 0u) {
        (void)close(taken[--count]);
    }
    return possible;
}

/** select's sets have room for descriptors below FD_SETSIZE; beyond it is other memory. */
static bool selectable(const waits *what)
{
    return what->data < FD_SETSIZE && what->control < FD_SETSIZE && what->listener < FD_SETSIZE;
}

/** Until there may be something to do; false: the time has come, or the wait failed. */
static bool wait_for(const waits *what)
{
    fd_set readable;
    fd_set writable;
    int last = what->data > what->control ? what->data : what->control;
    FD_ZERO(&readable);
    FD_ZERO(&writable);
    FD_SET(what->control, &readable);
    FD_SET(what->data, what->sends ? &writable : &readable);
    if (what->listener >= 0) {
        FD_SET(what->listener, &readable);
        last = what->listener > last ? what->listener : last;
    }
    const uint64_t now = net_now_ns();
    if (now >= what->until) {
        return false;
    }
    const uint64_t ns = what->until - now;
    const struct timespec left = rts_timespec(ns);
    return pselect(last + 1, &readable, &writable, NULL, &left, NULL) >= 0 || errno == EINTR;
}

/** Sends what the socket takes, from `*at` of a block on; false: it failed. */
static bool send_some(int data, const net_spec *spec, const unsigned char *block, size_t *at, uint64_t *units)
{
    for (int i = 0; i < BLOCKS_A_WAIT; i++) {
        const ssize_t sent = write(data, block + *at, spec->block - *at); /* the engine ignores SIGPIPE */
        if (sent < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        *at += (size_t)sent;
        if (*at == spec->block) {
            *at = 0;
            ++*units;
        }
    }
    return true;
}

bool net_loop_send(int data, int control, const net_spec *spec, const unsigned char *block, net_account *account)
{
    const waits what = {data, control, -1, true, net_now_ns() + (uint64_t)spec->ms * 1000000u};
    size_t at = 0;
    bool well = selectable(&what) && set_blocking(data, false);
    while (well && wait_for(&what)) {
        well = send_some(data, spec, block, &at, &account->units);
    }
    well = well && set_blocking(data, true);
    if (well && at > 0) { /* the last block is sent whole */
        well = write(data, block + at, spec->block - at) == (ssize_t)(spec->block - at);
        account->units += well ? 1u : 0u;
    }
    return well;
}

/** Receives a block, or the part that is there. Returns bytes; -1: it failed. */
static ssize_t receive_block(int data, const net_spec *spec, unsigned char *block, bool *ended)
{
    size_t at = 0;
    while (at < spec->block && !*ended) {
        const ssize_t got = read(data, block + at, spec->block - at);
        if (got < 0) {
            return errno == EAGAIN || errno == EINTR ? (ssize_t)at : -1;
        }
        *ended = got == 0;
        at += (size_t)got;
    }
    return (ssize_t)at;
}

bool net_loop_receive(int data, int control, const net_spec *spec, unsigned char *block, net_account *account)
{
    uint16_t port = 0;
    const int listener = net_socket(spec, INADDR_LOOPBACK, &port);
    const uint64_t patience = ((uint64_t)spec->ms + (uint64_t)NET_PATIENCE_S * 1000u) * 1000000u;
    const waits what = {data, control, listener, false, net_now_ns() + patience};
    bool ended = false;
    bool well = listener >= 0 && selectable(&what) && listen(listener, 1) == 0 && set_blocking(data, false);
    while (well && !ended) {
        const ssize_t got = wait_for(&what) ? receive_block(data, spec, block, &ended) : -1;
        account->bytes += got > 0 ? (uint64_t)got : 0u;
        well = got >= 0;
    }
    if (listener >= 0) {
        (void)close(listener);
    }
    return well && set_blocking(data, true);
}
