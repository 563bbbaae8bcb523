/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stands in a guest where the first program looks for the engine: runs the engine, plants causes of late samples meanwhile, and prints at
 * the end when each was there (CLOCK_MONOTONIC, ns).
 *
 * /plants has the seed of the lengths, then a word for each plant:
 *   above    a task above the measured thread has the CPU for 4 to 12 ms
 *   below    a task below it, which is never to blame, spins for 3 to 9 ms
 *   stop     the engine is stopped for 5 to 20 ms
 *   budget   a real-time task uses up the kernel's budget for such tasks. A task that is not real-time gets the rest of the CPU:
 *            the planter notes when it ran, which is when real-time tasks were kept from the CPU
 *   held     a kernel module holds interrupts off for 3 to 12 ms, which no event shows
 */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ENGINE "/engine/rtstone-engine"
#define MOST_PLANTS 8
#define MOST_SPANS 4000
#define OF_A_LINE 10
#define MS 1000000ull
#define SOME_PERIODS 20
#define APART_NS 300000ull /* more between two readings of a spinning task is another one's */

typedef struct spans {
    char name[16];
    unsigned count;
    uint64_t at[MOST_SPANS][2];
} spans;

static spans *plants;
static uint64_t state;
static pid_t engine;

static uint64_t drawn(uint64_t least_ns, uint64_t most_ns)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return least_ns + state % (most_ns - least_ns);
}

static uint64_t now(void)
{
    struct timespec at;
    (void)clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000000000ull + (uint64_t)at.tv_nsec;
}

static void pause_for(uint64_t ns)
{
    const struct timespec some = {.tv_sec = (time_t)(ns / 1000000000ull), .tv_nsec = (long)(ns % 1000000000ull)};
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &some, NULL);
}

static void note(spans *of, uint64_t begin, uint64_t end)
{
    if (of->count < MOST_SPANS) {
        of->at[of->count][0] = begin;
        of->at[of->count][1] = end;
        of->count++;
    }
}

static void spin(spans *of, uint64_t ns)
{
    const uint64_t begin = now();
    uint64_t end;
    do {
        end = now();
    } while (end - begin < ns);
    note(of, begin, end);
}

static void write_text(const char *path, const char *text)
{
    const int file = open(path, O_WRONLY);
    if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text)) {
        perror(path);
    }
    if (file >= 0) {
        (void)close(file);
    }
}

/** Spins for ever; each stretch in which nobody else ran is noted. */
static void spin_in_stretches(spans *of)
{
    uint64_t begin = now();
    uint64_t last = begin;
    for (;;) {
        const uint64_t at = now();
        if (at - last > APART_NS) {
            note(of, begin, last);
            begin = at;
        }
        last = at;
    }
}

static void held(spans *of)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)drawn(3 * MS, 12 * MS));
    write_text("/sys/module/rtstone_hold/parameters/hold_ns", text);
    FILE *const when = fopen("/sys/module/rtstone_hold/parameters/held", "r");
    unsigned long long begin;
    unsigned long long end;
    if (when != NULL && fscanf(when, "%llu %llu", &begin, &end) == 2) {
        note(of, begin, end);
    }
    if (when != NULL) {
        (void)fclose(when);
    }
}

static void stop_engine(spans *of)
{
    const uint64_t begin = now();
    (void)kill(engine, SIGSTOP);
    pause_for(drawn(5 * MS, 20 * MS));
    (void)kill(engine, SIGCONT);
    note(of, begin, now());
}

/** Real-time tasks often use up so small a budget: of each 100 ms, 10 to 30 are left to others. */
static void lessen_budget(void)
{
    char text[32];
    const uint64_t left_ns = drawn(10 * MS, 30 * MS);
    const char *const server = "/sys/kernel/debug/sched/fair_server/cpu0/runtime";
    if (access(server, F_OK) == 0) { /* Linux from 6.12 on lends the CPU to a task that starves */
        (void)snprintf(text, sizeof text, "%llu", (unsigned long long)left_ns);
        write_text(server, text);
        write_text("/sys/kernel/debug/sched/fair_server/cpu0/period", "100000000");
        return;
    }
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)(100 * MS - left_ns) / 1000);
    write_text("/proc/sys/kernel/sched_rt_runtime_us", text);
}

static void become(const char *name, int priority)
{
    const struct sched_param param = {.sched_priority = priority};
    (void)prctl(PR_SET_NAME, name);
    if (sched_setscheduler(0, priority > 0 ? SCHED_FIFO : SCHED_OTHER, &param) != 0) {
        perror(name);
    }
}

/** How often a thread has given up the CPU to wait. */
static long waits_of(pid_t thread)
{
    static const char key[] = "voluntary_ctxt_switches:";
    char text[64];
    long found = 0;
    (void)snprintf(text, sizeof text, "/proc/%d/status", (int)thread);
    FILE *const status = fopen(text, "r");
    while (status != NULL && fgets(text, sizeof text, status) != NULL) {
        if (strncmp(text, key, sizeof key - 1u) == 0) {
            found = strtol(text + sizeof key - 1u, NULL, 10);
        }
    }
    if (status != NULL) {
        (void)fclose(status);
    }
    return found;
}

