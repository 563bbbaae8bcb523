/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SLAC's load within one machine: two network devices joined by a cable, each in a name space of its own; flood ping from one to the
 * other, and a program of low priority that copies a TCP stream of characters to a serial line. All through the devices' interrupts.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "links.h"
#include "programs.h"

#define NEAR 0x0a570001u /* 10.87.0.1 */
#define FAR 0x0a570002u
#define CHARGEN 19
#define PINGERS 8u
#define ECHO_BYTES 64u
#define PATIENCE_MS 10 /* flood ping sends when the answer has come, and a hundred times a second at least */
#define SET_UP_S 20u

/** A process of the load. */
typedef struct part {
    struct rts_thread thread;
    struct network *load;
    uint32_t number;
    bool made;
    uint64_t sent;
    uint64_t answered;
} part;

typedef struct network {
    _Atomic bool stop;
    _Atomic int far_process; /**< its name space is made */
    _Atomic bool far_is_up;
    _Atomic bool failed;
    link_names names;
    int line;
    part far_end;
    part copier;
    part pingers[PINGERS];
    uint32_t running;
    _Atomic uint64_t copied;
    uint64_t sent_before; /**< while it was set up */
    uint64_t answered_before;
    uint64_t copied_before;
    uint64_t interrupts[3];
    rts_ticks began;
    rts_ticks ended;
} network;

_Static_assert(sizeof(network) <= RTS_LOAD_STATE_BYTES, "the state of the load does not fit");

static bool over(const network *own)
{
    return atomic_load_explicit(&own->stop, memory_order_relaxed);
}

static void limit_waits(int socket_)
{
    const struct timeval patience = {.tv_sec = 0, .tv_usec = PATIENCE_MS * 1000L};
    (void)setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

static struct sockaddr_in far_address(void)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(CHARGEN), .sin_addr.s_addr = htonl(FAR)};
    return address;
}

/* ---- the far end: a name space, and the character generator of RFC 864 --------------------------------------- */

static void generate(network *own, int stream)
{
    char line[74];
    unsigned first = 0;
    while (!over(own)) {
        for (unsigned i = 0; i < 72u; i++) {
            line[i] = (char)(' ' + (first + i) % 95u);
        }
        line[72] = '\r';
        line[73] = '\n';
        for (size_t at = 0; at < sizeof line && !over(own);) {
            const ssize_t sent = send(stream, line + at, sizeof line - at, MSG_NOSIGNAL);
            if (sent < 0 && errno != EAGAIN && errno != EINTR) {
                return;
            }
            at += sent > 0 ? (size_t)sent : 0u;
        }
        first = (first + 1u) % 95u;
    }
}

static void far_main(void *arg)
{
    part *own = arg;
    network *load = own->load;
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = 1000000};
    if (unshare(CLONE_NEWNET) != 0) {
        atomic_store(&load->failed, true);
        return;
    }
    atomic_store(&load->far_process, (int)getpid());
    while (!over(load) && !link_exists(load->names.far_name)) {
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
    }
    const int one = 1;
    const struct sockaddr_in address = far_address();
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (over(load)) {
        return;
    }
    if (!link_up(load->names.far_name, FAR) || listener < 0 ||
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
        bind(listener, (const struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1) != 0) {
        atomic_store(&load->failed, true);
        return;
    }
    limit_waits(listener);
    atomic_store(&load->far_is_up, true);
    while (!over(load)) {
        const int stream = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (stream >= 0) {
            limit_waits(stream);
            generate(load, stream);
            (void)close(stream);
        }
    }
}

/* ---- the near end ---------------------------------------------------------------------------------------------- */

/** Writes it all, as fast as the line goes. */
static void write_line(network *own, const char *bytes, size_t count)
{
    for (size_t at = 0; at < count && !over(own);) {
        struct pollfd ready = {.fd = own->line, .events = POLLOUT};
        if (poll(&ready, 1, PATIENCE_MS) > 0) {
            const ssize_t written = write(own->line, bytes + at, count - at);
            at += written > 0 ? (size_t)written : 0u;
            atomic_fetch_add(&own->copied, written > 0 ? (uint64_t)written : 0u);
        }
    }
}

