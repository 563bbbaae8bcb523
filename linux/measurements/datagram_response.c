/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two measurements of one exchange of datagrams: the responder's, from the kernel's stamp to its task, and the stimulus', there and back.
 *
 *   stimulus:  connects by TCP to the responder's address
 *   responder: responder 1 <token> <machine>
 *   stimulus:  stimulus 1 <period in ns> <machine>
 *   responder: go, or: period <its own>
 *   then datagrams; the responder, when it has its samples: enough
 *   stimulus, when both have theirs: sent <its account>; responder: account <its own>
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../numbers.h"
#include "boot_number.h"
#include "common/state.h"
#include "common/worker.h"
#include "datagrams.h"

#define PATIENCE_NS 20000000000u /* for the other side to come */
#define CALL_NS 3000000000u      /* for a responder that is about to wait */
#define PERIOD_MIN_NS 100000u
#define MOMENT_NS 2000000 /* between two looks for samples */

typedef struct state {
    datagram_side side;
    struct rts_thread thread;
    bool made;
    bool failed;
    bool stimulates;
    uint64_t far_machine;
    const char *driver; /**< what it can stamp */
    char device[16];
    char why[480];
} state;

RTS_STATE_FITS(state);

static rts_status refuse(rts_run *run, rts_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static rts_status refuse(rts_run *run, rts_status status, const char *format, ...)
{
    state *own = rts_run_state(run);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(own->why, sizeof own->why, format, arguments);
    va_end(arguments);
    rts_run_why(run, own->why);
    return status;
}

static void rest(void)
{
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = MOMENT_NS};
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
}

/** Where the other side is, or is waited for: from the source that the plan names. */
static rts_status read_place(rts_run *run, struct sockaddr_in *place)
{
    state *own = rts_run_state(run);
    const rts_timer_spec timer = rts_run_timer(run);
    rts_clock_info clock;
    uint32_t address = 0;
    uint16_t port = 0;
    const size_t prefix = sizeof RTS_SYSTEM_NET_SOURCE - 1u;
    if (strncmp(timer.source, RTS_SYSTEM_NET_SOURCE, prefix) != 0) {
        return refuse(run, RTS_UNSUPPORTED,
                      "no other host is given; remedy: --timer net:ADDRESS, one of this machine's, and 'rtstone "
                      "stimulus ADDRESS' on the other");
    }
    if (!net_parse(timer.source + prefix, &address, &port) || address == 0u) {
        return refuse(run, RTS_INVALID, "%s is no IPv4 address with or without a port, as in net:192.0.2.1:5741",
                      timer.source);
    }
    if (rts_port_timer_clock_info(&clock) != RTS_OK || clock.hz != RTS_NS_PER_S) {
        return refuse(run, RTS_UNSUPPORTED, "datagrams are stamped on CLOCK_MONOTONIC; remedy: leave --probe out");
    }
    if (timer.period < PERIOD_MIN_NS) {
        return refuse(run, RTS_INVALID, "at most a datagram each 100 us; remedy: --period 100us or more");
    }
    own->side.period = timer.period;
    *place = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(address)};
    return RTS_OK;
}

static rts_status make_memory(rts_run *run, datagram_side *side)
{
    side->slots = malloc(DATAGRAM_SLOTS * sizeof *side->slots);
    side->samples = malloc(DATAGRAM_SAMPLES * sizeof *side->samples);
    if (side->slots == NULL || side->samples == NULL) {
        return refuse(run, RTS_NO_MEMORY, "no memory for the datagrams' numbers");
    }
    memset(side->slots, 0,
           DATAGRAM_SLOTS * sizeof *side->slots); /* no page is touched for the first time in a window */
    memset(side->samples, 0, DATAGRAM_SAMPLES * sizeof *side->samples);
    return RTS_OK;
}

/** A socket for the datagrams of this side, whose receiver is stamped. */
static bool open_data(datagram_side *side, const struct sockaddr_in *own)
{
    side->data = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return side->data >= 0 && rts_stamps_ask(side->data) &&
           bind(side->data, (const struct sockaddr *)own, sizeof *own) == 0;
}

static bool is_same_machine(const state *own)
{
    return own->far_machine != 0u && own->far_machine == rts_boot_number();
}

/* ---- the responder's beginning -------------------------------------------------------------------------------- */

