/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Brings a network device up (netdevice(7)) and waits for the guest at the other end, which boots as slowly as this one.
 */
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define PEER_PORT 5741 /* NET_PORT of the engine (linux/measurements/network.h) */
#define PATIENCE_S 120 /* another guest boots in seconds, on a busy host in many */

static time_t now_s(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/** A tenth of a second, until there is no time left. */
static bool rest(time_t until_s)
{
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = 100000000};
    (void)nanosleep(&moment, NULL);
    return now_s() < until_s;
}

static bool set_address(int any, struct ifreq *request, unsigned long command, struct in_addr address)
{
    const struct sockaddr_in value = {.sin_family = AF_INET, .sin_addr = address};
    memcpy(&request->ifr_addr, &value, sizeof value);
    return ioctl(any, command, request) == 0;
}

static bool has_carrier(int any, struct ifreq *request)
{
    const time_t until_s = now_s() + PATIENCE_S;
    do {
        if (ioctl(any, SIOCGIFFLAGS, request) != 0) {
            return false;
        }
        if ((request->ifr_flags & IFF_RUNNING) != 0) {
            return true;
        }
    } while (rest(until_s));
    errno = ENETDOWN;
    return false;
}

bool guest_loopback_up(void)
{
    struct ifreq request = {.ifr_name = "lo"};
    const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool up = any >= 0 && ioctl(any, SIOCGIFFLAGS, &request) == 0;
    if (up) {
        request.ifr_flags = (short)(request.ifr_flags | IFF_UP);
        up = ioctl(any, SIOCSIFFLAGS, &request) == 0;
    }
    if (any >= 0) {
        const int why = errno;
        (void)close(any);
        errno = why;
    }
    return up;
}

bool guest_wire_up(const char *device_and_address)
{
    struct ifreq request;
    struct in_addr address;
    const char *const comma = strchr(device_and_address, ',');
    memset(&request, 0, sizeof request);
    if (comma == NULL || (size_t)(comma - device_and_address) >= sizeof request.ifr_name ||
        inet_pton(AF_INET, comma + 1, &address) != 1) {
        errno = EINVAL;
        return false;
    }
    memcpy(request.ifr_name, device_and_address, (size_t)(comma - device_and_address));
    const struct in_addr mask = {.s_addr = htonl(0xffffff00u)};
    const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool up = any >= 0 && set_address(any, &request, SIOCSIFADDR, address) &&
              set_address(any, &request, SIOCSIFNETMASK, mask) && ioctl(any, SIOCGIFFLAGS, &request) == 0;
    if (up) {
        request.ifr_flags = (short)(request.ifr_flags | IFF_UP);
        up = ioctl(any, SIOCSIFFLAGS, &request) == 0 && has_carrier(any, &request);
    }
    if (any >= 0) {
        const int why = errno;
        (void)close(any);
        errno = why;
    }
    return up;
}

bool guest_wire_answers(const char *address)
{
    const struct timeval patience = {.tv_sec = 1, .tv_usec = 0};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PEER_PORT)};
    if (inet_pton(AF_INET, address, &to.sin_addr) != 1) {
        errno = EINVAL;
        return false;
    }
    const time_t until_s = now_s() + PATIENCE_S;
    int why = 0;
    do {
        char greeting = '\0';
        const int peer = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        (void)setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        (void)setsockopt(peer, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        const bool answers =
            connect(peer, (const struct sockaddr *)&to, sizeof to) == 0 && recv(peer, &greeting, 1, 0) == 1;
        why = errno;
        (void)close(peer);
        if (answers) {
            return true;
        }
    } while (rest(until_s));
    errno = why;
    return false;
}
