/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A TCP port that is taken would be exchanged for another one in silence, and a second IOC with the same names would answer half of the searches:
 * both are looked for before the servers start.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <dbAccess.h>
#include <dbStaticLib.h>
#include <envDefs.h>
#include <epicsExit.h>
#include <initHooks.h>

#include "alone.h"

static void unless_set(const char *name, const char *value)
{
    if (getenv(name) == NULL) {
        epicsEnvSet(name, value);
    }
}

void alone_defaults(void)
{
    static const char loopback[] = "127.0.0.1";
    unless_set("EPICS_CAS_INTF_ADDR_LIST", loopback);
    unless_set("EPICS_CAS_BEACON_ADDR_LIST", loopback);
    unless_set("EPICS_CAS_AUTO_BEACON_ADDR_LIST", "NO");
    unless_set("EPICS_CA_ADDR_LIST", loopback);
    unless_set("EPICS_CA_AUTO_ADDR_LIST", "NO");
    unless_set("EPICS_PVAS_INTF_ADDR_LIST", loopback);
    unless_set("EPICS_PVAS_BEACON_ADDR_LIST", loopback);
    unless_set("EPICS_PVAS_AUTO_BEACON_ADDR_LIST", "NO");
    unless_set("EPICS_PVA_ADDR_LIST", loopback);
    unless_set("EPICS_PVA_AUTO_ADDR_LIST", "NO");
}

/** The port that a server will listen to: of the first variable that is set. */
static unsigned port_of(const char *first, const char *second, unsigned otherwise)
{
    const char *text = getenv(first);
    text = text == NULL ? getenv(second) : text;
    const long port = text == NULL ? 0 : strtol(text, NULL, 10);
    return port > 0 && port < 65536 ? (unsigned)port : otherwise;
}

/** The first address that a server will listen at; any, where the list is empty or no plain address. */
static struct sockaddr_in address_of(const char *list, unsigned port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    char first[32] = "";
    const char *const text = getenv(list);
    address.sin_addr.s_addr = htonl(INADDR_ANY);
    if (text != NULL && sscanf(text, " %31[0-9.]", first) == 1) {
        (void)inet_pton(AF_INET, first, &address.sin_addr);
    }
    return address;
}

/** What hinders a server from listening there: an errno value, or 0. */
static int obstacle(const struct sockaddr_in *address)
{
    const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    /* As servers do it: connections that have just ended do not count. */
    (void)setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const int taken = bind(probe, (const struct sockaddr *)address, sizeof *address) != 0 ? errno : 0;
    const int deaf = taken == 0 && listen(probe, 1) != 0 ? errno : taken;
    (void)close(probe);
    return deaf;
}

/* Channel Access, protocol 4.13: a header of 16 bytes, big-endian: command, size of the payload, type, count, two parameters. */
#define CA_VERSION 0u
#define CA_SEARCH 6u
#define CA_MINOR 13u
#define CA_DONT_REPLY 5u

static size_t put_header(uint8_t *to, unsigned command, size_t size, unsigned type, unsigned count, uint32_t id)
{
    const uint16_t words[4] = {htons((uint16_t)command), htons((uint16_t)size), htons((uint16_t)type),
                               htons((uint16_t)count)};
    const uint32_t parameters[2] = {htonl(id), htonl(id)};
    memcpy(to, words, sizeof words);
    memcpy(to + sizeof words, parameters, sizeof parameters);
    return sizeof words + sizeof parameters;
}

