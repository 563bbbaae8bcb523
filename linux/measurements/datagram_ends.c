/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The thread that answers, and the one that asks and times the answers.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "datagrams.h"

#include "../numbers.h"

static datagram_slot *slot_of(datagram_side *side, uint64_t number)
{
    return &side->slots[number % DATAGRAM_SLOTS];
}

static void hand_over(datagram_side *side, const datagram_sample *sample)
{
    const uint32_t in = atomic_load_explicit(&side->in, memory_order_relaxed);
    if (in - atomic_load_explicit(&side->out, memory_order_acquire) == DATAGRAM_SAMPLES) {
        atomic_fetch_add(&side->samples_dropped, 1u);
        return;
    }
    side->samples[in % DATAGRAM_SAMPLES] = *sample;
    atomic_store_explicit(&side->in, in + 1u, memory_order_release);
}

/** Whether it is of this session: its length, its token, its way and, where any may send here, its sender. */
static bool is_ours(const datagram_side *side, ssize_t bytes, const datagram *words, const rts_stamped *got,
                    uint64_t kind)
{
    return bytes == (ssize_t)sizeof *words && be64toh(words->token) == side->token && be64toh(words->kind) == kind &&
           ntohl(got->from.sin_addr.s_addr) == side->other;
}

/** Whether the stamp can be converted: there is one, and the clock was not set since the datagram before. */
static bool is_steady(datagram_side *side, const rts_stamped *got)
{
    const bool steady = rts_stamps_read(&side->stamps);
    side->account.unstamped += got->stamp == 0u ? 1u : 0u;
    side->account.stamps_in_doubt += steady ? 0u : 1u;
    return steady && got->stamp != 0u;
}

static void note_order(datagram_side *side, uint64_t number)
{
    if (number >= side->highest) {
        side->highest = number + 1u;
    } else {
        side->account.reordered++;
    }
}

/** True if something is to be read there, or it has ended, within the time. */
static bool is_readable(int file, int ms)
{
    struct pollfd one = {.fd = file, .events = POLLIN};
    return poll(&one, 1, ms) > 0;
}

/* ---- the responder -------------------------------------------------------------------------------------------- */

/** One datagram answered, then accounted for. The kernel's stamp is the beginning, the first reading after the receiving call the end. */
static void answer(datagram_side *side, datagram *words, const rts_stamped *got)
{
    words->kind = htobe64(DATAGRAM_ANSWERS);
    const bool answered = sendto(side->data, words, sizeof *words, MSG_NOSIGNAL, (const struct sockaddr *)&got->from,
                                 sizeof got->from) == (ssize_t)sizeof *words;
    const rts_ticks after = rts_timer_clock_read();
    const uint64_t number = be64toh(words->number);
    const bool steady = is_steady(side, got);
    datagram_slot *const slot = slot_of(side, number);
    side->account.answered += answered ? 1u : 0u;
    if (slot->number >= number + 1u) { /* the same again, or one so old that a later one has its place */
        side->account.duplicated++;
        return;
    }
    slot->number = number + 1u;
    side->account.received++;
    note_order(side, number);
    if (steady) {
        const rts_ticks stamped = rts_stamps_convert(&side->stamps, got->stamp);
        const datagram_sample sample = {(rts_latency)(got->resumed - stamped), (rts_latency)(after - stamped),
                                        got->resumed, answered};
        hand_over(side, &sample);
    }
}

/** What the stimulus says at its end. True: there is no more to come, or the stimulus is gone. */
static bool hears_end(datagram_side *side)
{
    char line[NET_LINE_BYTES];
    uint64_t v[2];
    if (!is_readable(side->control, 0)) {
        return false;
    }
    side->well = net_line_read(side->control, line) && rts_linux_numbers(line, "sent", 2, v);
    if (side->well) {
        const datagram_account *const own = &side->account;
        side->far = (datagram_account){.sent = v[0], .answered = v[1]};
        side->well =
            net_line_write(side->control, "account %ju %ju\n", (uintmax_t)own->received, (uintmax_t)own->answered);
    }
    return true;
}

void datagram_respond(void *arg)
{
    datagram_side *const side = arg;
    const struct timeval quiet = {.tv_sec = 0, .tv_usec = DATAGRAM_QUIET_NS / 1000};
    rts_ticks since = 0; /* when the engine had its samples */
    (void)setsockopt(side->data, SOL_SOCKET, SO_RCVTIMEO, &quiet, sizeof quiet);
    (void)rts_stamps_read(&side->stamps);
    while (!atomic_load(&side->stop)) {
        datagram words;
        rts_stamped got;
        const ssize_t bytes = rts_stamps_receive(side->data, &words, sizeof words, 0, &got);
        if (bytes >= 0 && is_ours(side, bytes, &words, &got, DATAGRAM_ASKS)) {
            answer(side, &words, &got);
        } else if (bytes >= 0) {
            side->account.foreign++;
        }
        if (bytes < 0 && hears_end(side)) {
            break;
        }
        if (atomic_load(&side->enough)) {
            since = since == 0u ? got.resumed : since;
            if (got.resumed - since > DATAGRAM_TAIL_NS) {
                break;
            }
        }
    }
    atomic_store(&side->ended, true);
}

