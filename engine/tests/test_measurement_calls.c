/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each service is called exactly as often as spec/measurements.md says, by each party, measured or not.
 */
#include "simulation.h"

/* Operations that are done in all: those that warm up and those that count. */
#define WARMUP 9
#define COUNT 40
#define OPERATIONS (WARMUP + COUNT)

/** How often a thread makes a call: `each` for every operation, `slice` for every slice, `once` for the item. */
typedef struct calls {
    const char *measurement;
    const char *thread;
    sim_call call;
    int each;
    int slice;
    int once;
} calls;

/*
 * Every worker takes its start once a slice and once more to end, and gives its done once a slice. A ping has two rounds that are not
 * measured in each slice, and party B one more wait, from which it is woken to end.
 */
static const calls expected[] = {
    {"task-create-delete", "worker", SIM_THREAD_CREATE, 1, 0, 0},
    {"task-create-delete", "worker", SIM_THREAD_JOIN, 1, 0, 0},
    {"task-create-delete", "child", SIM_THREAD_EXIT, 1, 0, 0},
    {"task-create-delete", "worker", SIM_CLOCK_READ, 2, 0, 0},
    {"task-ping-suspend-resume", "worker", SIM_RESUME, 1, 2, 0},
    {"task-ping-suspend-resume", "partner", SIM_SUSPEND_SELF, 1, 2, 1},
    {"task-ping-suspend-resume", "worker", SIM_CLOCK_READ, 2, 0, 0},
    {"task-ping-suspend-resume", "partner", SIM_CLOCK_READ, 0, 0, 0},
    {"process-ping-suspend-resume", "worker", SIM_RESUME, 1, 2, 0},
    {"process-ping-suspend-resume", "partner", SIM_SUSPEND_SELF, 1, 2, 1},
    /* outside: resumed before and suspended after each slice; then proved by one more resume */
    {"task-suspend-resume", "worker", SIM_SUSPEND, 1, 1, 0},
    {"task-suspend-resume", "worker", SIM_RESUME, 1, 1, 0},
    {"task-suspend-resume", "engine", SIM_RESUME, 0, 1, 1},
    {"task-suspend-resume", "victim", SIM_SUSPEND_SELF, 0, 1, 1},
    {"process-suspend-resume", "worker", SIM_SUSPEND, 1, 1, 0},
    {"process-suspend-resume", "worker", SIM_RESUME, 1, 1, 0},
    {"semaphore-ping", "worker", SIM_TAKE, 1, 3, 1},
    {"semaphore-ping", "worker", SIM_GIVE, 1, 3, 0},
    {"semaphore-ping", "partner", SIM_TAKE, 1, 2, 1},
    {"semaphore-ping", "partner", SIM_GIVE, 1, 2, 0},
    {"semaphore-ping", "worker", SIM_CLOCK_READ, 2, 0, 0},
    {"semaphore-ping", "partner", SIM_CLOCK_READ, 0, 0, 0},
    {"semaphore-get-release", "worker", SIM_TAKE, 1, 1, 1},
    {"semaphore-get-release", "worker", SIM_GIVE, 1, 1, 0},
    {"queue-fill", "worker", SIM_SEND, 1, 0, 0},
    {"queue-fill", "worker", SIM_RECEIVE, 1, 0, 0},
    {"queue-fill", "worker", SIM_CLOCK_READ, 2, 0, 0},
    {"queue-drain", "worker", SIM_SEND, 1, 0, 0},
    {"queue-drain", "worker", SIM_RECEIVE, 1, 0, 0},
    {"queue-drain", "worker", SIM_CLOCK_READ, 2, 0, 0},
    {"queue-fill-urgent", "worker", SIM_SEND_URGENT, 1, 0, 0},
    {"queue-fill-urgent", "worker", SIM_RECEIVE, 1, 0, 0},
    {"queue-fill-urgent", "worker", SIM_SEND, 0, 0, 0},
    /* in setup: an urgent message must overtake an ordinary one */
    {"queue-fill-urgent", "engine", SIM_SEND, 0, 0, 1},
    {"queue-fill-urgent", "engine", SIM_SEND_URGENT, 0, 0, 1},
    {"queue-fill-urgent", "engine", SIM_RECEIVE, 0, 0, 2},
    {"queue-fill-drain", "worker", SIM_SEND, 1, 0, 0},
    {"queue-fill-drain", "worker", SIM_RECEIVE, 1, 0, 0},
    {"queue-alternate", "worker", SIM_SEND, 1, 2, 0},
    {"queue-alternate", "worker", SIM_RECEIVE, 1, 2, 0},
    {"queue-alternate", "partner", SIM_SEND, 1, 2, 0},
    {"queue-alternate", "partner", SIM_RECEIVE, 1, 2, 1},
    {"block-allocate", "worker", SIM_ALLOC, 1, 0, 0},
    {"block-allocate", "worker", SIM_FREE, 1, 0, 0},
    {"block-free", "worker", SIM_ALLOC, 1, 0, 0},
    {"block-free", "worker", SIM_FREE, 1, 0, 0},
    {"interrupt-response", "isr", SIM_GIVE_ISR, 1, 0, 0},
    {"interrupt-response", "isr", SIM_CLOCK_READ, 1, 0, 0},
    {"interrupt-response", "worker", SIM_TAKE, 1, 1, 1},
    {"interrupt-response", "worker", SIM_CLOCK_READ, 1, 0, 0},
    {"task-preemption", "worker", SIM_GIVE, 1, 3, 0},
    {"task-preemption", "partner", SIM_TAKE, 1, 2, 1},
    {"task-preemption", "partner", SIM_CLOCK_READ, 1, 0, 0},
    {"semaphore-shuffle", "worker", SIM_TAKE, 1, 1, 1},
    {"semaphore-shuffle", "worker", SIM_GIVE, 2, 1, 0},
    {"semaphore-shuffle", "asker", SIM_TAKE, 2, 0, 1},
    {"semaphore-shuffle", "asker", SIM_GIVE, 1, 0, 0},
    {"semaphore-shuffle", "asker", SIM_CLOCK_READ, 2, 0, 0},
    {"deadlock-break", "worker", SIM_LOCK, 1, 0, 0},
    {"deadlock-break", "worker", SIM_UNLOCK, 1, 0, 0},
    {"deadlock-break", "asker", SIM_LOCK, 1, 0, 0},
    {"deadlock-break", "asker", SIM_UNLOCK, 1, 0, 0},
    {"deadlock-break", "asker", SIM_GIVE, 1, 0, 0},
    {"deadlock-break", "third", SIM_TAKE, 1, 0, 1},
    {"message-latency", "worker", SIM_SEND, 1, 2, 0},
    {"message-latency", "partner", SIM_RECEIVE, 1, 2, 1},
};

