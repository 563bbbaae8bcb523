/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * `rtstone-engine peer`: the far end of transfers from another host, one at a time, until a signal stops it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../system.h"
#include "network.h"
#include "peer.h"
#include "rtstone/engine.h"

static rts_peer_complain complain;

/** A stream socket that waits at this address and no other; -1: it was said why, and `code` is the exit code. */
static int wait_at(const char *text, int *code)
{
    const int yes = 1;
    struct sockaddr_in place = {.sin_family = AF_INET};
    uint32_t address = 0;
    uint16_t port = 0;
    *code = RTS_EXIT_USAGE;
    if (!net_parse(text, &address, &port)) {
        complain("--bind takes an IPv4 address with or without a port (127.0.0.1:%u), not '%s'", NET_PORT, text);
        return -1;
    }
    if (address == 0u) {
        complain("--bind takes one address of this machine: 0.0.0.0 would let anybody in");
        return -1;
    }
    place.sin_addr.s_addr = htonl(address);
    place.sin_port = htons(port);
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made >= 0 && setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(made, (const struct sockaddr *)&place, sizeof place) == 0 && listen(made, 4) == 0) {
        return made;
    }
    const int error = errno;
    if (made >= 0) {
        (void)close(made);
    }
    if (error == EADDRNOTAVAIL) {
        complain("%s is no address of this machine; `ip address` lists them", text);
    } else {
        *code = RTS_EXIT_FAILED;
        complain("cannot wait at %s: %s%s", text, strerror(error),
                 error == EADDRINUSE ? "; another port: --bind ADDRESS:PORT" : "");
    }
    return -1;
}

/** One measuring host after the other. */
static int serve(int waiting)
{
    const int32_t cpu = rts_system_cpu_choice();
    if (rts_system_pin_self(cpu) != RTS_OK) {
        complain("cannot pin itself to CPU %d", (int)cpu);
        return RTS_EXIT_FAILED;
    }
    while (!rts_port_interrupted()) {
        struct sockaddr_in from = {.sin_family = AF_INET};
        struct sockaddr_in own = {.sin_family = AF_INET};
        socklen_t room = sizeof from;
        net_end end = {.cpu = cpu};
        end.control = accept(waiting, (struct sockaddr *)&from, &room);
        room = sizeof own;
        if (end.control < 0 || getsockname(end.control, (struct sockaddr *)&own, &room) != 0) {
            continue;
        }
        end.own = ntohl(own.sin_addr.s_addr);
        end.other = ntohl(from.sin_addr.s_addr);
        const struct timeval patience = {.tv_sec = 60, .tv_usec = 0}; /* one that says nothing keeps others waiting */
        (void)setsockopt(end.control, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        if (net_line_write(end.control, "rtstone peer 1\n")) {
            net_serve(&end);
        }
        (void)close(end.control);
    }
    return RTS_EXIT_INTERRUPTED;
}

int rts_peer_main(int count, char *const words[], rts_peer_complain say)
{
    complain = say;
    const char *place = NULL;
    int code = RTS_EXIT_USAGE;
    if (count == 2 && strcmp(words[0], "--bind") == 0) {
        place = words[1];
    } else if (count == 1 && strncmp(words[0], "--bind=", 7) == 0) {
        place = words[0] + 7;
    } else {
        complain("peer takes --bind ADDRESS[:PORT], an address of this machine that the measuring host reaches");
        return RTS_EXIT_USAGE;
    }
    const int waiting = wait_at(place, &code);
    if (waiting < 0) {
        return code;
    }
    (void)printf("rtstone-engine: peer waits at %s for one measuring host at a time; Ctrl-C ends it\n", place);
    (void)fflush(stdout);
    code = serve(waiting);
    (void)close(waiting);
    return code;
}
