/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The character generator of RFC 864 at the far end of the cable, and the program of low priority that copies its stream to a serial line.
 */
#include "characters.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#define CHARGEN 19

/* ---- the far end ----------------------------------------------------------------------------------------------- */

void rts_characters_line(char line[RTS_CHARACTERS_LINE], unsigned first)
{
    for (unsigned i = 0; i < 72u; i++) {
        line[i] = (char)(' ' + (first + i) % 95u);
    }
    line[72] = '\r';
    line[73] = '\n';
}

static void generate(const rts_cable *cable, int stream)
{
    char line[RTS_CHARACTERS_LINE];
    unsigned first = 0;
    while (!rts_cable_over(cable)) {
        rts_characters_line(line, first);
        for (size_t at = 0; at < sizeof line && !rts_cable_over(cable);) {
            const ssize_t sent = send(stream, line + at, sizeof line - at, MSG_NOSIGNAL);
            if (sent < 0 && errno != EAGAIN && errno != EINTR) {
                return;
            }
            at += sent > 0 ? (size_t)sent : 0u;
        }
        first = (first + 1u) % 95u;
    }
}

static void generator_main(void *arg)
{
    rts_characters *own = arg;
    rts_cable *cable = own->cable;
    const int one = 1;
    const struct sockaddr_in address = rts_cable_far(CHARGEN);
    const bool entered = rts_cable_enter_far(cable);
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (rts_cable_over(cable)) {
        return;
    }
    if (!entered || listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
        bind(listener, (const struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1) != 0) {
        atomic_store(&cable->failed, true);
        return;
    }
    rts_cable_limit_waits(listener);
    atomic_store(&cable->far_is_up, true);
    while (!rts_cable_over(cable)) {
        const int stream = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (stream >= 0) {
            rts_cable_limit_waits(stream);
            generate(cable, stream);
            (void)close(stream);
        }
    }
}

/* ---- the near end ---------------------------------------------------------------------------------------------- */

void rts_characters_write(rts_characters *own, const char *bytes, size_t count)
{
    for (size_t at = 0; at < count && !rts_cable_over(own->cable);) {
        struct pollfd ready = {.fd = own->line, .events = POLLOUT};
        if (poll(&ready, 1, RTS_CABLE_PATIENCE_MS) > 0) {
            const ssize_t written = write(own->line, bytes + at, count - at);
            at += written > 0 ? (size_t)written : 0u;
            atomic_fetch_add(&own->copied, written > 0 ? (uint64_t)written : 0u);
        }
    }
}

static void copier_main(void *arg)
{
    rts_characters *own = arg;
    const struct sockaddr_in address = rts_cable_far(CHARGEN);
    const bool entered = rts_cable_enter_near(own->cable);
    const int stream = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char bytes[256];
    if (!entered || stream < 0) {
        atomic_store(&own->cable->failed, true);
        return;
    }
    rts_cable_limit_waits(stream);
    bool connected = false;
    while (!connected && !rts_cable_over(own->cable)) {
        connected = connect(stream, (const struct sockaddr *)&address, sizeof address) == 0 || errno == EISCONN;
    }
    while (!rts_cable_over(own->cable)) {
        const ssize_t got = recv(stream, bytes, sizeof bytes, 0);
        rts_characters_write(own, bytes, got > 0 ? (size_t)got : 0u);
    }
    (void)close(stream);
}

static bool open_line(rts_characters *own)
{
    struct termios raw;
    own->line = open(own->cable->names.line, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (own->line < 0 || tcgetattr(own->line, &raw) != 0) {
        return false;
    }
    raw.c_iflag = 0;
    raw.c_oflag = 0;
    raw.c_lflag = 0;
    raw.c_cflag = CS8 | CREAD | CLOCAL;
    return cfsetspeed(&raw, B115200) == 0 && tcsetattr(own->line, TCSANOW, &raw) == 0;
}

rts_status rts_characters_start(rts_characters *own, rts_cable *cable, int32_t cpu)
{
    own->cable = cable;
    if (!open_line(own)) {
        return RTS_FAILED;
    }
    const rts_status status = rts_cable_join(cable, &own->generator, generator_main, own, cpu);
    return status == RTS_OK ? rts_cable_make(&own->copier, copier_main, own, cpu) : status;
}

bool rts_characters_flow(const rts_characters *own)
{
    return atomic_load(&own->copied) > 0;
}

void rts_characters_begin(rts_characters *own)
{
    own->copied_before = atomic_load(&own->copied);
}

uint64_t rts_characters_copied(const rts_characters *own)
{
    return atomic_load(&own->copied) - own->copied_before;
}

/** Drops what the line has not sent, or closing would wait for it: that was not copied. A pseudo-terminal has nothing to send, and drops nothing. */
static void drop_unsent(rts_characters *own)
{
    int waiting = 0;
    if (ioctl(own->line, TIOCOUTQ, &waiting) != 0 || waiting <= 0) {
        return;
    }
    const uint64_t copied = rts_characters_copied(own);
    own->copied -= (uint64_t)waiting < copied ? (uint64_t)waiting : copied;
    (void)tcflush(own->line, TCOFLUSH);
}

void rts_characters_end(rts_characters *own)
{
    rts_cable_end(&own->copier);
    rts_cable_end(&own->generator);
    if (own->line >= 0) {
        drop_unsent(own);
        (void)close(own->line);
        own->line = -1;
    }
}
