/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Network interfaces, by ioctl and rtnetlink (netdevice(7), rtnetlink(7)), and counts of /proc/interrupts.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "links.h"

static bool take_word(const char **at, char *word, size_t room)
{
    const size_t length = strcspn(*at, ", \n");
    if (length == 0 || length >= room) {
        return false;
    }
    memcpy(word, *at, length);
    word[length] = '\0';
    *at += length + ((*at)[length] == ',' ? 1u : 0u);
    return true;
}

/** What follows `key` on the kernel's command line, in `text`; NULL if it is not there. */
static const char *command_line_after(const char *key, char *text, size_t room)
{
    const int file = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? -1 : read(file, text, room - 1u);
    if (file >= 0) {
        (void)close(file);
    }
    text[got > 0 ? got : 0] = '\0';
    const char *const at = strstr(text, key);
    return at == NULL ? NULL : at + strlen(key);
}

bool link_names_read(link_names *names)
{
    char text[4096];
    const char *at = command_line_after("rtstone.network=", text, sizeof text);
    return at != NULL && take_word(&at, names->near_name, sizeof names->near_name) &&
           take_word(&at, names->far_name, sizeof names->far_name) && take_word(&at, names->line, sizeof names->line);
}

bool link_outside_read(link_names *names)
{
    char text[4096];
    const char *at = command_line_after("rtstone.outside=", text, sizeof text);
    memset(names, 0, sizeof *names);
    return at != NULL && take_word(&at, names->near_name, sizeof names->near_name);
}

bool link_exists(const char *name)
{
    return if_nametoindex(name) != 0;
}

bool link_move(const char *name, pid_t process)
{
    struct {
        struct nlmsghdr head;
        struct ifinfomsg link;
        struct rtattr attribute;
        uint32_t process;
    } request;
    struct {
        struct nlmsghdr head;
        struct nlmsgerr error;
        char rest[256];
    } reply;
    memset(&request, 0, sizeof request);
    request.head.nlmsg_len = sizeof request;
    request.head.nlmsg_type = RTM_NEWLINK;
    request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
    request.link.ifi_index = (int)if_nametoindex(name);
    request.attribute.rta_type = IFLA_NET_NS_PID;
    request.attribute.rta_len = RTA_LENGTH(sizeof request.process);
    request.process = (uint32_t)process;
    const int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (netlink < 0) {
        return false;
    }
    const bool moved = send(netlink, &request, sizeof request, 0) == (ssize_t)sizeof request &&
                       recv(netlink, &reply, sizeof reply, 0) >= (ssize_t)(sizeof reply.head + sizeof(int)) &&
                       reply.head.nlmsg_type == NLMSG_ERROR && reply.error.error == 0;
    (void)close(netlink);
    return moved;
}

static bool control(unsigned long command, struct ifreq *request)
{
    const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (any < 0) {
        return false;
    }
    const bool done = ioctl(any, command, request) == 0;
    (void)close(any);
    return done;
}

static bool set_address(const char *name, unsigned long command, uint32_t address)
{
    struct ifreq request;
    memset(&request, 0, sizeof request);
    (void)snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    const struct sockaddr_in value = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};
    memcpy(&request.ifr_addr, &value, sizeof value);
    return control(command, &request);
}

static bool flags(const char *name, short *value)
{
    struct ifreq request;
    memset(&request, 0, sizeof request);
    (void)snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    if (!control(SIOCGIFFLAGS, &request)) {
        return false;
    }
    *value = request.ifr_flags;
    return true;
}

bool link_up(const char *name, uint32_t address)
{
    struct ifreq request;
    short now = 0;
    if (!flags(name, &now) || !set_address(name, SIOCSIFADDR, address) ||
        !set_address(name, SIOCSIFNETMASK, 0xffffff00u)) {
        return false;
    }
    memset(&request, 0, sizeof request);
    (void)snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    request.ifr_flags = (short)(now | IFF_UP);
    return control(SIOCSIFFLAGS, &request);
}

bool link_runs(const char *name)
{
    short now = 0;
    return flags(name, &now) && (now & IFF_UP) != 0 && (now & IFF_RUNNING) != 0;
}

/** True if the last words of a line, which commas part, are or include the name. */
static bool names_device(const char *line, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = strstr(line, name); at != NULL; at = strstr(at + 1, name)) {
        const bool begins = at != line && (at[-1] == ' ' || at[-1] == '\t');
        if (begins && strchr(", \n", at[length]) != NULL) {
            return true;
        }
    }
    return false;
}

/** True if the line's interrupt is a vector of this network interface's device, or of the one that carries it (virtio). */
static bool is_vector_of(const char *line, const char *name)
{
    static const char *const places[] = {"device", "device/.."};
    char path[128];
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        (void)snprintf(path, sizeof path, "/sys/class/net/%s/%s/msi_irqs/%lu", name, places[i],
                       strtoul(line, NULL, 10));
        if (access(path, F_OK) == 0) {
            return true;
        }
    }
    return false;
}

uint64_t link_interrupts(const char *name)
{
    FILE *const file = fopen("/proc/interrupts", "re");
    char line[1024];
    uint64_t sum = 0;
    while (file != NULL && name[0] != '\0' && fgets(line, sizeof line, file) != NULL) {
        const char *at = strchr(line, ':');
        if (at == NULL || (!names_device(line, name) && !is_vector_of(line, name))) {
            continue;
        }
        at++;
        for (;;) {
            char *end = NULL;
            const unsigned long long count = strtoull(at, &end, 10);
            if (end == at) {
                break;
            }
            sum += count;
            at = end;
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return sum;
}
