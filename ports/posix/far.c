/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The far end of a connection (spec/far-end.md). It starts the engine as a program of its own, which measures as it would for a reader on
 * this machine. It holds back the engine's output until an item is over, and lets the next one begin when the wire is quiet. It ends the engine
 * when the connection ends, and at each deadline, since nothing reports a cut cable.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "far.h"
#include "options.h"
#include "rtstone/engine.h"
#include "system.h"

enum {
    PROTOCOL = 1,
    PLAN_BYTES = 1 << 20, /* more than a plan of all the items that an engine holds */
    ANSWER_MS = 60000,    /* what the host gets to send its plan, and to answer between two items */
    SETTLE_MS = 100,      /* longer than a delayed acknowledgement of TCP: nothing is on the wire when an item begins */
    GRACE_MS = 2000,      /* what the engine gets to stop its loads */
    CHUNK = 4096,
    LINE_BYTES = 1024
};

#define HELD_BYTES ((size_t)64 * 1024 * 1024)

/** What the far end waits for. */
typedef enum rts_far_phase { FAR_PLAN, FAR_MEASURES, FAR_WAITS, FAR_OVER } rts_far_phase;

typedef struct rts_far {
    const char *program;
    rts_far_phase phase;
    pid_t engine; /* 0: not started */
    int to_engine;
    int from_engine;
    uint64_t until_ns; /* the deadline of the current phase */
    const char *ended; /* why the engine was ended early; NULL: it was not */
    char *plan;
    size_t plan_bytes;
    char line[LINE_BYTES]; /* of the host, not yet whole */
    size_t line_bytes;
    char *held; /* said by the engine, not yet sent */
    size_t held_bytes;
    size_t held_room;
    bool spilt;
} rts_far;

static volatile sig_atomic_t asked_to_end;

static void on_end(int signal)
{
    (void)signal;
    asked_to_end = 1;
}

static void end(rts_far *far, const char *why)
{
    if (far->phase != FAR_OVER) {
        far->phase = FAR_OVER;
        far->ended = why;
    }
}

static void allow(rts_far *far, uint64_t milliseconds)
{
    far->until_ns = rts_posix_monotonic() + milliseconds * 1000000u;
}

static int milliseconds_left(const rts_far *far)
{
    const uint64_t now = rts_posix_monotonic();
    const uint64_t left = far->until_ns > now ? (far->until_ns - now) / 1000000u + 1u : 0u;
    return left > 86400000u ? 86400000 : (int)left;
}

/** Sends to the host; gives up at the deadline, and when the host is gone. */
static void send_bytes(rts_far *far, const char *bytes, size_t count)
{
    while (count > 0u && far->ended == NULL) {
        struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
        const int ready = poll(&out, 1, milliseconds_left(far));
        if (asked_to_end != 0) {
            end(far, "it was asked to end");
        } else if (ready == 0) {
            end(far, "the host took nothing until the deadline");
        } else if (ready < 0) {
            if (errno != EINTR) {
                end(far, "the connection failed");
            }
        } else if ((out.revents & POLLOUT) == 0) {
            end(far, "the connection ended");
        } else {
            const ssize_t done = write(STDOUT_FILENO, bytes, count < CHUNK ? count : CHUNK);
            if (done < 0 && errno != EINTR && errno != EAGAIN) {
                end(far, "the connection ended");
            } else if (done > 0) {
                bytes += done;
                count -= (size_t)done;
            }
        }
    }
}

static void flush_held(rts_far *far)
{
    send_bytes(far, far->held, far->held_bytes);
    far->held_bytes = 0;
}

static void hold(rts_far *far, const char *bytes, size_t count)
{
    if (far->held_bytes + count > far->held_room) {
        const size_t room =
            far->held_room * 2u > far->held_bytes + count ? far->held_room * 2u : far->held_bytes + count;
        char *const larger = room <= HELD_BYTES ? realloc(far->held, room) : NULL;
        if (larger != NULL) {
            far->held = larger;
            far->held_room = room;
        } else {
            if (!far->spilt) {
                rts_complain("an item says more than is held here: it is sent while the item goes on");
            }
            far->spilt = true;
            flush_held(far);
            if (count > far->held_room) {
                send_bytes(far, bytes, count);
                return;
            }
        }
    }
    memcpy(far->held + far->held_bytes, bytes, count);
    far->held_bytes += count;
}

static void hold_text(rts_far *far, const char *text)
{
    hold(far, text, strlen(text));
}

static void counter_line(void *arg, const char *when, const char *name, const char *text)
{
    char head[64];
    (void)snprintf(head, sizeof head, "@%s %s ", when, name);
    hold_text(arg, head);
    hold_text(arg, text);
    hold_text(arg, "\n");
}

