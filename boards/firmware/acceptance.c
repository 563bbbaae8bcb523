/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * In the engine's place in an image: whether a kernel does what its port says, before it is measured. It ends with "accepted", or with the line of
 * what does not hold.
 */
#include "rtstone/engine.h"
#include "rtstone/port.h"

#define LIVES 300u
#define EXPIRIES 300u
#define LAPS 25u
#define ROUNDS 3000u

#define STRING_OF(text) #text
#define STRING(text) STRING_OF(text)
#define HOLDS(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            rts_port_fatal("not accepted, line " STRING(__LINE__) ": " #condition);                                    \
        }                                                                                                              \
    } while (0)

static const rts_thread_attr low = {.name = "low", .priority = RTS_PRIORITY_LOW};
static const rts_thread_attr middle = {.name = "middle", .priority = RTS_PRIORITY_MIDDLE};
static const rts_thread_attr high = {.name = "high", .priority = RTS_PRIORITY_HIGH};

/* ---- registers outlive the kernel's tick, with a switch and without ---------------------------------------------- */

static uint32_t expected;
static uint64_t clock_hz;
static volatile uint32_t laps[2];

/** Ten values that are alive all the time: one that an interrupt does not give back changes the result. */
__attribute__((noipa)) static uint32_t mix(uint32_t seed)
{
    uint32_t a = seed;
    uint32_t b = seed ^ 1u;
    uint32_t c = seed + 2u;
    uint32_t d = seed * 3u;
    uint32_t e = seed ^ 4u;
    uint32_t f = seed + 5u;
    uint32_t g = seed * 7u;
    uint32_t h = seed ^ 8u;
    uint32_t i = seed + 9u;
    uint32_t j = seed ^ 10u;
    for (uint32_t n = 0; n < ROUNDS; n++) {
        a += b ^ n;
        b = (b << 3) | (b >> 29);
        c ^= a;
        d += c;
        e = (e >> 5) | (e << 27);
        f ^= d + e;
        g += f;
        h ^= g;
        i += h ^ a;
        j ^= i;
    }
    return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j;
}

static void mixer(void *own)
{
    for (uint32_t lap = 0; lap < LAPS; lap++) {
        HOLDS(mix(7) == expected);
        *(volatile uint32_t *)own += 1u;
    }
}

/** More urgent than the mixers: breaks into them every two ticks or so. */
static void breaker(void *unused)
{
    (void)unused;
    while (laps[0] + laps[1] < 2u * LAPS) {
        HOLDS(rts_port_sleep_until(rts_clock_read() + clock_hz / 500u) == RTS_OK);
    }
}

static void registers_outlive_ticks(void *unused)
{
    (void)unused;
    struct rts_thread mixers[2];
    struct rts_thread third;
    expected = mix(7);
    for (uint32_t lap = 0; lap < LAPS; lap++) {
        HOLDS(mix(7) == expected);
    }
    HOLDS(rts_port_thread_create(&third, &high, breaker, NULL) == RTS_OK);
    HOLDS(rts_port_thread_create(&mixers[0], &low, mixer, (void *)&laps[0]) == RTS_OK);
    HOLDS(rts_port_thread_create(&mixers[1], &low, mixer, (void *)&laps[1]) == RTS_OK);
    HOLDS(rts_port_thread_join(&mixers[0]) == RTS_OK && rts_port_thread_join(&mixers[1]) == RTS_OK);
    HOLDS(rts_port_thread_join(&third) == RTS_OK);
    HOLDS(laps[0] == LAPS && laps[1] == LAPS);
}

/* ---- tasks are made and end, again and again; the more urgent one runs before create returns --------------------- */

static volatile uint32_t lives;

static void live(void *unused)
{
    (void)unused;
    lives = lives + 1u;
}

static void tasks_live_and_end(void *unused)
{
    (void)unused;
    struct rts_thread thread;
    for (uint32_t i = 0; i < LIVES; i++) {
        HOLDS(rts_port_thread_create(&thread, &high, live, NULL) == RTS_OK);
        HOLDS(lives == i + 1u);
        HOLDS(rts_port_thread_join(&thread) == RTS_OK);
    }
}

/* ---- a mutex lends its holder the urgency of a waiting task ------------------------------------------------------- */

static struct rts_semaphore start;
static struct rts_mutex mutex;
static volatile uint32_t order;

static void urgent(void *unused)
{
    (void)unused;
    HOLDS(rts_port_semaphore_take(&start) == RTS_OK);
    HOLDS(rts_port_mutex_lock(&mutex) == RTS_OK);
    order = order * 10u + 3u;
    HOLDS(rts_port_mutex_unlock(&mutex) == RTS_OK);
}