static void copy_main(void *arg)
{
    part *own = arg;
    const struct sockaddr_in address = far_address();
    const int stream = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char bytes[256];
    if (stream < 0) {
        atomic_store(&own->load->failed, true);
        return;
    }
    limit_waits(stream);
    bool connected = false;
    while (!connected && !over(own->load)) {
        connected = connect(stream, (const struct sockaddr *)&address, sizeof address) == 0 || errno == EISCONN;
    }
    while (!over(own->load)) {
        const ssize_t got = recv(stream, bytes, sizeof bytes, 0);
        write_line(own->load, bytes, got > 0 ? (size_t)got : 0u);
    }
    (void)close(stream);
}

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

static bool echo(part *own, int ping)
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
    part *own = arg;
    const struct sockaddr_in address = far_address();
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = PATIENCE_MS * 1000000L};
    const int ping = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
    if (ping < 0 || connect(ping, (const struct sockaddr *)&address, sizeof address) != 0) {
        atomic_store(&own->load->failed, true);
        return;
    }
    limit_waits(ping);
    while (!over(own->load)) {
        if (!echo(own, ping)) {
            (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
        }
    }
    (void)close(ping);
}

/* ---- start and stop -------------------------------------------------------------------------------------------- */

static void read_interrupts(const network *own, uint64_t *counts)
{
    const char *const line = strrchr(own->names.line, '/');
    counts[0] = link_interrupts(own->names.near_name);
    counts[1] = link_interrupts(own->names.far_name);
    counts[2] = link_interrupts(line == NULL ? own->names.line : line + 1);
}