/** Until a real-time thread of the engine has waited for some periods. Before that, the engine could be kept from starting at all. */
static void await_measuring(void)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)engine);
    for (;;) {
        DIR *const threads = opendir(path);
        for (const struct dirent *one = threads == NULL ? NULL : readdir(threads); one != NULL;
             one = readdir(threads)) {
            const pid_t thread = (pid_t)strtol(one->d_name, NULL, 10);
            if (thread > 0 && sched_getscheduler(thread) == SCHED_FIFO && waits_of(thread) > SOME_PERIODS) {
                (void)closedir(threads);
                return;
            }
        }
        if (threads != NULL) {
            (void)closedir(threads);
        }
        pause_for(1 * MS);
    }
}

static void spin_above(spans *of)
{
    spin(of, drawn(4 * MS, 12 * MS));
}

static void spin_below(spans *of)
{
    spin(of, drawn(3 * MS, 9 * MS));
}

/** What a plant's task does again and again, and how long it sleeps before. */
typedef struct deed {
    const char *name;
    int priority; /* 0: not real-time */
    uint64_t least_ns;
    uint64_t most_ns;
    void (*once)(spans *);
} deed;

static const deed deeds[] = {
    {"above", 98, 15 * MS, 40 * MS, spin_above}, {"below", 10, 2 * MS, 6 * MS, spin_below},
    {"stop", 98, 30 * MS, 70 * MS, stop_engine}, {"held", 0, 15 * MS, 40 * MS, held},
    {"budget", 0, 0, 0, spin_in_stretches}, /* never sleeps: the kernel would not wake it */
};

static pid_t plant(spans *of)
{
    const pid_t child = fork();
    if (child != 0) {
        return child;
    }
    const deed *one = deeds;
    while (one < deeds + sizeof deeds / sizeof deeds[0] && strcmp(one->name, of->name) != 0) {
        one++;
    }
    if (one == deeds + sizeof deeds / sizeof deeds[0]) {
        _exit(96);
    }
    char name[24];
    (void)snprintf(name, sizeof name, "plant-%s", of->name);
    state += (uint64_t)(of - plants) * 0x9e3779b97f4a7c15ull; /* so that two plants draw apart */
    become(name, one->priority);
    for (;;) {
        if (one->most_ns != 0) {
            pause_for(drawn(one->least_ns, one->most_ns));
        }
        one->once(of);
    }
}

/** A real-time task that is never to blame leaves nothing to the others. */
static pid_t use_up(void)
{
    const pid_t child = fork();
    if (child == 0) {
        become("plant-below", 10);
        for (;;) {
            (void)now();
        }
    }
    return child;
}

static void say(const spans *of)
{
    for (unsigned i = 0; i < of->count; i++) {
        (void)fprintf(stderr, "%s%llu %llu", i % OF_A_LINE == 0 ? "PLANTED " : " ", (unsigned long long)of->at[i][0],
                      (unsigned long long)of->at[i][1]);
        if (i % OF_A_LINE == OF_A_LINE - 1 || i == of->count - 1) {
            (void)fprintf(stderr, " %s\n", of->name);
        }
    }
}

int main(int argc, char **argv)
{
    unsigned count = 0;
    pid_t children[MOST_PLANTS + 1];
    unsigned long long seed = 0;
    bool budget = false;
    FILE *const asked = fopen("/plants", "r");
    plants = mmap(NULL, MOST_PLANTS * sizeof *plants, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (argc < 2 || asked == NULL || plants == MAP_FAILED || fscanf(asked, "%llu", &seed) != 1) {
        perror("/plants");
        return 98;
    }
    state = seed | 1u;
    unsigned there = 0;
    while (there < MOST_PLANTS && fscanf(asked, "%15s", plants[there].name) == 1) {
        budget = budget || strcmp(plants[there].name, "budget") == 0;
        there++;
    }
    (void)fclose(asked);
    /* No budget yet: the engine would rest by it. Without one, nothing is throttled but by a plant. */
    write_text("/proc/sys/kernel/sched_rt_runtime_us", "-1");
    write_text("/proc/sys/kernel/sched_rt_period_us", "100000");
    engine = fork();
    if (engine == 0) {
        (void)execv(ENGINE, argv);
        _exit(99);
    }
    await_measuring();
    if (budget) {
        lessen_budget();
        become("planter", 97); /* the kernel serves others' timers below the one that spins */
    }
    for (unsigned i = 0; i < there; i++) {
        children[count++] = plant(&plants[i]);
    }
    if (budget) { /* last: who notes what is left must be there by then */
        children[count++] = use_up();
    }
    int status = 0;
    /* Who uses up the budget rests in between: the engine, of which not all is real-time, must go on. */
    for (int on = 0; waitpid(engine, &status, budget ? WNOHANG : 0) == 0; on = !on) {
        (void)kill(children[count - 1u], on ? SIGCONT : SIGSTOP);
        pause_for(drawn(200 * MS, 400 * MS));
    }
    for (unsigned i = 0; i < count; i++) {
        (void)kill(children[i], SIGKILL);
        (void)waitpid(children[i], NULL, 0);
    }
    for (unsigned i = 0; i < there; i++) {
        say(&plants[i]);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}