static void between(void *unused)
{
    (void)unused;
    order = order * 10u + 2u;
}

static void owner(void *unused)
{
    (void)unused;
    struct rts_thread asker;
    struct rts_thread third;
    HOLDS(rts_port_semaphore_create(&start, 0, 1) == RTS_OK);
    HOLDS(rts_port_mutex_create(&mutex, RTS_PROTOCOL_INHERIT) == RTS_OK);
    HOLDS(rts_port_thread_create(&asker, &high, urgent, NULL) == RTS_OK);
    HOLDS(rts_port_mutex_lock(&mutex) == RTS_OK);
    HOLDS(rts_port_semaphore_give(&start) == RTS_OK); /* the asker runs and waits for the mutex */
    HOLDS(rts_port_thread_create(&third, &middle, between, NULL) == RTS_OK);
    order = order * 10u + 1u;
    HOLDS(rts_port_mutex_unlock(&mutex) == RTS_OK);
    HOLDS(rts_port_thread_join(&asker) == RTS_OK && rts_port_thread_join(&third) == RTS_OK);
    HOLDS(order == 132u); /* 213: nothing was lent */
    rts_port_mutex_destroy(&mutex);
    rts_port_semaphore_destroy(&start);
}

static void urgency_is_lent(void *unused)
{
    (void)unused;
    struct rts_thread thread;
    HOLDS(rts_port_thread_create(&thread, &low, owner, NULL) == RTS_OK);
    HOLDS(rts_port_thread_join(&thread) == RTS_OK);
}

/* ---- messages keep their order and their bytes -------------------------------------------------------------------- */

static void messages_arrive(void)
{
    static struct rts_queue queue;
    HOLDS(rts_port_queue_create(&queue, RTS_QUEUE_DEPTH, RTS_MESSAGE_BYTES_MAX) == RTS_OK);
    uint64_t sent[2] = {0, 0};
    uint64_t got[2] = {0, 0};
    for (uint64_t in = 0, out = 0; out < 100u;) {
        for (; in < out + RTS_QUEUE_DEPTH; in++) {
            sent[0] = in;
            sent[1] = ~in;
            HOLDS(rts_port_queue_send(&queue, sent) == RTS_OK);
        }
        for (uint32_t some = 0; some < 5u; some++, out++) {
            HOLDS(rts_port_queue_receive(&queue, got) == RTS_OK);
            HOLDS(got[0] == out && got[1] == ~out);
        }
    }
    rts_port_queue_destroy(&queue);
}

/* ---- each interrupt's post is taken ------------------------------------------------------------------------------- */

static struct rts_semaphore expired;

static void expiry(void *unused, rts_ticks asserted, rts_ticks entered)
{
    (void)unused;
    HOLDS(entered >= asserted);
    HOLDS(rts_port_semaphore_give_isr(&expired) == RTS_OK);
}

static void interrupts_wake(void)
{
    rts_clock_info clock;
    HOLDS(rts_port_semaphore_create(&expired, 0, EXPIRIES) == RTS_OK);
    HOLDS(rts_port_timer_clock_info(&clock) == RTS_OK);
    const rts_timer_spec spec = {.period = clock.hz / 1000u, .source = "default"};
    HOLDS(rts_port_timer_start(&spec, expiry, NULL) == RTS_OK);
    for (uint32_t i = 0; i < EXPIRIES; i++) {
        HOLDS(rts_port_semaphore_take(&expired) == RTS_OK);
    }
    HOLDS(rts_port_timer_stop() == RTS_OK);
    rts_port_semaphore_destroy(&expired);
}

/** Each part in a task of middle priority, so that those it makes wait until it does. */
static void part(void (*entry)(void *))
{
    struct rts_thread worker;
    HOLDS(rts_port_thread_create(&worker, &middle, entry, NULL) == RTS_OK);
    HOLDS(rts_port_thread_join(&worker) == RTS_OK);
}

int rts_engine_run(const char *nonce)
{
    (void)nonce;
    static const char said[] = "accepted\n";
    rts_clock_info clock;
    HOLDS(rts_port_clock_info(&clock) == RTS_OK);
    clock_hz = clock.hz;
    part(registers_outlive_ticks);
    HOLDS(laps[0] == LAPS);
    part(tasks_live_and_end);
    HOLDS(lives == LIVES);
    part(urgency_is_lent);
    HOLDS(order == 132u);
    messages_arrive();
    interrupts_wake();
    return rts_port_console_write(said, sizeof said - 1) == RTS_OK ? RTS_EXIT_OK : RTS_EXIT_FAILED;
}
