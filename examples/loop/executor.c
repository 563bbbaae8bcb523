/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shaped like an executor of ROS 2, without ROS: one thread waits for timers and messages, and hands their callbacks to a pool of
 * threads by a queue with a mutex and a condition variable. A callback never runs twice at a time, as in a mutually exclusive
 * callback group; a timer that was late skips the periods that have passed.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

#include "account.h"
#include "plants.h"
#include "threads.h"

enum {
    CONTROL = 0, /* a timer, each period; faults are planted in it */
    STATUS,      /* a timer */
    SENSOR,      /* a subscription: the thread "publisher" sends its messages */
    CALLBACKS,
    STATUS_PERIODS = 10,
    SENSOR_PERIODS = 5,
    INBOX = 10, /* messages kept; the oldest is dropped for a newer one */
    POOL_AT_MOST = 8,
    START_NS = 20000000,
};

typedef struct work {
    uint32_t callback;
    uint64_t number, due_ns;
} work;

typedef struct message {
    uint64_t number, due_ns;
} message;

static const settings *from;
static uint64_t base_ns;
static series accounts[CALLBACKS];

/* Callbacks for the pool. Each is in it at most once. */
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_filled = PTHREAD_COND_INITIALIZER;
static work queue[CALLBACKS];
static uint32_t queue_first, queue_count;
static bool queue_over;

/* What the executor waits for. */
static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t state_changed = PTHREAD_COND_INITIALIZER;
static bool running[CALLBACKS];  /* handed to the pool, and not done */
static uint64_t next[CALLBACKS]; /* of timers: whose time comes next */
static message inbox[INBOX];
static uint32_t inbox_first, inbox_count;
static uint64_t published;
static bool published_all;

/* ---- The pool ---- */

static void run_callbacks(void *arg)
{
    (void)arg;
    const int32_t thread = thread_id();
    for (;;) {
        (void)pthread_mutex_lock(&queue_lock);
        while (queue_count == 0 && !queue_over) {
            (void)pthread_cond_wait(&queue_filled, &queue_lock);
        }
        if (queue_count == 0) {
            (void)pthread_mutex_unlock(&queue_lock);
            return;
        }
        const work todo = queue[queue_first];
        queue_first = (queue_first + 1) % CALLBACKS;
        --queue_count;
        (void)pthread_mutex_unlock(&queue_lock);

        const uint64_t start_ns = now_ns();
        if (todo.callback == CONTROL) {
            plants_inside(todo.number);
        }
        spin_until(now_ns() + from->work_ns);
        accounts[todo.callback].cycles[todo.number] =
            (cycle){.due_ns = todo.due_ns, .start_ns = start_ns, .end_ns = now_ns(), .thread = thread};

        (void)pthread_mutex_lock(&state_lock);
        running[todo.callback] = false;
        (void)pthread_cond_signal(&state_changed);
        (void)pthread_mutex_unlock(&state_lock);
    }
}

/* ---- The executor; it has state_lock but while it waits ---- */

static void hand_on(uint32_t callback, uint64_t number, uint64_t due_ns)
{
    running[callback] = true;
    (void)pthread_mutex_lock(&queue_lock);
    queue[(queue_first + queue_count) % CALLBACKS] = (work){.callback = callback, .number = number, .due_ns = due_ns};
    ++queue_count;
    (void)pthread_cond_signal(&queue_filled);
    (void)pthread_mutex_unlock(&queue_lock);
}

/* Hands on the timer's callback if it is due and not running. Returns when to look again. */
static uint64_t look_at_timer(uint32_t callback, uint64_t now)
{
    const series *const of = &accounts[callback];
    if (running[callback] || next[callback] >= of->room || stop_requested()) {
        return UINT64_MAX;
    }
    const uint64_t due_ns = base_ns + next[callback] * of->period_ns;
    if (due_ns > now) {
        return due_ns;
    }
    hand_on(callback, next[callback]++, due_ns);
    if (!from->catch_up && now >= base_ns + next[callback] * of->period_ns) {
        next[callback] = (now - base_ns) / of->period_ns + 1;
    }
    return UINT64_MAX;
}

static bool is_over(void)
{
    const bool timers_over =
        stop_requested() || (next[CONTROL] >= accounts[CONTROL].room && next[STATUS] >= accounts[STATUS].room);
    return timers_over && published_all && inbox_count == 0 && !running[CONTROL] && !running[STATUS] &&
           !running[SENSOR];
}