/* ---- the stimulus --------------------------------------------------------------------------------------------- */

/** Uniform from half to three halves of the period: events at a fixed period could stay in step with the other side's tick. */
static rts_ticks interval(datagram_side *side)
{
    side->seed = side->seed * 6364136223846793005u + 1442695040888963407u;
    return side->period / 2u + (side->seed >> 33) % (side->period + 1u);
}

static void ask(datagram_side *side)
{
    const uint64_t number = side->account.sent;
    datagram_slot *const slot = slot_of(side, number);
    const datagram words = {htobe64(side->token), htobe64(number), htobe64(DATAGRAM_ASKS)};
    side->account.lost += slot->number != 0u && !slot->done ? 1u : 0u;
    slot->number = number + 1u;
    slot->done = false;
    slot->sent = rts_timer_clock_read();
    (void)send(side->data, &words, sizeof words, MSG_NOSIGNAL); /* what the kernel does not take is lost */
    side->account.sent++;
}

static void take_answer(datagram_side *side, const datagram *words, const rts_stamped *got)
{
    const uint64_t number = be64toh(words->number);
    datagram_slot *const slot = slot_of(side, number);
    const bool steady = is_steady(side, got);
    if (number >= side->account.sent) {
        side->account.foreign++; /* an answer without a request */
        return;
    }
    if (slot->number != number + 1u || slot->done) {
        side->account.duplicated++;
        return;
    }
    slot->done = true;
    side->account.answered++;
    note_order(side, number);
    const datagram_slot *const next = slot_of(side, number + 1u);
    side->account.late += next->number == number + 2u && next->sent < got->resumed ? 1u : 0u;
    datagram_sample sample = {(rts_latency)(got->resumed - slot->sent), 0, got->resumed, steady};
    if (steady) {
        sample.other = (rts_latency)(rts_stamps_convert(&side->stamps, got->stamp) - slot->sent);
    }
    hand_over(side, &sample);
}

static void take_answers(datagram_side *side)
{
    datagram words;
    rts_stamped got;
    ssize_t bytes;
    while ((bytes = rts_stamps_receive(side->data, &words, sizeof words, MSG_DONTWAIT, &got)) >= 0) {
        if (is_ours(side, bytes, &words, &got, DATAGRAM_ANSWERS)) {
            take_answer(side, &words, &got);
        } else {
            side->account.foreign++;
        }
    }
}

/** Waits for an answer, at most until then. True: the responder said something, or is gone. */
static bool wait_for_answer(const datagram_side *side, bool listens, rts_ticks now, rts_ticks until)
{
    struct pollfd both[] = {{.fd = side->data, .events = POLLIN},
                            {.fd = listens ? side->control : -1, .events = POLLIN}};
    const rts_ticks wait = until > now ? until - now : 0u;
    const struct timespec span = rts_timespec(wait < DATAGRAM_QUIET_NS ? wait : DATAGRAM_QUIET_NS);
    return ppoll(both, 2, &span, NULL) > 0 && both[1].revents != 0;
}

/** Reports the number of sent datagrams, once no more answers come, and receives the responder's account. */
static bool close_accounts(datagram_side *side)
{
    char line[NET_LINE_BYTES];
    uint64_t v[2];
    const datagram_account *const own = &side->account;
    if (!net_line_write(side->control, "sent %ju %ju\n", (uintmax_t)own->sent, (uintmax_t)own->answered) ||
        !net_line_read(side->control, line) || !rts_linux_numbers(line, "account", 2, v)) {
        return false;
    }
    side->far = (datagram_account){.received = v[0], .answered = v[1]};
    return true;
}

void datagram_stimulate(void *arg)
{
    datagram_side *const side = arg;
    char line[NET_LINE_BYTES];
    bool theirs = false; /* the responder has its samples */
    rts_ticks ours = 0;  /* when the engine had its own */
    rts_ticks last = 0;  /* when the last one was sent, both being content */
    (void)rts_stamps_read(&side->stamps);
    rts_ticks due = rts_timer_clock_read() + interval(side);
    bool gone = false;
    while (!atomic_load(&side->stop) && !gone) {
        const rts_ticks now = rts_timer_clock_read();
        if (ours == 0u && atomic_load(&side->enough)) {
            ours = now;
        }
        if (last == 0u && ours != 0u && (theirs || now - ours > DATAGRAM_TAIL_NS)) {
            last = now;
        }
        if (last != 0u && (side->account.answered == side->account.sent || now - last > DATAGRAM_LATE_NS)) {
            side->well = close_accounts(side);
            break;
        }
        if (last == 0u && now >= due) {
            ask(side);
            due += interval(side);
            due = due > now ? due
                            : now + side->period / 2u; /* what was held up is not made up for: the rate is bounded */
        }
        if (wait_for_answer(side, !theirs, rts_timer_clock_read(), last == 0u ? due : UINT64_MAX)) {
            theirs = net_line_read(side->control, line) && strcmp(line, "enough") == 0;
            gone = !theirs;
        }
        take_answers(side);
    }
    for (size_t i = 0; i < DATAGRAM_SLOTS; i++) {
        side->account.lost += side->slots[i].number != 0u && !side->slots[i].done ? 1u : 0u;
    }
    atomic_store(&side->ended, true);
}
