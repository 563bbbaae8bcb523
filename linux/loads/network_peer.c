/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SLAC's load as the paper had it: another host (`rtstone peer`) floods this one with echo requests, and a program of low priority copies the
 * characters that come from it over TCP to this machine's serial console.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "../files.h"
#include "../measurements/network.h"
#include "../numbers.h"
#include "boot_number.h"
#include "characters.h"
#include "programs.h"

typedef struct network_peer {
    rts_cable cable;
    rts_characters characters;
    net_end end;
    int stream;
    uint64_t machine;
    uint64_t echoes; /**< that this kernel was asked for, by all hosts */
    _Atomic uint64_t received;
    _Atomic bool cut; /**< the stream ended before the stop */
    bool told;        /**< the peer's account has come */
    uint64_t sent;
    uint64_t answered;
    uint64_t bytes;
    uint64_t lasted_ns;
} network_peer;

_Static_assert(sizeof(network_peer) <= RTS_LOAD_STATE_BYTES, "the state of the load does not fit");

static char why[RTS_LOAD_WHY_BYTES];
static char what[RTS_LOAD_WHY_BYTES];

static bool is_elsewhere(const network_peer *own)
{
    return own->machine != rts_boot_number();
}

/* ---- the serial line ------------------------------------------------------------------------------------------- */

/** Of the kernel's consoles the last that is a serial line ("tty0 ttyS0"); RTSTONE_SERIAL names another one. */
static void name_line(char *path, size_t room)
{
    const char *const asked = getenv("RTSTONE_SERIAL");
    char consoles[128];
    char *rest = NULL;
    path[0] = '\0';
    if (asked != NULL && asked[0] != '\0') {
        (void)snprintf(path, room, "%s", asked);
        return;
    }
    (void)rts_linux_line("/sys/class/tty/console/active", consoles, sizeof consoles);
    for (const char *one = strtok_r(consoles, " ", &rest); one != NULL; one = strtok_r(NULL, " ", &rest)) {
        if (strncmp(one, "tty", 3) == 0 && (one[3] < '0' || one[3] > '9')) {
            (void)snprintf(path, room, "/dev/%s", one);
        }
    }
}

/** Its settings stay as they are: it is the machine's. A line without hardware takes nothing. */
static bool open_line(network_peer *own)
{
    name_line(own->cable.names.line, sizeof own->cable.names.line);
    own->characters.line = open(own->cable.names.line, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (own->characters.line >= 0 && isatty(own->characters.line) && write(own->characters.line, "\r\n", 2) == 2) {
        return true;
    }
    if (own->characters.line >= 0) {
        (void)close(own->characters.line);
    }
    return false;
}

static rts_status open_terminal(network_peer *own, int32_t cpu)
{
    struct termios raw;
    const rts_status status = rts_cable_terminal(&own->cable, cpu);
    own->characters.line = open(own->cable.names.line, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    own->cable.names.line[0] = '\0'; /* nothing of it interrupts */
    if (status != RTS_OK || own->characters.line < 0 || tcgetattr(own->characters.line, &raw) != 0) {
        return RTS_FAILED;
    }
    cfmakeraw(&raw);
    return tcsetattr(own->characters.line, TCSANOW, &raw) == 0 ? RTS_OK : RTS_FAILED;
}

/* ---- the stream ------------------------------------------------------------------------------------------------ */

static void copier_main(void *arg)
{
    network_peer *own = arg;
    char bytes[256];
    rts_cable_limit_waits(own->stream);
    while (!rts_cable_over(&own->cable)) {
        const ssize_t got = recv(own->stream, bytes, sizeof bytes, 0);
        if (got == 0) {
            atomic_store(&own->cut, true);
            return;
        }
        atomic_fetch_add(&own->received, got > 0 ? (uint64_t)got : 0u);
        rts_characters_write(&own->characters, bytes, got > 0 ? (size_t)got : 0u);
    }
}

static bool flows(const void *arg)
{
    const network_peer *own = arg;
    return rts_characters_flow(&own->characters) || atomic_load(&own->cut);
}

/** Echo requests that this kernel has taken: the ninth of the numbers that /proc/net/snmp has of ICMP. */
static uint64_t echoes_taken(void)
{
    FILE *const file = fopen("/proc/net/snmp", "re");
    char line[1024];
    uint64_t v[9] = {0};
    while (file != NULL && fgets(line, sizeof line, file) != NULL && !rts_linux_numbers(line, "Icmp:", 9, v)) {
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return v[8];
}

/** The interface that has this address. */
static void name_interface(uint32_t address, char *name, size_t room)
{
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all) != 0) {
        return;
    }
    for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
        const struct sockaddr_in *of = (const void *)one->ifa_addr;
        if (of != NULL && of->sin_family == AF_INET && ntohl(of->sin_addr.s_addr) == address) {
            (void)snprintf(name, room, "%s", one->ifa_name);
        }
    }
    freeifaddrs(all);
}

