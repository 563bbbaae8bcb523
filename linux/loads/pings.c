/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Flood ping: the next echo is asked for when the answer has come, and a hundred times a second at least.
 */
#include "pings.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define ECHO_BYTES 64u

/** The Internet checksum (RFC 1071). */
static uint16_t checksum(const unsigned char *bytes, size_t count)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < count; i += 2u) {
        sum += (uint32_t)bytes[i] << 8 | bytes[i + 1u];
    }
    sum = (sum >> 16) + (sum & 0xffffu);
    sum += sum >> 16;
    return htons((uint16_t)~sum);
}

int rts_ping_open(struct in_addr to)
{
    const struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = to};
    int made = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
    if (made < 0) {
        made = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, IPPROTO_ICMP); /* for users of net.ipv4.ping_group_range */
    }
    if (made >= 0 && connect(made, (const struct sockaddr *)&address, sizeof address) != 0) {
        (void)close(made);
        made = -1;
    }
    return made;
}

bool rts_ping_ask(int ping, rts_ping of)
{
    unsigned char packet[ECHO_BYTES] = {0};
    struct icmphdr head = {.type = ICMP_ECHO, .un.echo = {.id = htons(of.from), .sequence = htons(of.sequence)}};
    memcpy(packet, &head, sizeof head);
    memcpy(packet + sizeof head, &of, sizeof of); /* an unprivileged socket has an id of the kernel's */
    head.checksum = checksum(packet, sizeof packet);
    memcpy(packet, &head, sizeof head);
    return send(ping, packet, sizeof packet, MSG_DONTWAIT) == (ssize_t)sizeof packet;
}

bool rts_ping_answer(int ping, int flags, rts_ping *of)
{
    unsigned char answer[ECHO_BYTES + sizeof(struct iphdr) + 64u];
    struct icmphdr head;
    for (;;) { /* whatever else comes by is passed over */
        const ssize_t got = recv(ping, answer, sizeof answer, flags);
        if (got <= 0) {
            return false;
        }
        const size_t offset =
            answer[0] >> 4 == 4u ? (size_t)(answer[0] & 0xfu) * 4u : 0u; /* of a raw one's IP header */
        if ((size_t)got >= offset + sizeof head + sizeof *of) {
            memcpy(&head, answer + offset, sizeof head);
            memcpy(of, answer + offset + sizeof head, sizeof *of);
            if (head.type == ICMP_ECHOREPLY) {
                return true;
            }
        }
    }
}

static bool echo(rts_pinger *own, int ping)
{
    const rts_ping asked = {.from = (uint16_t)(0x5700u + own->number), .sequence = (uint16_t)own->sent};
    rts_ping answer;
    if (!rts_ping_ask(ping, asked)) {
        return false;
    }
    own->sent++;
    while (rts_ping_answer(ping, 0, &answer)) {
        if (answer.from == asked.from && answer.sequence == asked.sequence) {
            own->answered++;
            return true;
        }
    }
    return errno == EAGAIN || errno == EINTR;
}

static void ping_main(void *arg)
{
    rts_pinger *own = arg;
    const struct sockaddr_in address = rts_cable_far(0);
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = RTS_CABLE_PATIENCE_MS * 1000000L};
    const bool entered = rts_cable_enter_near(own->cable);
    const int ping = rts_ping_open(address.sin_addr);
    if (!entered || ping < 0) {
        atomic_store(&own->cable->failed, true);
        return;
    }
    rts_cable_limit_waits(ping);
    while (!rts_cable_over(own->cable)) {
        if (!echo(own, ping)) {
            (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
        }
    }
    (void)close(ping);
}

rts_status rts_pinger_start(rts_pinger *own, rts_cable *cable, uint32_t number, int32_t cpu)
{
    own->cable = cable;
    own->number = number;
    return rts_cable_make(&own->program, ping_main, own, cpu);
}