/* A hand-over is an operation here, two of them a round; the last of an odd slice is not measured. */
static const calls expected_of_rounds[] = {
    {"task-switch", "worker", SIM_YIELD, 1, 2, 0},       {"task-switch", "partner", SIM_YIELD, 1, 1, 0},
    {"task-switch", "partner", SIM_TAKE, 0, 1, 1},       {"process-switch", "worker", SIM_GIVE, 1, 3, 0},
    {"process-switch", "worker", SIM_TAKE, 1, 3, 1},     {"process-switch", "partner", SIM_TAKE, 1, 2, 1},
    {"thread-switch", "worker", SIM_GIVE, 1, 3, 0},      {"thread-switch", "worker", SIM_TAKE, 1, 3, 1},
    {"thread-switch", "partner", SIM_GIVE, 1, 2, 0},     {"thread-switch", "worker", SIM_CLOCK_READ, 2, 0, 0},
    {"thread-switch", "partner", SIM_CLOCK_READ, 2, 0, 0},
};

/* Two for every slice of even length: the engine's pace begins with one operation, which is an odd slice. */
static void count_calls(const calls *expectation, int operations)
{
    const int64_t slices = (int64_t)sim_calls("engine", SIM_GIVE) - 1 -
                           (strcmp(expectation->thread, "third") == 0 || strcmp(expectation->thread, "asker") == 0);
    const int64_t given = (int64_t)sim_calls("worker", SIM_TAKE);
    (void)given;
    const int64_t wanted = (int64_t)expectation->each * operations + expectation->slice * slices + expectation->once;
    const int64_t made = (int64_t)sim_calls(expectation->thread, expectation->call);
    if (made != wanted) {
        fail_msg("%s: %s made call %d %" PRId64 " times, not %" PRId64 " (%" PRId64 " slices)", expectation->measurement,
                 expectation->thread, (int)expectation->call, made, wanted, slices);
    }
}
