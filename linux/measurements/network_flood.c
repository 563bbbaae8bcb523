/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The far end of the load `network-peer`: a flood of echo requests and the characters of RFC 864, until the near end stops them.
 *
 *   near: load <pings at a time>
 *   far:  ready <port of the characters>, or: error <why>
 *   near: stop
 *   far:  done <echoes asked for> <answered> <bytes sent> <ns>
 *
 * One loop does everything, so that nothing is left when this process ends. Like `ping -f`, it requests the next echo when the answer has come, and
 * at least a hundred times a second.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../loads/characters.h"
#include "../loads/pings.h"
#include "../numbers.h"
#include "network.h"

#define AGAIN_NS 10000000u
#define FIRST_MS 2000u          /* what answers no echo in this time answers none */
#define SILENCE_NS 10000000000u /* what has answered none for so long is gone: no flood goes on without an answer */
#define AT_ONCE 64u             /* answers between two looks at the rest */

typedef struct flood {
    int ping;
    int stream;
    uint32_t pings;
    rts_ping asked[NET_PINGS];
    uint64_t asked_ns[NET_PINGS];
    uint64_t sent;
    uint64_t answered;
    uint64_t heard_ns;
    uint64_t bytes;
    unsigned first; /**< character of the line */
    size_t at;      /**< in it */
} flood;

static void ask(flood *own, uint32_t number, uint64_t now)
{
    own->asked[number].sequence++;
    own->asked_ns[number] = now;
    own->sent += rts_ping_ask(own->ping, own->asked[number]) ? 1u : 0u;
}

/** What has come of answers; each makes its asker ask again while `goes_on`. */
static void take_answers(flood *own, bool goes_on)
{
    rts_ping answer;
    for (unsigned i = 0; i < AT_ONCE && rts_ping_answer(own->ping, MSG_DONTWAIT, &answer); i++) {
        const uint16_t number = (uint16_t)(answer.from - own->asked[0].from);
        if (number >= own->pings) {
            continue;
        }
        own->answered++;
        own->heard_ns = net_now_ns();
        if (goes_on && answer.sequence == own->asked[number].sequence) {
            ask(own, number, own->heard_ns);
        }
    }
}

static void ask_again(flood *own)
{
    const uint64_t now = net_now_ns();
    for (uint32_t i = 0; i < own->pings; i++) {
        if (now - own->asked_ns[i] >= AGAIN_NS) {
            ask(own, i, now);
        }
    }
}

static bool send_characters(flood *own)
{
    char line[RTS_CHARACTERS_LINE];
    rts_characters_line(line, own->first);
    const ssize_t sent = send(own->stream, line + own->at, sizeof line - own->at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
        return errno == EAGAIN || errno == EINTR;
    }
    own->bytes += (uint64_t)sent;
    own->at += (size_t)sent;
    if (own->at == sizeof line) {
        own->at = 0;
        own->first = (own->first + 1u) % 95u;
    }
    return true;
}

/** Answers within `ms`, while it asks again if `goes_on`; true when one has come, or all that were asked for. */
static bool wait_for_answers(flood *own, unsigned ms, bool goes_on)
{
    const uint64_t until = net_now_ns() + (uint64_t)ms * 1000000u;
    while (net_now_ns() < until && (goes_on ? own->answered == 0u : own->answered < own->sent)) {
        struct pollfd ready = {.fd = own->ping, .events = POLLIN};
        (void)poll(&ready, 1, AGAIN_NS / 1000000u);
        if (goes_on) {
            ask_again(own);
        }
        take_answers(own, goes_on);
    }
    return own->answered > 0u;
}

/** Until the near end says anything, or is gone. */
static void pour(flood *own, int control)
{
    struct pollfd ready[] = {
        {.fd = control, .events = POLLIN}, {.fd = own->ping, .events = POLLIN}, {.fd = own->stream, .events = POLLOUT}};
    own->heard_ns = net_now_ns();
    while (!rts_port_interrupted() && net_now_ns() - own->heard_ns < SILENCE_NS) {
        (void)poll(ready, sizeof ready / sizeof ready[0], AGAIN_NS / 1000000u);
        if (ready[0].revents != 0) {
            return;
        }
        take_answers(own, true);
        ask_again(own);
        if (ready[2].revents != 0 && !send_characters(own)) {
            return;
        }
    }
}

/** The stream of characters, connected; -1: the near end did not come for it. */
static int connected(const net_end *end)
{
    const net_spec spec = {.protocol = NET_TCP, .window = NET_STREAM_BYTES};
    uint16_t port = 0;
    int stream = -1;
    const int waiting = net_socket(&spec, end->own, &port);
    if (waiting >= 0 && listen(waiting, 1) == 0 && net_line_write(end->control, "ready %u\n", (unsigned)port)) {
        stream = net_accept(waiting, end);
    }
    if (waiting >= 0) {
        (void)close(waiting);
    }
    return stream;
}

void net_serve_load(const net_end *end, const char *line)
{
    uint64_t pings = 0;
    char said[NET_LINE_BYTES];
    flood own = {.stream = -1};
    if (!rts_linux_numbers(line, "load", 1, &pings) || pings == 0u || pings > NET_PINGS) {
        (void)net_line_write(end->control, "error not a load that this version does\n");
        return;
    }
    own.pings = (uint32_t)pings;
    for (uint32_t i = 0; i < own.pings; i++) {
        own.asked[i].from = (uint16_t)((unsigned)getpid() * NET_PINGS + i);
    }
    own.ping = rts_ping_open((struct in_addr){.s_addr = htonl(end->other)});
    if (own.ping < 0) {
        (void)net_line_write(end->control,
                             "error it may not ping (%s); remedy: run it as root, or let its group ping "
                             "(net.ipv4.ping_group_range)\n",
                             strerror(errno));
        return;
    }
    const uint64_t began = net_now_ns();
    if (!wait_for_answers(&own, FIRST_MS, true)) {
        (void)net_line_write(end->control,
                             "error this host answers no echo request of it (a firewall, or icmp_echo_ignore_all)\n");
    } else if ((own.stream = connected(end)) >= 0) {
        pour(&own, end->control);
        const uint64_t lasted = net_now_ns() - began;
        (void)wait_for_answers(&own, 100, false);
        (void)close(own.stream);
        if (net_line_read(end->control, said) && strcmp(said, "stop") == 0) {
            (void)net_line_write(end->control, "done %ju %ju %ju %ju\n", (uintmax_t)own.sent, (uintmax_t)own.answered,
                                 (uintmax_t)own.bytes, (uintmax_t)lasted);
        }
    }
    (void)close(own.ping);
}
