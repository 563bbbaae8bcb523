/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The messages of the two ends of a transfer to each other, before and after it.
 *
 *   near: transfer <protocol> <backwards> <loops> <block> <window> <ms> <cookie> <near port>
 *   far:  ready <far port>, or: error <why>
 *   then the data; the sending end: sent <blocks or datagrams>
 *   far:  done <its account>
 *
 *   near: machine
 *   far:  machine <a number that identifies its running kernel>; an older peer ends here
 *
 * network_flood.c has the messages of the load.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "network.h"

#include "../numbers.h"
#include "boot_number.h"

/** The socket that data go through, connected: the near end asks, the far end answers. -1: it could not be made. */
static int meet_near(const net_end *end, const net_spec *spec)
{
    char line[NET_LINE_BYTES];
    uint16_t port = 0;
    uint64_t far_port = 0;
    const int data = net_socket(spec, end->own, &port);
    const bool well = data >= 0 &&
                      net_line_write(end->control, "transfer %d %d %d %u %u %u %ju %u\n", (int)spec->protocol,
                                     (int)spec->backwards, (int)spec->loops, spec->block, spec->window, spec->ms,
                                     (uintmax_t)spec->cookie, (unsigned)port) &&
                      net_line_read(end->control, line) && rts_linux_numbers(line, "ready", 1, &far_port) &&
                      far_port <= UINT16_MAX && net_connect(data, end->other, (uint16_t)far_port);
    if (!well && data >= 0) {
        (void)close(data);
    }
    return well ? data : -1;
}

static int meet_far(const net_end *end, const net_spec *spec, uint16_t near_port)
{
    uint16_t port = 0;
    const int made = net_socket(spec, end->own, &port);
    if (made < 0) {
        (void)net_line_write(end->control, "error %s\n", strerror(errno));
        return -1;
    }
    if (spec->protocol == NET_UDP) {
        if (net_connect(made, end->other, near_port) && net_line_write(end->control, "ready %u\n", (unsigned)port)) {
            return made;
        }
        (void)close(made);
        return -1;
    }
    int data = -1;
    if (listen(made, 1) == 0 && net_line_write(end->control, "ready %u\n", (unsigned)port)) {
        data = net_accept(made, end);
    }
    (void)close(made);
    return data;
}

static bool move(int data, const net_end *end, const net_spec *spec, bool sends, net_account *account, uint64_t *sent)
{
    const net_cpu before = net_cpu_read(end->cpu);
    bool well;
    net_patience(data);
    if (sends) {
        well = net_source(data, end->control, spec, account) &&
               net_line_write(end->control, "sent %ju\n", (uintmax_t)account->units);
        *sent = account->units;
    } else {
        well = net_sink(data, end->control, spec, account, sent);
    }
    const net_cpu after = net_cpu_read(end->cpu);
    account->busy_ns = after.busy_ns - before.busy_ns;
    account->irq_ns = after.irq_ns - before.irq_ns;
    account->all_ns = after.all_ns - before.all_ns;
    net_buffers(data, account);
    (void)close(data);
    return well;
}

#define ACCOUNT "%ju %ju %ju %ju %ju %ju %ju %ju %ju %ju %ju %ju"
#define ACCOUNT_NUMBERS 12u

static bool read_account(int control, net_account *a)
{
    char line[NET_LINE_BYTES];
    uint64_t v[ACCOUNT_NUMBERS];
    if (!net_line_read(control, line) || !rts_linux_numbers(line, "done", ACCOUNT_NUMBERS, v)) {
        return false;
    }
    const net_account told = {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11]};
    *a = told;
    return true;
}

bool net_transfer(const net_end *near_end, const net_spec *spec, net_account *sender, net_account *receiver)
{
    uint64_t sent = 0;
    net_account *const own = spec->backwards ? receiver : sender;
    memset(sender, 0, sizeof *sender);
    memset(receiver, 0, sizeof *receiver);
    const int data = meet_near(near_end, spec);
    return data >= 0 && move(data, near_end, spec, !spec->backwards, own, &sent) &&
           read_account(near_end->control, spec->backwards ? sender : receiver);
}

