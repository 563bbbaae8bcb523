/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A link within one machine: two network name spaces joined by a veth pair (veth(4), rtnetlink(7)). Both belong to processes of the engine, so that
 * nothing of them is seen from outside and nothing is left when those have ended, however they did.
 */
#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "network.h"

bool net_unshare(void)
{
    if (unshare(CLONE_NEWNET) == 0) {
        return true;
    }
    return errno == EPERM && unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
}

/** A netlink request that grows by attributes. */
typedef struct request {
    struct nlmsghdr head;
    struct ifinfomsg link;
    unsigned char rest[256];
} request;

static void *end_of(request *message)
{
    return (unsigned char *)message + NLMSG_ALIGN(message->head.nlmsg_len);
}

static struct rtattr *add(request *message, unsigned short type, const void *bytes, size_t count)
{
    struct rtattr *const made = end_of(message);
    made->rta_type = type;
    made->rta_len = (unsigned short)RTA_LENGTH(count);
    if (count > 0) {
        memcpy(RTA_DATA(made), bytes, count);
    }
    message->head.nlmsg_len = (uint32_t)(NLMSG_ALIGN(message->head.nlmsg_len) + RTA_ALIGN(made->rta_len));
    return made;
}

static void close_nest(request *message, struct rtattr *nest)
{
    nest->rta_len = (unsigned short)((unsigned char *)end_of(message) - (unsigned char *)nest);
}

static bool ask(const request *message)
{
    struct {
        struct nlmsghdr head;
        struct nlmsgerr error;
        char rest[512];
    } reply;
    const int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (netlink < 0) {
        return false;
    }
    const bool answered = send(netlink, message, message->head.nlmsg_len, 0) == (ssize_t)message->head.nlmsg_len &&
                          recv(netlink, &reply, sizeof reply, 0) >= (ssize_t)(sizeof reply.head + sizeof(int)) &&
                          reply.head.nlmsg_type == NLMSG_ERROR;
    (void)close(netlink);
    if (answered && reply.error.error != 0) {
        errno = -reply.error.error;
    }
    return answered && reply.error.error == 0;
}

bool net_link_make(const char *here, const char *there, int process)
{
    const struct ifinfomsg other = {.ifi_family = AF_UNSPEC};
    const uint32_t pid = (uint32_t)process;
    request message;
    memset(&message, 0, sizeof message);
    message.head.nlmsg_len = NLMSG_LENGTH(sizeof message.link);
    message.head.nlmsg_type = RTM_NEWLINK;
    message.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL;
    (void)add(&message, IFLA_IFNAME, here, strlen(here) + 1u);
    struct rtattr *const info = add(&message, IFLA_LINKINFO, NULL, 0);
    (void)add(&message, IFLA_INFO_KIND, "veth", 4);
    struct rtattr *const data = add(&message, IFLA_INFO_DATA, NULL, 0);
    struct rtattr *const peer = add(&message, VETH_INFO_PEER, &other, sizeof other);
    (void)add(&message, IFLA_IFNAME, there, strlen(there) + 1u);
    (void)add(&message, IFLA_NET_NS_PID, &pid, sizeof pid);
    close_nest(&message, peer);
    close_nest(&message, data);
    close_nest(&message, info);
    return ask(&message);
}
