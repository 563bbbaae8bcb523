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

static bool echo(rts_pinger *own, int ping)
{
    unsigned char packet[ECHO_BYTES] = {0};
    unsigned char answer[ECHO_BYTES + sizeof(struct iphdr) + 64u];
    const struct icmphdr asked = {
        .type = ICMP_ECHO,
        .un.echo = {.id = htons((uint16_t)(0x5700u + own->number)), .sequence = htons((uint16_t)own->sent)}};
    struct icmphdr head = asked;
    memcpy(packet, &head, sizeof head);
    head.checksum = checksum(packet, sizeof packet);
    memcpy(packet, &head, sizeof head);
    if (send(ping, packet, sizeof packet, 0) != (ssize_t)sizeof packet) {
        return false;
    }
    own->sent++;
    for (;;) { /* whatever else comes by is passed over */
        const ssize_t got = recv(ping, answer, sizeof answer, 0);
        if (got < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        const size_t offset = (size_t)(answer[0] & 0xfu) * 4u;
        if ((size_t)got >= offset + sizeof head) {
            memcpy(&head, answer + offset, sizeof head);
            if (head.type == ICMP_ECHOREPLY && head.un.echo.id == asked.un.echo.id &&
                head.un.echo.sequence == asked.un.echo.sequence) {
                own->answered++;
                return true;
            }
        }
    }
}

static void ping_main(void *arg)
{
    rts_pinger *own = arg;
    const struct sockaddr_in address = rts_cable_far(0);
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = RTS_CABLE_PATIENCE_MS * 1000000L};
    const bool entered = rts_cable_enter_near(own->cable);
    const int ping = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
    if (!entered || ping < 0 || connect(ping, (const struct sockaddr *)&address, sizeof address) != 0) {
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
