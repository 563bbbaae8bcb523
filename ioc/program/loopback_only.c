/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program's own socket() stands before the C library's for all libraries that it loads.
 */
#define _DEFAULT_SOURCE /* syscall */
#include "loopback_only.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#ifdef __linux__
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool loopback_only;

/** True if a list of addresses names addresses of the loopback interface alone. */
static bool is_loopback(const char *name)
{
    const char *at = getenv(name);
    bool good = at != NULL;
    while (good && *(at += strspn(at, " \t")) != '\0') {
        good = strncmp(at, "127.", 4) == 0;
        at += strcspn(at, " \t");
    }
    return good;
}

static bool is_no(const char *name)
{
    const char *const text = getenv(name);
    return text != NULL && (strcmp(text, "NO") == 0 || strcmp(text, "no") == 0);
}

void loopback_only_begin(void)
{
    static const char *const lists[] = {"EPICS_CAS_INTF_ADDR_LIST",    "EPICS_CAS_BEACON_ADDR_LIST",
                                        "EPICS_CA_ADDR_LIST",          "EPICS_PVAS_INTF_ADDR_LIST",
                                        "EPICS_PVAS_BEACON_ADDR_LIST", "EPICS_PVA_ADDR_LIST"};
    static const char *const automatic[] = {"EPICS_CAS_AUTO_BEACON_ADDR_LIST", "EPICS_CA_AUTO_ADDR_LIST",
                                            "EPICS_PVAS_AUTO_BEACON_ADDR_LIST", "EPICS_PVA_AUTO_ADDR_LIST"};
    loopback_only = true;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        loopback_only = loopback_only && is_loopback(lists[i]);
    }
    for (size_t i = 0; i < sizeof automatic / sizeof automatic[0]; i++) {
        loopback_only = loopback_only && is_no(automatic[i]);
    }
}

int socket(int domain, int type, int protocol)
{
    const int made = (int)syscall(SYS_socket, domain, type, protocol);
    const bool udp =
        (domain == AF_INET || domain == AF_INET6) && (type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK)) == SOCK_DGRAM;
    if (made >= 0 && loopback_only && udp) {
        (void)setsockopt(made, SOL_SOCKET, SO_BINDTODEVICE, "lo", sizeof "lo");
    }
    return made;
}
#else
void loopback_only_begin(void) {}
#endif