/** A caller that speaks as a stimulus does is the other side. False: it does not. */
static bool greet(rts_run *run, state *own, rts_status *status)
{
    char line[NET_LINE_BYTES];
    uint64_t v[3];
    net_patience(own->side.control);
    if (!net_line_write(own->side.control, "responder 1 %ju %ju\n", (uintmax_t)own->side.token,
                        (uintmax_t)rts_boot_number()) ||
        !net_line_read(own->side.control, line) || !rts_linux_numbers(line, "stimulus", 3, v) || v[0] != 1u) {
        return false;
    }
    if (v[1] != own->side.period) {
        (void)net_line_write(own->side.control, "period %ju\n", (uintmax_t)own->side.period);
        *status = refuse(run, RTS_INVALID,
                         "the stimulus sends each %ju ns, and this side has a period of %ju ns; "
                         "remedy: the same --period for both",
                         (uintmax_t)v[1], (uintmax_t)own->side.period);
        return true;
    }
    own->far_machine = v[2];
    *status = net_line_write(own->side.control, "go\n") ? RTS_OK : RTS_FAILED;
    return *status == RTS_OK;
}

/** Waits for the other side at this address and no other. */
static rts_status wait_for_stimulus(rts_run *run, state *own, int waiting)
{
    const rts_ticks until = rts_timer_clock_read() + PATIENCE_NS;
    while (!rts_port_interrupted()) {
        struct pollfd one = {.fd = waiting, .events = POLLIN};
        struct sockaddr_in from = {.sin_family = AF_INET};
        socklen_t room = sizeof from;
        rts_status status = RTS_OK;
        if (rts_timer_clock_read() > until) {
            return refuse(run, RTS_FAILED,
                          "no stimulus came within 20 s; remedy: 'rtstone stimulus' on the other host");
        }
        own->side.control = poll(&one, 1, DATAGRAM_QUIET_NS / 1000000) > 0
                                ? accept4(waiting, (struct sockaddr *)&from, &room, SOCK_CLOEXEC)
                                : -1;
        if (own->side.control < 0) {
            continue;
        }
        own->side.other = ntohl(from.sin_addr.s_addr);
        if (greet(run, own, &status)) {
            return status;
        }
        (void)close(own->side.control);
        own->side.control = -1;
    }
    return RTS_INTERRUPTED;
}

