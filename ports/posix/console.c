/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Bytes in and out, the user's wish to end, and the end that nobody wished for.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "posix.h"
#include "rtstone/engine.h"

static volatile sig_atomic_t interrupted;
static pid_t engine;

static struct {
    int descriptor;
    const char *text;
    size_t left;
} plan = {.descriptor = -1};

static int records_to = STDOUT_FILENO;

void rts_posix_records_to(int descriptor)
{
    records_to = descriptor;
}

void rts_posix_plan_from(int descriptor, const char *text, size_t bytes)
{
    plan.descriptor = descriptor;
    plan.text = text;
    plan.left = bytes;
}

long rts_port_plan_read(char *buffer, size_t room)
{
    if (plan.text != NULL) {
        const size_t count = plan.left < room ? plan.left : room;
        memcpy(buffer, plan.text, count);
        plan.text += count;
        plan.left -= count;
        return (long)count;
    }
    if (plan.descriptor < 0) {
        return 0;
    }
    ssize_t got;
    do {
        got = read(plan.descriptor, buffer, room);
    } while (got < 0 && errno == EINTR && interrupted == 0);
    return (long)got;
}

rts_status rts_port_console_write(const char *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t done = write(records_to, bytes, count);
        if (done < 0 && errno != EINTR) {
            return RTS_FAILED;
        }
        if (done > 0) {
            bytes += done;
            count -= (size_t)done;
        }
    }
    return RTS_OK;
}

bool rts_port_interrupted(void)
{
    if (interrupted != 0) {
        return true;
    }
    /* A reader that is gone is noticed here too: a long measurement writes nothing for hours. */
    struct pollfd reader = {.fd = records_to, .events = 0};
    return poll(&reader, 1, 0) > 0 && (reader.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
}

static bool gated;

void rts_posix_gated(bool wanted)
{
    gated = wanted;
}

void rts_port_gate(uint32_t item)
{
    char line[32];
    if (!gated) {
        return;
    }
    const int length = snprintf(line, sizeof line, "@item %lu\n", (unsigned long)item);
    if (rts_port_console_write(line, (size_t)length) != RTS_OK) {
        interrupted = 1;
    }
    do {
        if (interrupted == 0 && rts_port_plan_read(line, 1) != 1) {
            interrupted = 1; /* nobody is left who could let it go on */
        }
    } while (interrupted == 0 && line[0] != '\n');
}

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0) {
        return; /* no one can receive a report */
    }
}

void (*rts_posix_fatal_instead)(const char *why);

_Noreturn void rts_port_fatal(const char *why)
{
    if (rts_posix_fatal_instead != NULL) {
        rts_posix_fatal_instead(why);
    }
    say("rtstone-engine: ");
    say(why);
    say("\n");
    if (engine != 0 && getpid() != engine) {
        (void)kill(engine, RTS_POSIX_SIGNAL_FATAL);
    }
    _exit(RTS_EXIT_FAILED);
}

static void on_end(int signal)
{
    (void)signal;
    if (interrupted != 0) {
        _exit(RTS_EXIT_INTERRUPTED); /* asked twice: the run does not listen */
    }
    interrupted = 1;
}

static void on_fatal(int signal)
{
    (void)signal;
    _exit(RTS_EXIT_FAILED); /* the process that failed has said why */
}

static void on_wake(int signal)
{
    (void)signal; /* its only use is that a system call returns */
}

/** A process that was killed leaves its partner waiting for ever, and the run with it. */
static void on_child(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    if (info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED) {
        rts_port_fatal("a process of the run was killed");
    }
}

static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, RTS_POSIX_SIGNAL_FATAL, RTS_POSIX_SIGNAL_WAKE};
enum { OURS = sizeof ours / sizeof ours[0] };
static struct sigaction before[OURS];

void rts_posix_signals_restore(void)
{
    for (size_t i = 0; i < OURS; i++) {
        (void)sigaction(ours[i], &before[i], NULL);
    }
}

static void watch_children(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_child;
    action.sa_flags = SA_SIGINFO | SA_NOCLDSTOP | SA_RESTART;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGCHLD, &action, NULL);
}

static void handle(int signal, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(signal, &action, NULL);
}

void rts_posix_signals(bool child)
{
    if (child) {
        /* Ctrl-C reaches the whole group of processes; the engine alone decides what it means. */
        handle(SIGINT, SIG_IGN);
        handle(SIGTERM, SIG_DFL);
        handle(SIGHUP, SIG_IGN);
        handle(SIGCHLD, SIG_DFL);
        handle(RTS_POSIX_SIGNAL_FATAL, SIG_DFL);
        return;
    }
    engine = getpid();
    interrupted = 0;
    for (size_t i = 0; i < OURS; i++) {
        (void)sigaction(ours[i], NULL, &before[i]);
    }
    watch_children();
    handle(SIGINT, on_end);
    handle(SIGTERM, on_end);
    handle(SIGHUP, on_end);
    handle(SIGPIPE, SIG_IGN);
    handle(RTS_POSIX_SIGNAL_FATAL, on_fatal);
    handle(RTS_POSIX_SIGNAL_WAKE, on_wake);
}