static bool open_line(network *own)
{
    struct termios raw;
    own->line = open(own->names.line, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (own->line < 0 || tcgetattr(own->line, &raw) != 0) {
        return false;
    }
    raw.c_iflag = 0;
    raw.c_oflag = 0;
    raw.c_lflag = 0;
    raw.c_cflag = CS8 | CREAD | CLOCAL;
    return cfsetspeed(&raw, B115200) == 0 && tcsetattr(own->line, TCSANOW, &raw) == 0;
}

static rts_status make(network *own, part *one, void (*entry)(void *), int32_t cpu)
{
    const rts_thread_attr attr = {
        .name = "load",
        .priority = RTS_PRIORITY_LOAD,
        .sched = RTS_SCHED_RT, /* whose lowest priority is that of ordinary programs */
        .space = RTS_SPACE_OWN,
        .cpu = cpu,
    };
    one->load = own;
    const rts_status status = rts_port_thread_create(&one->thread, &attr, entry, one);
    one->made = status == RTS_OK;
    return status;
}

static bool near_end_exists(const network *own)
{
    /* When a far end is gone, its device comes back; that takes the kernel a while. */
    return link_exists(own->names.far_name) && link_exists(own->names.near_name);
}

static bool far_is_made(const network *own)
{
    return atomic_load(&own->far_process) != 0;
}

static bool far_is_up(const network *own)
{
    return atomic_load(&own->far_is_up) && link_runs(own->names.near_name);
}

static bool everything_flows(const network *own)
{
    bool answered = true;
    for (uint32_t i = 0; i < own->running; i++) {
        answered = answered && __atomic_load_n(&own->pingers[i].answered, __ATOMIC_RELAXED) > 0;
    }
    return answered && atomic_load(&own->copied) > 0;
}

/** Waits until it holds. RTS_FAILED when it does not within SET_UP_S seconds. */
static rts_status until(const network *own, bool (*holds)(const network *own))
{
    rts_clock_info clock;
    if (rts_port_clock_info(&clock) != RTS_OK) {
        return RTS_BROKEN;
    }
    for (uint32_t tries = 0; tries < SET_UP_S * 100u; tries++) {
        if (holds(own)) {
            return RTS_OK;
        }
        if (atomic_load(&own->failed)) {
            return RTS_FAILED;
        }
        (void)rts_port_sleep_until(rts_clock_read() + clock.hz / 100u);
    }
    return RTS_FAILED;
}

static void end(part *one)
{
    if (one->made && rts_port_thread_join(&one->thread) != RTS_OK) {
        rts_port_fatal("a program of the load cannot be ended");
    }
    one->made = false;
}

static void stop(void *arg)
{
    network *own = arg;
    uint64_t now[3];
    own->ended = rts_clock_read();
    read_interrupts(own, now);
    for (size_t i = 0; i < 3u; i++) {
        own->interrupts[i] = now[i] - own->interrupts[i];
    }
    atomic_store(&own->stop, true);
    for (uint32_t i = 0; i < PINGERS; i++) {
        end(&own->pingers[i]);
    }
    end(&own->copier);
    end(&own->far_end);
    if (own->line >= 0) {
        (void)tcflush(own->line, TCOFLUSH); /* or closing would wait for it */
        (void)close(own->line);
        own->line = -1;
    }
}

/** Parts the two ends and joins them by the cable only. */
static rts_status set_up(network *own, int32_t cpu)
{
    rts_status status = until(own, near_end_exists);
    if (status == RTS_OK) {
        status = make(own, &own->far_end, far_main, cpu);
    }
    if (status == RTS_OK) {
        status = until(own, far_is_made);
    }
    if (status == RTS_OK && (!link_move(own->names.far_name, (pid_t)atomic_load(&own->far_process)) ||
                             !link_up(own->names.near_name, NEAR) || !open_line(own))) {
        status = RTS_FAILED;
    }
    return status == RTS_OK ? until(own, far_is_up) : status;
}

static void sum_pings(const network *own, uint64_t *sent, uint64_t *answered)
{
    *sent = 0;
    *answered = 0;
    for (uint32_t i = 0; i < own->running; i++) {
        *sent += __atomic_load_n(&own->pingers[i].sent, __ATOMIC_RELAXED);
        *answered += __atomic_load_n(&own->pingers[i].answered, __ATOMIC_RELAXED);
    }
}

static rts_status start(void *arg, const rts_load_spec *spec)
{
    network *own = arg;
    *own = (network){.line = -1};
    if (spec->intensity > PINGERS) {
        return RTS_INVALID;
    }
    if (!link_names_read(&own->names)) {
        return RTS_UNSUPPORTED;
    }
    if (spec->intensity == 0) {
        own->began = rts_clock_read();
        return RTS_OK;
    }
    rts_status status = set_up(own, spec->cpu);
    if (status == RTS_OK) {
        status = make(own, &own->copier, copy_main, spec->cpu);
    }
    for (uint32_t i = 0; i < spec->intensity && status == RTS_OK; i++) {
        own->pingers[i].number = i;
        status = make(own, &own->pingers[i], ping_main, spec->cpu);
        own->running += status == RTS_OK ? 1u : 0u;
    }
    if (status == RTS_OK) {
        status = until(own, everything_flows);
    }
    if (status != RTS_OK) {
        stop(own);
        return status;
    }
    read_interrupts(own, own->interrupts);
    sum_pings(own, &own->sent_before, &own->answered_before);
    own->copied_before = atomic_load(&own->copied);
    own->began = rts_clock_read();
    return RTS_OK;
}

static uint64_t per_second(uint64_t count, uint64_t elapsed_ns)
{
    return elapsed_ns < 1000u ? 0 : (count * 1000000u + elapsed_ns / 2000u) / (elapsed_ns / 1000u);
}

static void achieved(void *arg, rts_load_fact_fn fact, void *fact_arg)
{
    network *own = arg;
    const uint64_t elapsed_ns = rts_programs_ns(own->ended - own->began);
    uint64_t sent = 0;
    uint64_t answered = 0;
    sum_pings(own, &sent, &answered);
    fact(fact_arg, "pings_sent", sent - own->sent_before);
    fact(fact_arg, "pings_answered", answered - own->answered_before);
    fact(fact_arg, "bytes_copied", atomic_load(&own->copied) - own->copied_before);
    fact(fact_arg, "near_interrupts", own->interrupts[0]);
    fact(fact_arg, "far_interrupts", own->interrupts[1]);
    fact(fact_arg, "line_interrupts", own->interrupts[2]);
    fact(fact_arg, "near_interrupts_per_s", per_second(own->interrupts[0], elapsed_ns));
    fact(fact_arg, "far_interrupts_per_s", per_second(own->interrupts[1], elapsed_ns));
    fact(fact_arg, "line_interrupts_per_s", per_second(own->interrupts[2], elapsed_ns));
    fact(fact_arg, "elapsed_ns", elapsed_ns);
}

const rts_load rts_load_network = {
    .name = "network",
    .summary =
        "Linux only: flood ping between two network devices of this machine; a TCP stream copied to a serial line",
    .unit = "flood pings at a time",
    .services = 1u << RTS_SERVICE_PROCESSES,
    .state_bytes = sizeof(network),
    .needs =
        "no network devices are set aside for it on the kernel's command line (rtstone.network=near,far,line), as the boards' are",
    .start = start,
    .stop = stop,
    .achieved = achieved,
};