static rts_status begin_responder(rts_run *run, state *own, const struct sockaddr_in *place)
{
    const int yes = 1;
    const int waiting = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    rts_status status;
    own->side.own = ntohl(place->sin_addr.s_addr);
    if (getrandom(&own->side.token, sizeof own->side.token, 0) != (ssize_t)sizeof own->side.token) {
        status = refuse(run, RTS_FAILED, "there are no random numbers for the session's token");
    } else if (waiting < 0 || setsockopt(waiting, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
               bind(waiting, (const struct sockaddr *)place, sizeof *place) != 0 || listen(waiting, 4) != 0 ||
               !open_data(&own->side, place)) {
        status = refuse(run, errno == EADDRNOTAVAIL ? RTS_INVALID : RTS_FAILED, "cannot wait at %s: %s%s",
                        rts_run_timer(run).source, strerror(errno),
                        errno == EADDRINUSE ? "; remedy: another port, net:ADDRESS:PORT" : "");
    } else {
        status = wait_for_stimulus(run, own, waiting);
    }
    if (waiting >= 0) {
        (void)close(waiting);
    }
    return status;
}

/* ---- the stimulus' beginning ---------------------------------------------------------------------------------- */

/** Connects; a responder that is only about to wait is waited for. */
static rts_status call_responder(rts_run *run, state *own, const struct sockaddr_in *place)
{
    const rts_ticks until = rts_timer_clock_read() + CALL_NS;
    while (!rts_port_interrupted()) {
        own->side.control = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        net_patience(own->side.control);
        if (connect(own->side.control, (const struct sockaddr *)place, sizeof *place) == 0) {
            return RTS_OK;
        }
        const int error = errno;
        (void)close(own->side.control);
        own->side.control = -1;
        if (error != ECONNREFUSED || rts_timer_clock_read() > until) {
            return refuse(run, RTS_FAILED,
                          "no responder at %s (%s); remedy: 'rtstone run --measurement "
                          "datagram-response --timer net:ADDRESS' there",
                          rts_run_timer(run).source + 4, error == EINPROGRESS ? "no answer" : strerror(error));
        }
        rest();
    }
    return RTS_INTERRUPTED;
}

static rts_status begin_stimulus(rts_run *run, state *own, const struct sockaddr_in *place)
{
    char line[NET_LINE_BYTES];
    uint64_t v[3];
    struct sockaddr_in here = {.sin_family = AF_INET};
    socklen_t room = sizeof here;
    const rts_status called = call_responder(run, own, place);
    datagram_side *const side = &own->side;
    if (called != RTS_OK) {
        return called;
    }
    side->other = ntohl(place->sin_addr.s_addr);
    if (!net_line_read(side->control, line) || !rts_linux_numbers(line, "responder", 3, v) || v[0] != 1u) {
        return refuse(run, RTS_FAILED, "what answers at %s is no responder of rtstone", rts_run_timer(run).source + 4);
    }
    side->token = v[1];
    own->far_machine = v[2];
    if (!net_line_write(side->control, "stimulus 1 %ju %ju\n", (uintmax_t)side->period, (uintmax_t)rts_boot_number()) ||
        !net_line_read(side->control, line)) {
        return refuse(run, RTS_FAILED, "the responder went away");
    }
    if (rts_linux_numbers(line, "period", 1, v)) {
        return refuse(run, RTS_INVALID,
                      "the responder has a period of %ju ns, and this side of %ju ns; remedy: the same "
                      "--period for both",
                      (uintmax_t)v[0], (uintmax_t)side->period);
    }
    side->seed = rts_run_random(run);
    if (getsockname(side->control, (struct sockaddr *)&here, &room) != 0) {
        return RTS_FAILED;
    }
    side->own = ntohl(here.sin_addr.s_addr);
    here.sin_port = 0;
    if (!open_data(side, &here) || connect(side->data, (const struct sockaddr *)place, sizeof *place) != 0) {
        return refuse(run, RTS_FAILED, "no socket for the datagrams: %s", strerror(errno));
    }
    return RTS_OK;
}

/* ---- both ------------------------------------------------------------------------------------------------------ */

static rts_status set_up(rts_run *run, bool stimulates)
{
    state *own = rts_run_state(run);
    struct sockaddr_in place = {.sin_family = AF_INET};
    own->side.control = -1;
    own->side.data = -1;
    own->stimulates = stimulates;
    rts_status status = read_place(run, &place);
    status = status == RTS_OK ? make_memory(run, &own->side) : status;
    if (status == RTS_OK) {
        status = stimulates ? begin_stimulus(run, own, &place) : begin_responder(run, own, &place);
    }
    if (status != RTS_OK) {
        return status;
    }
    own->driver = rts_stamps_driver(own->side.own, own->device);
    const rts_thread_attr attr = rts_run_thread(run, stimulates ? "stimulus" : "responder", RTS_PRIORITY_TOP);
    status =
        rts_port_thread_create(&own->thread, &attr, stimulates ? datagram_stimulate : datagram_respond, &own->side);
    own->made = status == RTS_OK;
    return status;
}

static rts_status single(rts_run *run, uint32_t samples)
{
    state *own = rts_run_state(run);
    datagram_side *const side = &own->side;
    const rts_ticks patience = (rts_ticks)NET_PATIENCE_S * RTS_NS_PER_S + 4u * side->period;
    rts_ticks last = rts_timer_clock_read();
    for (uint32_t taken = 0; taken < samples;) {
        const uint32_t out = atomic_load_explicit(&side->out, memory_order_relaxed);
        if (out == atomic_load_explicit(&side->in, memory_order_acquire)) {
            if (rts_port_interrupted()) {
                return RTS_INTERRUPTED;
            }
            if (atomic_load(&side->ended) || rts_timer_clock_read() - last > patience) {
                own->failed = true;
                return RTS_FAILED;
            }
            rest();
            continue;
        }
        const datagram_sample now = side->samples[out % DATAGRAM_SAMPLES];
        atomic_store_explicit(&side->out, out + 1u, memory_order_release);
        rts_run_sample(run, 0, now.response, now.at);
        if (now.stamped) {
            rts_run_sample(run, 1, now.other, now.at);
        }
        last = rts_timer_clock_read();
        taken++;
    }
    return RTS_OK;
}

/** Adds a note to the figures: the accounts in words, and the traffic to which the figures refer. */
static void tell_note(rts_run *run, state *own)
{
    const datagram_side *const side = &own->side;
    const datagram_account *const has = &side->account;
    char set[120] = "";
    if (side->stamps.steps != 0u) {
        (void)snprintf(set, sizeof set, "the clock of the stamps was set %ju times: %ju datagrams not used; ",
                       (uintmax_t)side->stamps.steps, (uintmax_t)has->stamps_in_doubt);
    }
    (void)snprintf(
        own->why, sizeof own->why,
        "%s%s%ju %s, %ju answered, %ju lost, %ju late, %ju duplicated, %ju out of order, %ju foreign; %s; stamps in software, of "
        "%s, %s; %s",
        !own->failed      ? ""
        : own->stimulates ? "the responder went away or fell silent; "
                          : "the stimulus went away or fell silent; ",
        set, (uintmax_t)(own->stimulates ? has->sent : has->received), own->stimulates ? "sent" : "received",
        (uintmax_t)has->answered, (uintmax_t)has->lost, (uintmax_t)has->late, (uintmax_t)has->duplicated,
        (uintmax_t)has->reordered, (uintmax_t)has->foreign,
        own->stimulates ? "the network there and back is in it"
                        : "from the kernel's receive stamp, not from an interrupt's assertion",
        own->device[0] == '\0' ? "a device" : own->device, own->driver,
        own->far_machine == 0u ? "which machine the other side is on is not known"
        : is_same_machine(own) ? "both sides are on this same machine: no wire between"
                               : "the other side is another machine");
    rts_run_remark(run, own->why);
}

/** Checks the balance: every datagram sent was answered or is lost, and every one that the other side received was sent. */
static void tell(rts_run *run, state *own)
{
    datagram_side *const side = &own->side;
    datagram_account *const has = &side->account;
    const datagram_account *const far = &side->far;
    if (own->stimulates) {
        rts_run_check(run, "sent", has->answered + has->lost, has->sent, has->sent);
        rts_run_figure(run, "late", "datagrams", has->late);
    }
    if (side->well) {
        const uint64_t sent = own->stimulates ? has->sent : far->sent;
        const uint64_t received = own->stimulates ? far->received : has->received;
        const uint64_t back = own->stimulates ? has->answered : far->answered;
        rts_run_check(run, "received", received, back, sent);
        rts_run_figure(run, "lost-there", "datagrams", sent - received);
        rts_run_figure(run, "lost-back", "datagrams", received - back);
        has->lost = sent - back;
        has->sent = sent;
        has->received = received;
    }
    rts_run_figure(run, "sent", "datagrams", has->sent);
    rts_run_figure(run, "received", "datagrams", has->received);
    rts_run_figure(run, "answered", "datagrams", has->answered);
    rts_run_figure(run, "lost", "datagrams", has->lost);
    rts_run_figure(run, "duplicated", "datagrams", has->duplicated);
    rts_run_figure(run, "out-of-order", "datagrams", has->reordered);
    rts_run_figure(run, "foreign", "datagrams", has->foreign);
    rts_run_figure(run, "unstamped", "datagrams", has->unstamped);
    rts_run_figure(run, "stamp-clock-set", "times", side->stamps.steps);
    rts_run_figure(run, "stamps-in-doubt", "datagrams", has->stamps_in_doubt);
    rts_run_figure(run, "stamp-error-most", "ns", side->stamps.widest);
    rts_run_figure(run, "same-machine", "number", is_same_machine(own) ? 1u : 0u);
    rts_run_check(run, "samples-dropped", atomic_load(&side->samples_dropped), 0, 0);
    tell_note(run, own);
}

static void teardown(rts_run *run)
{
    state *own = rts_run_state(run);
    datagram_side *const side = &own->side;
    if (own->made) {
        if (own->failed || rts_port_interrupted()) {
            atomic_store(&side->stop, true);
        } else if (!own->stimulates) {
            (void)net_line_write(side->control, "enough\n");
        }
        atomic_store(&side->enough, true);
        while (!atomic_load(&side->ended)) {
            if (rts_port_interrupted()) {
                atomic_store(&side->stop, true);
            }
            rest();
        }
        (void)rts_port_thread_join(&own->thread);
        tell(run, own);
    }
    if (side->control >= 0) {
        (void)close(side->control);
    }
    if (side->data >= 0) {
        (void)close(side->data);
    }
    free(side->slots);
    free(side->samples);
}

static rts_status responder_setup(rts_run *run)
{
    return set_up(run, false);
}

static rts_status stimulus_setup(rts_run *run)
{
    return set_up(run, true);
}

const rts_measurement rts_measurement_datagram_response = {
    .name = "datagram-response",
    .meaning = 1,
    .summary = "Linux only: from the kernel's stamp of a received datagram to the task that answers it (--timer net:)",
    .series = {"datagram-task-response", "datagram-answered"},
    .services = 1u << RTS_SERVICE_THREADS,
    .passes = RTS_PASS_SINGLE,
    .traits = RTS_ON_TIMER,
    .paced_by = RTS_PACED_FROM_OUTSIDE,
    .setup = responder_setup,
    .single = single,
    .teardown = teardown,
};

const rts_measurement rts_measurement_datagram_round_trip = {
    .name = "datagram-round-trip",
    .meaning = 1,
    .summary = "Linux only: a datagram to another host and its answer, by this host's clock (rtstone stimulus)",
    .series = {"datagram-round-trip", "datagram-round-trip-to-stamp"},
    .services = 1u << RTS_SERVICE_THREADS,
    .passes = RTS_PASS_SINGLE,
    .traits = RTS_ON_TIMER,
    .paced_by = RTS_PACED_FROM_OUTSIDE,
    .setup = stimulus_setup,
    .single = single,
    .teardown = teardown,
};