/** True if somebody at that address answers for the name. */
static int is_served(const struct sockaddr_in *server, const char *name)
{
    uint8_t packet[128] = {0};
    const size_t length = strlen(name) + 1u;
    const size_t padded = (length + 7u) & ~(size_t)7u;
    if (padded > sizeof packet - 32u) {
        return 0;
    }
    size_t size = put_header(packet, CA_VERSION, 0, 0, CA_MINOR, 0);
    size += put_header(packet + size, CA_SEARCH, padded, CA_DONT_REPLY, CA_MINOR, 1);
    memcpy(packet + size, name, length);
    size += padded;

    struct sockaddr_in to = *server;
    if (to.sin_addr.s_addr == htonl(INADDR_ANY)) {
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    }
    const int asker = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const struct timeval patience = {.tv_sec = 0, .tv_usec = 200000};
    (void)setsockopt(asker, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    int served = 0;
    if (sendto(asker, packet, size, 0, (const struct sockaddr *)&to, sizeof to) == (ssize_t)size) {
        uint8_t answer[256];
        const ssize_t got = recv(asker, answer, sizeof answer, 0);
        for (ssize_t at = 0; at + 16 <= got && !served; at += 16 + (answer[at + 2] << 8 | answer[at + 3])) {
            served = answer[at] == 0 && answer[at + 1] == CA_SEARCH;
        }
    }
    (void)close(asker);
    return served;
}

/** Name of the first record of the database; empty if it has no record. */
static void first_record(char *name, size_t room)
{
    DBENTRY entry;
    dbInitEntry(pdbbase, &entry);
    name[0] = '\0';
    for (long type = dbFirstRecordType(&entry); type == 0; type = dbNextRecordType(&entry)) {
        if (dbFirstRecord(&entry) == 0) {
            (void)snprintf(name, room, "%s", dbGetRecordName(&entry));
            break;
        }
    }
    dbFinishEntry(&entry);
}

/** Ends the program if another one listens there, or nobody can. */
static void demand(const struct sockaddr_in *address, const char *list, const char *variable, const char *option)
{
    char where[INET_ADDRSTRLEN];
    const int error = obstacle(address);
    (void)inet_ntop(AF_INET, &address->sin_addr, where, sizeof where);
    if (error == EADDRNOTAVAIL) { /* base would try for a minute */
        (void)fprintf(stderr, "rtstone-ioc: this machine has no interface with the address %s: see %s\n", where, list);
        epicsExit(3);
    }
    if (error == EADDRINUSE) {
        (void)fprintf(stderr,
                      "rtstone-ioc: port %u of %s is in use by another program: set %s to another (rtstone ioc: %s)\n",
                      ntohs(address->sin_port), where, variable, option);
        epicsExit(3);
    }
}

void alone_check_pv_access(void)
{
    const unsigned port = port_of("EPICS_PVAS_SERVER_PORT", "EPICS_PVA_SERVER_PORT", 5075);
    const struct sockaddr_in address = address_of("EPICS_PVAS_INTF_ADDR_LIST", port);
    demand(&address, "EPICS_PVAS_INTF_ADDR_LIST", "EPICS_PVA_SERVER_PORT", "--pva-port");
}

static void check(initHookState state)
{
    if (state != initHookAtIocBuild) {
        return;
    }
    char name[64];
    char where[INET_ADDRSTRLEN];
    const unsigned ca = port_of("EPICS_CAS_SERVER_PORT", "EPICS_CA_SERVER_PORT", 5064);
    const struct sockaddr_in ca_address = address_of("EPICS_CAS_INTF_ADDR_LIST", ca);
    first_record(name, sizeof name);
    (void)inet_ntop(AF_INET, &ca_address.sin_addr, where, sizeof where);
    if (name[0] != '\0' && is_served(&ca_address, name)) {
        (void)fprintf(
            stderr,
            "rtstone-ioc: '%s' is served at %s port %u already: another IOC with these names is running; end it, "
            "or choose another prefix and another EPICS_CA_SERVER_PORT (rtstone ioc: --prefix, --port)\n",
            name, where, ca);
        epicsExit(3);
    }
    demand(&ca_address, "EPICS_CAS_INTF_ADDR_LIST", "EPICS_CA_SERVER_PORT", "--port");
}

void alone_check_at_init(void)
{
    (void)initHookRegister(check);
}
