/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stamps of received datagrams: Documentation/networking/timestamping.rst of Linux.
 */
#include "stamps.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* What is received so long after the clock was found set was stamped after that: a socket's queue is served within milliseconds. */
#define DOUBTFUL_NS 1000000000u

static uint64_t ns_of(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * RTS_NS_PER_S + (uint64_t)time->tv_nsec;
}

bool rts_stamps_learn(rts_stamps *own, rts_ticks before, uint64_t realtime, rts_ticks after)
{
    /* A nanosecond to either side: readings are whole ones. */
    const int64_t low = (int64_t)(realtime - after) - 1;
    const int64_t high = (int64_t)(realtime - before) + 1;
    const bool stepped = own->known && (low > own->high || high < own->low);
    if (!own->known || stepped) {
        own->steps += stepped ? 1u : 0u;
        own->low = low;
        own->high = high;
        own->known = true;
        own->doubtful_until = stepped ? after + DOUBTFUL_NS : 0u;
    } else {
        own->low = low > own->low ? low : own->low;
        own->high = high < own->high ? high : own->high;
    }
    return after >= own->doubtful_until;
}

bool rts_stamps_read(rts_stamps *own)
{
    struct timespec now;
    const rts_ticks before = rts_timer_clock_read();
    (void)clock_gettime(CLOCK_REALTIME, &now);
    const rts_ticks after = rts_timer_clock_read();
    return rts_stamps_learn(own, before, ns_of(&now), after);
}

rts_ticks rts_stamps_convert(rts_stamps *own, uint64_t stamp)
{
    const uint64_t half = (uint64_t)(own->high - own->low) / 2u;
    own->widest = half > own->widest ? half : own->widest;
    return stamp - (uint64_t)own->low - half;
}

bool rts_stamps_ask(int socket_)
{
    const int wanted = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
    return setsockopt(socket_, SOL_SOCKET, SO_TIMESTAMPING, &wanted, sizeof wanted) == 0;
}

ssize_t rts_stamps_receive(int socket_, void *bytes, size_t room, int flags, rts_stamped *stamped)
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(3 * sizeof(struct timespec)) + 64];
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = room};
    struct msghdr message = {
        .msg_name = &stamped->from,
        .msg_namelen = sizeof stamped->from,
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof control,
    };
    const ssize_t got = recvmsg(socket_, &message, flags | MSG_TRUNC);
    stamped->resumed = rts_timer_clock_read();
    stamped->stamp = 0;
    for (struct cmsghdr *each = got < 0 ? NULL : CMSG_FIRSTHDR(&message); each != NULL;
         each = CMSG_NXTHDR(&message, each)) {
        if (each->cmsg_level == SOL_SOCKET && each->cmsg_type == SCM_TIMESTAMPING) {
            struct timespec software; /* the first of three; hardware's is the last */
            memcpy(&software, CMSG_DATA(each), sizeof software);
            stamped->stamp = ns_of(&software);
        }
    }
    return got;
}

const char *rts_stamps_driver(uint32_t address, char device[16])
{
    struct ethtool_ts_info info = {.cmd = ETHTOOL_GET_TS_INFO};
    struct ifreq request = {.ifr_data = (void *)&info};
    struct ifaddrs *all = NULL;
    bool known = false;
    device[0] = '\0';
    if (getifaddrs(&all) != 0) {
        return "which cannot be told";
    }
    for (const struct ifaddrs *each = all; each != NULL && !known; each = each->ifa_next) {
        if (each->ifa_addr != NULL && each->ifa_addr->sa_family == AF_INET) {
            struct sockaddr_in at;
            struct sockaddr_in mask;
            memcpy(&at, each->ifa_addr, sizeof at);
            memcpy(&mask, each->ifa_netmask, sizeof mask);
            /* All of 127.0.0.0/8 is the loopback's. */
            known = ntohl(at.sin_addr.s_addr) == address ||
                    ((each->ifa_flags & IFF_LOOPBACK) != 0 &&
                     ((ntohl(at.sin_addr.s_addr) ^ address) & ntohl(mask.sin_addr.s_addr)) == 0);
            (void)snprintf(device, 16, "%.15s", known ? each->ifa_name : "");
        }
    }
    freeifaddrs(all);
    (void)snprintf(request.ifr_name, sizeof request.ifr_name, "%s", device);
    const int asked = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool told = asked >= 0 && known && ioctl(asked, SIOCETHTOOL, &request) == 0;
    if (asked >= 0) {
        (void)close(asked);
    }
    return !told                                                        ? "which does not tell of hardware stamps"
           : (info.so_timestamping & SOF_TIMESTAMPING_RX_HARDWARE) != 0 ? "which has hardware stamps too, not used"
                                                                        : "which has no hardware stamps";
}