static bool serve_one(const net_end *end, const char *line)
{
    /* protocol, backwards, loops, block, window, ms, cookie, port: as meet_near writes them */
    uint64_t v[8];
    net_spec spec;
    net_account account;
    uint64_t sent = 0;
    memset(&spec, 0, sizeof spec);
    memset(&account, 0, sizeof account);
    if (!rts_linux_numbers(line, "transfer", 8, v) || v[0] > NET_UDP || v[1] > 1u || v[2] > 1u || v[3] < 16u ||
        v[3] > NET_BLOCK_MAX || v[4] > NET_WINDOW_MAX || v[5] > NET_MS_MAX || v[7] > UINT16_MAX) {
        (void)net_line_write(end->control, "error not a transfer that this version does\n");
        return false;
    }
    spec.protocol = (net_protocol)v[0];
    spec.backwards = v[1] != 0u;
    spec.loops = v[2] != 0u;
    spec.block = (uint32_t)v[3];
    spec.window = (uint32_t)v[4];
    spec.ms = (uint32_t)v[5];
    spec.cookie = v[6];
    const int data = meet_far(end, &spec, (uint16_t)v[7]);
    if (data < 0 || !move(data, end, &spec, spec.backwards, &account, &sent)) {
        return false;
    }
    return net_line_write(end->control, "done " ACCOUNT "\n", (uintmax_t)account.bytes, (uintmax_t)account.units,
                          (uintmax_t)account.lost, (uintmax_t)account.reordered, (uintmax_t)account.elapsed_ns,
                          (uintmax_t)account.cpu_ns, (uintmax_t)account.system_ns, (uintmax_t)account.busy_ns,
                          (uintmax_t)account.irq_ns, (uintmax_t)account.all_ns, (uintmax_t)account.send_buffer,
                          (uintmax_t)account.receive_buffer);
}

void net_serve(const net_end *far_end)
{
    char line[NET_LINE_BYTES];
    bool well = true;
    while (well && net_line_read(far_end->control, line)) {
        if (strncmp(line, "load ", 5) == 0) {
            net_serve_load(far_end, line);
            return;
        }
        well = strcmp(line, "machine") == 0
                   ? net_line_write(far_end->control, "machine %ju\n", (uintmax_t)rts_boot_number())
                   : serve_one(far_end, line);
    }
}

/** Connects, and reads what a peer says first. */
static bool greet(net_end *near_end, uint16_t port)
{
    char line[NET_LINE_BYTES];
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t room = sizeof address;
    near_end->control = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    net_patience(near_end->control);
    errno = 0;
    if (!net_connect(near_end->control, near_end->other, port) ||
        getsockname(near_end->control, (struct sockaddr *)&address, &room) != 0 ||
        !net_line_read(near_end->control, line) || strcmp(line, "rtstone peer 1") != 0) {
        const int error = errno;
        (void)close(near_end->control);
        near_end->control = -1;
        errno = error;
        return false;
    }
    near_end->own = ntohl(address.sin_addr.s_addr);
    return true;
}

rts_status net_meet_peer(net_end *near_end, uint64_t *machine, char *why, size_t room)
{
    const char *const name = getenv("RTSTONE_PEER");
    char line[NET_LINE_BYTES];
    uint16_t port = 0;
    near_end->control = -1;
    *machine = 0;
    if (name == NULL || name[0] == '\0') {
        (void)snprintf(why, room,
                       "no other host is given; remedy: start 'rtstone peer --bind ADDRESS' there and run with --peer "
                       "ADDRESS");
        return RTS_UNSUPPORTED;
    }
    if (!net_parse(name, &near_end->other, &port)) {
        (void)snprintf(why, room,
                       "the address of the peer is no IPv4 address with or without a port, as in 192.0.2.1:5741");
        return RTS_INVALID;
    }
    for (unsigned attempt = 0; attempt < 2u && greet(near_end, port); attempt++) {
        if (attempt > 0u || (net_line_write(near_end->control, "machine\n") && net_line_read(near_end->control, line) &&
                             rts_linux_numbers(line, "machine", 1, machine))) {
            return RTS_OK;
        }
        (void)close(near_end->control); /* an older peer has ended it: once more, without the question */
        near_end->control = -1;
    }
    (void)snprintf(why, room,
                   "no rtstone peer answers at %.40s (%s); remedy: start 'rtstone peer --bind ADDRESS' there", name,
                   errno == 0 || errno == EINPROGRESS || errno == EAGAIN ? "no answer" : strerror(errno));
    return RTS_FAILED;
}