/** Asks the peer for the load and connects to its characters. */
static rts_status ask(network_peer *own, uint32_t pings)
{
    char line[NET_LINE_BYTES];
    uint64_t port = 0;
    uint16_t here = 0;
    const net_spec spec = {.protocol = NET_TCP, .window = NET_STREAM_BYTES};
    const rts_status status = net_meet_peer(&own->end, &own->machine, why, sizeof why);
    if (status != RTS_OK) {
        return status;
    }
    if (own->machine == 0u) {
        (void)snprintf(why, sizeof why,
                       "the rtstone peer there is an older one, which makes no load; remedy: the same release at both "
                       "ends");
        return RTS_FAILED;
    }
    if (!net_line_write(own->end.control, "load %u\n", pings) || !net_line_read(own->end.control, line) ||
        !rts_linux_numbers(line, "ready", 1, &port) || port > UINT16_MAX) {
        const bool said = strncmp(line, "error ", 6) == 0;
        (void)snprintf(why, sizeof why, "the peer makes no load: %.200s", said ? line + 6 : "it does not answer");
        return RTS_FAILED;
    }
    own->stream = net_socket(&spec, own->end.own, &here);
    if (own->stream < 0 || !net_connect(own->stream, own->end.other, (uint16_t)port)) {
        (void)snprintf(why, sizeof why, "the peer's stream of characters, its port %u, is not reached (a firewall?)",
                       (unsigned)port);
        return RTS_FAILED;
    }
    return RTS_OK;
}

/** Takes what has come of the stream after the stop, and the peer's account. */
static void settle(network_peer *own)
{
    char bytes[4096];
    char line[NET_LINE_BYTES];
    uint64_t v[4];
    if (own->stream < 0 || !net_line_write(own->end.control, "stop\n")) {
        return;
    }
    net_patience(own->stream);
    for (ssize_t got = 1; got > 0 || (got < 0 && errno == EINTR);) {
        got = recv(own->stream, bytes, sizeof bytes, 0);
        atomic_fetch_add(&own->received, got > 0 ? (uint64_t)got : 0u);
    }
    own->told = net_line_read(own->end.control, line) && rts_linux_numbers(line, "done", 4, v);
    if (own->told) {
        own->sent = v[0];
        own->answered = v[1];
        own->bytes = v[2];
        own->lasted_ns = v[3];
    }
}

static void shut(int *file)
{
    if (*file >= 0) {
        (void)close(*file);
    }
    *file = -1;
}

static void stop(void *arg)
{
    network_peer *own = arg;
    rts_cable_stop(&own->cable);
    rts_cable_end(&own->characters.copier);
    settle(own);
    own->echoes = echoes_taken() - own->echoes;
    rts_characters_end(&own->characters);
    rts_cable_close(&own->cable);
    shut(&own->stream);
    shut(&own->end.control);
}

static rts_status start(void *arg, const rts_load_spec *spec)
{
    network_peer *own = arg;
    why[0] = '\0';
    *own = (network_peer){.characters = {.line = -1},
                          .cable = {.terminal = -1, .is_outside = true},
                          .end = {.control = -1},
                          .stream = -1};
    own->characters.cable = &own->cable;
    if (spec->intensity > NET_PINGS) {
        return RTS_INVALID;
    }
    own->echoes = echoes_taken();
    rts_cable_begin(&own->cable);
    if (spec->intensity == 0) {
        return RTS_OK;
    }
    rts_status status = ask(own, spec->intensity);
    const bool serial = status == RTS_OK && open_line(own);
    if (status == RTS_OK && !serial) {
        status = open_terminal(own, spec->cpu);
    }
    if (status == RTS_OK) {
        name_interface(own->end.own, own->cable.names.near_name, sizeof own->cable.names.near_name);
        (void)snprintf(what, sizeof what, "echo requests and characters from %s, copied to %s",
                       is_elsewhere(own) ? "another machine" : "a peer on this machine",
                       serial ? own->cable.names.line
                              : "a pseudo-terminal: no serial line of this machine may be written");
        rts_cable_begin(&own->cable);
        status = rts_cable_make(&own->characters.copier, copier_main, own, spec->cpu);
    }
    if (status == RTS_OK) {
        status = rts_cable_until(&own->cable, flows, own);
    }
    if (status != RTS_OK) {
        stop(own);
    }
    return status;
}

static uint64_t faults(const void *arg)
{
    const network_peer *own = arg;
    if (own->end.other == 0u) {
        return 0; /* none was asked for */
    }
    return (own->told ? 0u : 1u) + (atomic_load(&own->cut) ? 1u : 0u) +
           (own->told && own->bytes != atomic_load(&own->received) ? 1u : 0u);
}

static void achieved(void *arg, rts_load_fact_fn fact, void *fact_arg)
{
    const network_peer *own = arg;
    fact(fact_arg, "pings_sent", own->sent);
    fact(fact_arg, "pings_answered", own->answered);
    fact(fact_arg, "pings_taken", own->echoes);
    fact(fact_arg, "pings_per_s", rts_load_per_s(own->sent, own->lasted_ns));
    fact(fact_arg, "bytes_sent", own->bytes);
    fact(fact_arg, "bytes_received", atomic_load(&own->received));
    fact(fact_arg, "bytes_copied", atomic_load(&own->characters.copied));
    fact(fact_arg, "peer_elsewhere", own->machine != 0u && is_elsewhere(own) ? 1u : 0u);
    fact(fact_arg, "serial_line", own->cable.names.line[0] != '\0' ? 1u : 0u);
    rts_cable_achieved(&own->cable, fact, fact_arg);
}

static const char *why_not(const void *state)
{
    (void)state;
    return why[0] == '\0' ? NULL : why;
}

static const char *remark(const void *state)
{
    (void)state;
    return what[0] == '\0' ? NULL : what;
}

const rts_load rts_load_network_peer = {
    .name = "network-peer",
    .summary =
        "Linux only: flood ping and a stream of characters from another host (--peer), copied to the serial console",
    .unit = "flood pings at a time",
    .services = 1u << RTS_SERVICE_PROGRAMS,
    .state_bytes = sizeof(network_peer),
    .needs = "no other host is given (--peer)",
    .start = start,
    .stop = stop,
    .achieved = achieved,
    .why = why_not,
    .remark = remark,
    .faults = faults,
};