/** What the system and this process have counted until now: the host makes shares of two of these. */
static void counters(rts_far *far, const char *when)
{
    char text[64];
    struct rusage used;
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)rts_posix_monotonic());
    counter_line(far, when, "at", text);
    if (getrusage(RUSAGE_CHILDREN, &used) == 0) {
        const uint64_t us = (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000u +
                            (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
        (void)snprintf(text, sizeof text, "%llu", (unsigned long long)us);
        counter_line(far, when, "children", text);
    }
    rts_system_counters(counter_line, far, when);
}

/** Waits, without giving way to signals that do not end it, until the wire is quiet. */
static void settle(void)
{
    struct timespec left = {.tv_sec = 0, .tv_nsec = SETTLE_MS * 1000000L};
    while (nanosleep(&left, &left) != 0 && errno == EINTR && asked_to_end == 0) {
    }
}

static void to_engine(rts_far *far, const char *bytes, size_t count)
{
    while (count > 0u) {
        const ssize_t done = write(far->to_engine, bytes, count);
        if (done < 0 && errno != EINTR) {
            return; /* the engine has ended; the end of its output shows that */
        }
        if (done > 0) {
            bytes += done;
            count -= (size_t)done;
        }
    }
}

/** The child: the engine as `rtstone-engine run` starts it, bound to die with its parent. */
static _Noreturn void become_engine(const char *program, int in, int out, pid_t parent)
{
    char bound[48];
    (void)snprintf(bound, sizeof bound, "--with-parent=%ld", (long)parent);
    char run[] = "run";
    char plan[] = "--plan";
    char from[] = "-";
    char gated[] = "--gated";
    char probe[] = "--probe=/dev/rtstone-probe";
    const bool probed = access("/dev/rtstone-probe", R_OK) == 0;
    char name[LINE_BYTES];
    (void)snprintf(name, sizeof name, "%s", program);
    char *const words[] = {name, run, plan, from, gated, bound, probed ? probe : NULL, NULL};
    if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0) {
        (void)signal(SIGPIPE, SIG_DFL);
        (void)execv(program, words);
    }
    rts_complain("%s cannot be started: %s", program, strerror(errno));
    _exit(RTS_EXIT_FAILED);
}