static void execute(void)
{
    (void)pthread_mutex_lock(&state_lock);
    while (!is_over()) {
        const uint64_t now = now_ns();
        const uint64_t control = look_at_timer(CONTROL, now);
        const uint64_t status = look_at_timer(STATUS, now);
        if (!running[SENSOR] && inbox_count > 0) {
            hand_on(SENSOR, inbox[inbox_first].number, inbox[inbox_first].due_ns);
            inbox_first = (inbox_first + 1) % INBOX;
            --inbox_count;
        }
        const uint64_t soonest = control < status ? control : status;
        if (soonest != UINT64_MAX) {
            const struct timespec until = timespec_of(soonest);
            (void)pthread_cond_clockwait(&state_changed, &state_lock, CLOCK_MONOTONIC, &until);
        } else if (!is_over()) {
            (void)pthread_cond_wait(&state_changed, &state_lock);
        }
    }
    (void)pthread_mutex_unlock(&state_lock);
}

/* ---- The publisher ---- */

static void publish(void *arg)
{
    (void)arg;
    const series *const of = &accounts[SENSOR];
    for (uint64_t number = 0; number < of->room && !stop_requested(); ++number) {
        /* Between two due times of the timers. */
        const uint64_t due_ns = base_ns + number * of->period_ns + from->period_ns / 2;
        sleep_until(due_ns);
        (void)pthread_mutex_lock(&state_lock);
        if (inbox_count == INBOX) {
            inbox_first = (inbox_first + 1) % INBOX;
            --inbox_count;
        }
        inbox[(inbox_first + inbox_count) % INBOX] = (message){.number = number, .due_ns = due_ns};
        ++inbox_count;
        published = number + 1;
        (void)pthread_cond_signal(&state_changed);
        (void)pthread_mutex_unlock(&state_lock);
    }
    (void)pthread_mutex_lock(&state_lock);
    published_all = true;
    (void)pthread_cond_signal(&state_changed);
    (void)pthread_mutex_unlock(&state_lock);
}

/* ---- The program ---- */

static void check(const char *of, int error)
{
    if (error != 0) {
        settings_refused(from, of, error);
    }
}

static void open_account(uint32_t callback, const char *name, uint64_t periods)
{
    const uint64_t room = (from->cycles + periods - 1) / periods;
    check("memory for the account",
          series_open(&accounts[callback], name, periods * from->period_ns, periods * from->deadline_ns, room));
}

int main(int argc, char *argv[])
{
    static const char *const pool_names[POOL_AT_MOST] = {"pool-1", "pool-2", "pool-3", "pool-4",
                                                         "pool-5", "pool-6", "pool-7", "pool-8"};
    pthread_t pool[POOL_AT_MOST] = {0};
    pthread_t publisher;
    const settings read = settings_read("executor", argc, argv);
    from = &read;
    plants_draw(from);
    plants_fork(from);
    stop_on_signals();
    open_account(CONTROL, "control", 1);
    open_account(STATUS, "status", STATUS_PERIODS);
    open_account(SENSOR, "sensor", SENSOR_PERIODS);
    const bool locked = mlockall(MCL_CURRENT) == 0;
    plants_prepare(from);
    for (int index = 0; index < from->threads; ++index) {
        check(pool_names[index],
              thread_start(&pool[index], pool_names[index], from->priority, from->cpu, run_callbacks, NULL));
    }
    check("the executor its priority or its CPU", thread_become("executor", from->priority, from->cpu));
    (void)fprintf(stderr,
                  "executor: pid %" PRId32 ", threads executor, publisher and pool-1 to pool-%d, priority %d, CPU %d\n",
                  thread_id(), from->threads, from->priority, from->cpu);
    base_ns = now_ns() + START_NS;
    check("publisher", thread_start(&publisher, "publisher", from->priority, from->cpu, publish, NULL));
    plants_go(base_ns);
    execute();
    (void)pthread_join(publisher, NULL);
    (void)pthread_mutex_lock(&queue_lock);
    queue_over = true;
    (void)pthread_cond_broadcast(&queue_filled);
    (void)pthread_mutex_unlock(&queue_lock);
    for (int index = 0; index < from->threads; ++index) {
        (void)pthread_join(pool[index], NULL);
    }
    plants_finish();
    thread_rest();
    for (uint32_t timer = CONTROL; timer <= STATUS; ++timer) {
        accounts[timer].periods = next[timer] < accounts[timer].room ? next[timer] : accounts[timer].room;
    }
    accounts[SENSOR].periods = published;
    return account_print(from, base_ns, locked, accounts, CALLBACKS) ? 0 : REFUSED;
}
