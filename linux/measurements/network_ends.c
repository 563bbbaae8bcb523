/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The sender's loop and the receiver's, over TCP and UDP.
 */
#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "network.h"

#include "../numbers.h"

#define BLOCKS_A_LOOK 4 /* at the clock */

/** What every datagram begins with. */
typedef struct head {
    uint64_t cookie;
    uint64_t number;
} head;

#define PAGE 4096u

static unsigned char *memory; /* of this end: NET_BLOCK_MAX bytes from a page's boundary on */

/* Not static: every process of the engine would have it, locked, and a measured fork would copy its pages' entries. */
static bool have_memory(void)
{
    void *made = memory;
    if (made == NULL && posix_memalign(&made, PAGE, NET_BLOCK_MAX) == 0) {
        memory = memset(made, 0, NET_BLOCK_MAX);
    }
    return memory != NULL;
}

static bool send_block(int data, const net_spec *spec)
{
    for (size_t at = 0; at < spec->block;) {
        const ssize_t sent = send(data, memory + at, spec->block - at, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return false;
        }
        at += sent > 0 ? (size_t)sent : 0u;
    }
    return true;
}

static bool send_datagram(int data, const net_spec *spec, uint64_t number)
{
    const head words = {htobe64(spec->cookie), htobe64(number)};
    memcpy(memory, &words, sizeof words);
    for (;;) {
        const ssize_t sent = send(data, memory, spec->block, MSG_NOSIGNAL);
        if (sent == (ssize_t)spec->block) {
            return true;
        }
        if (sent >= 0 || (errno != EINTR && errno != ENOBUFS)) {
            return false;
        }
    }
}

/** Waits until the receiver has seen the end and closed: then all bytes have arrived. */
static bool wait_for_end(int data)
{
    char nothing;
    ssize_t got;
    if (shutdown(data, SHUT_WR) != 0) {
        return false;
    }
    do {
        got = recv(data, &nothing, sizeof nothing, 0);
    } while (got < 0 && errno == EINTR);
    return got == 0;
}

/** Blocks or datagrams, one after the other, until the time is over. */
static bool send_all(int data, const net_spec *spec, net_account *account)
{
    const uint64_t until = net_now_ns() + (uint64_t)spec->ms * 1000000u;
    const bool datagrams = spec->protocol == NET_UDP;
    bool well = true;
    do {
        for (int i = 0; i < BLOCKS_A_LOOK && well; i++) {
            well = datagrams ? send_datagram(data, spec, account->units) : send_block(data, spec);
            account->units += well ? 1u : 0u;
        }
    } while (well && net_now_ns() < until);
    return well;
}

bool net_source(int data, int control, const net_spec *spec, net_account *account)
{
    if (!have_memory()) {
        return false;
    }
    const uint64_t cpu = net_process_cpu_ns();
    const uint64_t system = net_process_system_ns();
    const uint64_t begin = net_now_ns();
    bool well = spec->loops ? net_loop_send(data, control, spec, memory, account) : send_all(data, spec, account);
    if (well && spec->protocol == NET_TCP) {
        well = wait_for_end(data);
    }
    account->elapsed_ns = net_now_ns() - begin;
    account->cpu_ns = net_process_cpu_ns() - cpu;
    account->system_ns = net_process_system_ns() - system;
    account->bytes = account->units * spec->block;
    return well;
}

static bool sink_stream(int data, int control, const net_spec *spec, net_account *account)
{
    bool ended = spec->loops;
    if (ended && !net_loop_receive(data, control, spec, memory, account)) {
        return false;
    }
    while (!ended) {
        const ssize_t got = recv(data, memory, spec->block, 0);
        if (got > 0) {
            account->bytes += (uint64_t)got;
        } else if (got < 0 && errno != EINTR) {
            return false;
        }
        ended = got == 0;
    }
    account->units = account->bytes / spec->block;
    return shutdown(data, SHUT_WR) == 0;
}

/** Takes note of a datagram. Gaps are counted where they open and closed by those that come late. */
static void note(const net_spec *spec, net_account *account, size_t bytes, uint64_t *expected)
{
    head words;
    memcpy(&words, memory, sizeof words);
    const uint64_t number = be64toh(words.number);
    if (bytes != spec->block || be64toh(words.cookie) != spec->cookie) {
        return; /* of an earlier transfer */
    }
    account->units++;
    account->bytes += bytes;
    if (number >= *expected) {
        account->lost += number - *expected;
        *expected = number + 1u;
    } else {
        account->reordered++;
        account->lost -= account->lost > 0u ? 1u : 0u;
    }
}

static bool sink_datagrams(int data, int control, const net_spec *spec, net_account *account, uint64_t *sent)
{
    const struct timeval silence = {.tv_sec = 0, .tv_usec = NET_SILENCE_MS * 1000L};
    const uint64_t patience = net_now_ns() + (uint64_t)(spec->ms + NET_PATIENCE_S * 1000u) * 1000000u;
    uint64_t expected = 0;
    uint64_t cpu_end = 0;
    bool told = false;
    (void)setsockopt(data, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence);
    for (;;) {
        const ssize_t got = recv(data, memory, NET_BLOCK_MAX, 0);
        if (got >= 0) {
            note(spec, account, (size_t)got, &expected);
            continue;
        }
        if (errno != EAGAIN && errno != EINTR) {
            return false;
        }
        cpu_end = net_process_cpu_ns();
        struct pollfd word = {.fd = control, .events = POLLIN};
        char line[NET_LINE_BYTES];
        if (told) {
            break; /* a silence after the sender said that it is done */
        }
        if (poll(&word, 1, 0) > 0) {
            if (!net_line_read(control, line) || !rts_linux_numbers(line, "sent", 1, sent)) {
                return false;
            }
            told = true;
        } else if (net_now_ns() > patience) {
            return false;
        }
    }
    account->lost += *sent > expected ? *sent - expected : 0u;
    account->cpu_ns = cpu_end;
    return true;
}

bool net_sink(int data, int control, const net_spec *spec, net_account *account, uint64_t *sent)
{
    if (!have_memory()) {
        return false;
    }
    const uint64_t cpu = net_process_cpu_ns();
    const uint64_t system = net_process_system_ns();
    const uint64_t begin = net_now_ns();
    char line[NET_LINE_BYTES];
    bool well;
    if (spec->protocol == NET_UDP) {
        well = sink_datagrams(data, control, spec, account, sent);
        account->cpu_ns -= well ? cpu : account->cpu_ns;
    } else {
        well = sink_stream(data, control, spec, account);
        account->cpu_ns = net_process_cpu_ns() - cpu;
        account->system_ns = net_process_system_ns() - system;
        well = well && net_line_read(control, line) && rts_linux_numbers(line, "sent", 1, sent);
    }
    account->elapsed_ns = net_now_ns() - begin;
    return well;
}