static bool close_on_exec(const int ends[2])
{
    return fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

static void start(rts_far *far)
{
    int in[2];
    int out[2];
    const pid_t parent = getpid();
    if (pipe(in) != 0 || pipe(out) != 0 || !close_on_exec(in) || !close_on_exec(out)) {
        end(far, "there are no pipes for the engine");
        return;
    }
    settle();
    counters(far, "before");
    far->engine = fork();
    if (far->engine == 0) {
        become_engine(far->program, in[0], out[1], parent);
    }
    (void)close(in[0]);
    (void)close(out[1]);
    far->to_engine = in[1];
    far->from_engine = out[0];
    if (far->engine < 0) {
        far->engine = 0;
        end(far, "the engine cannot be started");
        return;
    }
    far->phase = FAR_MEASURES;
    to_engine(far, far->plan, far->plan_bytes);
}

/** "name value": the value; NULL where the line does not begin with that name. */
static const char *value_of(const char *line, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(line, name, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

/** The part between a record's head and its payload is a number, so the payload alone identifies `go`. */
static bool is_go(const char *line)
{
    return line[0] == '~' && strstr(line, "{\"t\":\"go\"") != NULL;
}

static void take_plan_line(rts_far *far, const char *line, size_t bytes)
{
    if (far->plan_bytes + bytes + 1u > PLAN_BYTES) {
        end(far, "the plan is too long");
        return;
    }
    memcpy(far->plan + far->plan_bytes, line, bytes);
    far->plan[far->plan_bytes + bytes] = '\n';
    far->plan_bytes += bytes + 1u;
    if (is_go(line)) {
        start(far);
    }
}

/** One line of the host. */
static void take_line(rts_far *far, const char *line, size_t bytes)
{
    const char *value;
    if (far->phase == FAR_OVER) {
        return;
    }
    if (strcmp(line, "stop") == 0) {
        if (far->engine == 0) {
            end(far, "it was asked to end");
        } else {
            (void)kill(far->engine, SIGINT);
        }
    } else if ((value = value_of(line, "allow")) != NULL) {
        allow(far, strtoull(value, NULL, 10));
    } else if ((value = value_of(line, "next")) != NULL && far->phase == FAR_WAITS) {
        allow(far, strtoull(value, NULL, 10));
        far->phase = FAR_MEASURES;
        settle();
        to_engine(far, "\n", 1);
    } else if (far->phase == FAR_PLAN && (value = value_of(line, "peer")) != NULL) {
        (void)setenv("RTSTONE_PEER", value, 1);
    } else if (far->phase == FAR_PLAN && (value = value_of(line, "command")) != NULL) {
        (void)setenv("RTSTONE_LOAD_COMMAND", value, 1);
    } else if (far->phase == FAR_PLAN && (value = value_of(line, "clock")) != NULL) {
        (void)setenv("RTSTONE_CLOCK", value, 1);
    } else if (far->phase == FAR_PLAN) {
        take_plan_line(far, line, bytes);
    }
}

static void from_host(rts_far *far)
{
    char bytes[CHUNK];
    const ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) {
        end(far, "the connection ended");
    }
    for (ssize_t i = 0; i < got; i++) {
        if (bytes[i] == '\n') {
            far->line[far->line_bytes] = '\0';
            take_line(far, far->line, far->line_bytes);
            far->line_bytes = 0;
        } else if (far->line_bytes + 1u < LINE_BYTES) {
            far->line[far->line_bytes++] = bytes[i];
        } else {
            end(far, "a line of the host is too long");
        }
    }
}

/** Whether the engine waits for the next item: its last line is the gate. */
static bool at_gate(const rts_far *far)
{
    static const char mark[] = "@item ";
    size_t at = far->held_bytes;
    if (at == 0u || far->held[at - 1u] != '\n') {
        return false;
    }
    for (at--; at > 0u && far->held[at - 1u] != '\n'; at--) {
    }
    return far->held_bytes - at > sizeof mark - 1u && memcmp(far->held + at, mark, sizeof mark - 1u) == 0;
}

/** False at the engine's end. */
static bool from_engine(rts_far *far)
{
    char bytes[CHUNK * 4];
    const ssize_t got = read(far->from_engine, bytes, sizeof bytes);
    if (got < 0) {
        return errno == EINTR;
    }
    if (got == 0) {
        return false;
    }
    hold(far, bytes, (size_t)got);
    if (at_gate(far)) {
        far->phase = FAR_WAITS;
        allow(far, ANSWER_MS);
        flush_held(far);
    }
    return true;
}

/** One round; false once there is nothing to wait for. */
static bool serve(rts_far *far)
{
    struct pollfd both[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
                             {.fd = far->engine == 0 ? -1 : far->from_engine, .events = POLLIN}};
    const int ready = poll(both, 2, milliseconds_left(far));
    if (asked_to_end != 0) {
        end(far, "it was asked to end");
    } else if (ready == 0) {
        end(far, far->phase == FAR_MEASURES ? "the deadline of what it measured has passed"
                                            : "the host did not answer in time");
    } else if (ready < 0) {
        if (errno != EINTR) {
            end(far, "it cannot wait");
        }
    } else {
        if (both[0].revents != 0) {
            from_host(far);
        }
        if (both[1].revents != 0 && far->phase != FAR_OVER) {
            return from_engine(far);
        }
    }
    return far->phase != FAR_OVER;
}

/** Takes the engine's status; kills it where it does not end by itself in time, and with it all that it started. */
static int finish(const rts_far *far)
{
    int status = 0;
    if (far->engine == 0) {
        return RTS_EXIT_FAILED;
    }
    if (far->ended != NULL) {
        (void)kill(far->engine, SIGTERM);
        (void)close(far->to_engine);
        (void)close(far->from_engine); /* or it would wait for room to write */
    }
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = 5000000};
    for (int waited_ms = 0; waited_ms < GRACE_MS; waited_ms += 5) {
        const pid_t done = waitpid(far->engine, &status, WNOHANG);
        if (done == far->engine || (done < 0 && errno != EINTR)) {
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
        (void)nanosleep(&moment, NULL);
    }
    (void)kill(far->engine, SIGKILL);
    while (waitpid(far->engine, &status, 0) < 0 && errno == EINTR) {
    }
    return 128 + SIGKILL;
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

int rts_far_main(const char *program, int count, char *const words[])
{
    static rts_far far;
    (void)words;
    if (count != 0 || program[0] != '/') {
        rts_complain("far takes no options, and is started by its whole path");
        return RTS_EXIT_USAGE;
    }
    handle(SIGINT, on_end);
    handle(SIGTERM, on_end);
    handle(SIGHUP, on_end);
    handle(SIGPIPE, SIG_IGN);
    handle(SIGCHLD, SIG_DFL);
    far.program = program;
    far.held_room = (size_t)CHUNK * 16u;
    far.held = malloc(far.held_room);
    far.plan = malloc(PLAN_BYTES);
    if (far.held == NULL || far.plan == NULL) {
        rts_complain("there is not enough memory");
        return RTS_EXIT_FAILED;
    }
    allow(&far, ANSWER_MS);
    char greeting[48];
    (void)snprintf(greeting, sizeof greeting, "@far %d %s\n", PROTOCOL, RTS_ENGINE_VERSION);
    send_bytes(&far, greeting, strlen(greeting));
    while (serve(&far)) {
    }
    const int code = finish(&far);
    if (far.ended != NULL) {
        rts_complain("%s", far.ended);
        return RTS_EXIT_FAILED;
    }
    allow(&far, ANSWER_MS);
    counters(&far, "after");
    (void)snprintf(greeting, sizeof greeting, "@end %d\n", code);
    hold_text(&far, greeting);
    flush_held(&far);
    return code;
}
