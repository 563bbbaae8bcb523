/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sockets of a transfer, and the clocks by which its ends are accounted for.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "network.h"

#include "../numbers.h"
#include "../system.h"

uint64_t net_now_ns(void)
{
    return rts_system_clock_ns(CLOCK_MONOTONIC);
}

uint64_t net_process_cpu_ns(void)
{
    return rts_system_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t net_process_system_ns(void)
{
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) != 0) {
        return 0;
    }
    return (uint64_t)used.ru_stime.tv_sec * 1000000000u + (uint64_t)used.ru_stime.tv_usec * 1000u;
}

net_cpu net_cpu_read(int32_t cpu)
{
    net_cpu found = {0, 0, 0};
    char line[256];
    char key[24];
    uint64_t v[8]; /* user nice system idle iowait irq softirq steal */
    (void)snprintf(key, sizeof key, "cpu%d ", cpu);
    const uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    FILE *const file = fopen("/proc/stat", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (rts_linux_numbers(line, key, sizeof v / sizeof v[0], v)) {
            found.irq_ns = (v[5] + v[6]) * tick_ns;
            found.busy_ns = (v[0] + v[1] + v[2] + v[5] + v[6] + v[7]) * tick_ns;
            found.all_ns = found.busy_ns + (v[3] + v[4]) * tick_ns;
            break;
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return found;
}

static struct sockaddr_in place(uint32_t address, uint16_t port)
{
    const struct sockaddr_in made = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(address)};
    return made;
}

void net_patience(int socket_)
{
    const struct timeval patience = {.tv_sec = NET_PATIENCE_S, .tv_usec = 0};
    (void)setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

int net_socket(const net_spec *spec, uint32_t own, uint16_t *port)
{
    const int window = (int)spec->window;
    struct sockaddr_in address = place(own, 0);
    socklen_t room = sizeof address;
    const int made = socket(AF_INET, (spec->protocol == NET_UDP ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
    if (made < 0) {
        return -1;
    }
    net_patience(made);
    /* Before anything is connected: TCP's window is agreed upon then. */
    if (setsockopt(made, SOL_SOCKET, SO_SNDBUF, &window, sizeof window) != 0 ||
        setsockopt(made, SOL_SOCKET, SO_RCVBUF, &window, sizeof window) != 0 ||
        bind(made, (const struct sockaddr *)&address, sizeof address) != 0 ||
        getsockname(made, (struct sockaddr *)&address, &room) != 0) {
        (void)close(made);
        return -1;
    }
    *port = ntohs(address.sin_port);
    return made;
}

bool net_connect(int socket_, uint32_t address, uint16_t port)
{
    const struct sockaddr_in to = place(address, port);
    return connect(socket_, (const struct sockaddr *)&to, sizeof to) == 0;
}

static uint64_t buffer(int socket_, int which)
{
    int bytes = 0;
    socklen_t room = sizeof bytes;
    return getsockopt(socket_, SOL_SOCKET, which, &bytes, &room) == 0 && bytes > 0 ? (uint64_t)bytes : 0u;
}

void net_buffers(int socket_, net_account *account)
{
    account->send_buffer = buffer(socket_, SO_SNDBUF);
    account->receive_buffer = buffer(socket_, SO_RCVBUF);
}

bool net_parse(const char *text, uint32_t *address, uint16_t *port)
{
    char host[INET_ADDRSTRLEN];
    struct in_addr found;
    const size_t length = strcspn(text, ":");
    unsigned long number = NET_PORT;
    if (length == 0 || length >= sizeof host) {
        return false;
    }
    memcpy(host, text, length);
    host[length] = '\0';
    if (text[length] == ':') {
        char *end = NULL;
        number = strtoul(text + length + 1, &end, 10);
        if (end == text + length + 1 || *end != '\0' || text[length + 1] < '0' || text[length + 1] > '9') {
            return false;
        }
    }
    if (inet_pton(AF_INET, host, &found) != 1 || number == 0 || number > UINT16_MAX) {
        return false;
    }
    *address = ntohl(found.s_addr);
    *port = (uint16_t)number;
    return true;
}

int net_accept(int waiting, const net_end *end)
{
    struct sockaddr_in from = {.sin_family = AF_INET};
    socklen_t room = sizeof from;
    const int data = accept(waiting, (struct sockaddr *)&from, &room);
    if (data >= 0 && ntohl(from.sin_addr.s_addr) != end->other) {
        (void)close(data);
        return -1;
    }
    return data;
}
