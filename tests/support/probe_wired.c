/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The probe module on a machine of two CPUs: the GPIO source over two wired lines, and the load's readers. Then the engine, which waits for edges.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probe_exercise.h"

#define WIRED "source=gpio gpio_chip=wired gpio_in=0 gpio_out=1"
#define PERIOD_NS 2000000u
/* What the chip holds, and a reading of another clock: five periods, of which a busy host may delay some. */
#define HELD_NS 10900000u
#define SAMPLES 400
#define HOLDS 20
#define STARTS 400

static unsigned long long now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (unsigned long long)t.tv_sec * 1000000000u + (unsigned long long)t.tv_nsec;
}

static void bind_to(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    (void)sched_setaffinity(0, sizeof set, &set);
}

static struct rtstone_probe_start every_period(int cpu)
{
    return (struct rtstone_probe_start){.period = PERIOD_NS, .cpu = cpu};
}

/** The line rises while the measured CPU has its interrupts off, and how long they are off is in the figure. */
static void interrupts_off(int device, int chip, int cpu)
{
    const struct rtstone_probe_start start = every_period(cpu);
    struct rtstone_probe_sample s = {.lost = 0};
    unsigned long long longest = 0;
    int raised = ioctl(device, RTSTONE_PROBE_START, &start) == 0;
    for (int i = 0; i < HOLDS && raised; i++) {
        raised = write(chip, "1", 1) == 1;
    }
    (void)poll(NULL, 0, 20);
    (void)fcntl(device, F_SETFL, O_NONBLOCK);
    while (next(device, &s)) {
        longest = s.entered - s.asserted > longest ? s.entered - s.asserted : longest;
    }
    (void)fcntl(device, F_SETFL, 0);
    tell(raised, "the line rises while interrupts are off");
    tell(longest >= HELD_NS, "how long they were off is in the figure");
    (void)ioctl(device, RTSTONE_PROBE_STOP);
}

/**
 * Samples and lost periods make up the time that has passed: the number of a sample and the periods lost until then give the period
 * that it was raised in. A period that is lost between its rise and its handler counts with that sample, and a CPU of this machine may
 * stand still just before it reads the clock. So not every time is exact, but none is raised before its period.
 */
static void counts(int device, int chip, int cpu)
{
    const struct rtstone_probe_start start = every_period(cpu);
    struct rtstone_probe_sample s = {.lost = 0};
    const unsigned long long before = now();
    int ordered = ioctl(device, RTSTONE_PROBE_START, &start) == 0;
    const unsigned long long after = now();
    unsigned early = 0;
    unsigned late = 0;
    for (unsigned i = 0; i < SAMPLES && ordered; i++) {
        const unsigned long long least = start.period * (1 + i + s.lost);
        if (i % 20 == 10 && write(chip, "1", 1) != 1) {
            break;
        }
        ordered = next(device, &s) && s.asserted <= s.entered && s.entered <= s.released;
        early += s.asserted - before < least;
        late += s.asserted - after >= start.period * (2 + i + s.lost);
    }
    (void)printf("note: %u of %u samples early, %u late, %llu periods lost\n", early, SAMPLES, late,
                 (unsigned long long)s.lost);
    tell(ordered, "stamps are in order");
    tell(s.lost >= SAMPLES / 20, "periods that the line could not rise in are lost");
    tell(early == 0 && late < SAMPLES / 2, "every period is a sample or lost");
    (void)ioctl(device, RTSTONE_PROBE_STOP);
}

static int set_online(int cpu, const char *online)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/online", cpu);
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    const int good = write(file, online, 1) == 1;
    (void)close(file);
    return good;
}

static void wired_lines(void)
{
    of = "gpio";
    tell(load_module("wired_gpio", "") == 0, "has its lines");
    const int chip = open("/dev/wired-gpio", O_WRONLY | O_CLOEXEC);
    tell(load(WIRED) == 0, "loads");
    int device = opened();
    tell(ioctl(device, RTSTONE_PROBE_INFO, &info) == 0 &&
             info.can == (RTSTONE_PROBE_CAN_PERIOD | RTSTONE_PROBE_CAN_TRIGGER),
         "raises its line by period and by software");
    for (int cpu = 0; cpu < 2; cpu++) {
        bind_to(cpu);
        interrupts_off(device, chip, cpu);
        counts(device, chip, cpu);
    }
    by_software(device);
    const struct rtstone_probe_start start = every_period(1);
    (void)ioctl(device, RTSTONE_PROBE_START, &start);
    (void)close(device);
    tell(unload() == 0, "unloads after a run that was not stopped");

    const struct rtstone_probe_start alone = every_period(0);
    tell(load(WIRED) == 0 && set_online(1, "0"), "loads, and the other CPU goes");
    device = opened();
    tell(ioctl(device, RTSTONE_PROBE_START, &alone) != 0 && errno == EOPNOTSUPP,
         "has no period where there is no other CPU to raise the line");
    by_software(device);
    tell(set_online(1, "1") && ioctl(device, RTSTONE_PROBE_START, &alone) == 0, "has it again with the other CPU");
    (void)close(device);
    (void)close(chip);
    tell(unload() == 0, "unloads");
}

static struct {
    int device;
    atomic_uint starts; /* odd: a START is under way */
    atomic_uint wrong;
    atomic_uint taken;
    atomic_bool end;
} load_under_test;

/** Takes events. ECANCELED, which ends them, may come only where a START or STOP was under way. */
static void *take(void *source)
{
    while (!atomic_load(&load_under_test.end)) {
        struct rtstone_traffic_event event = {.source = *(const unsigned *)source};
        const unsigned before = atomic_load(&load_under_test.starts);
        if (ioctl(load_under_test.device, RTSTONE_TRAFFIC_WAIT, &event) == 0) {
            atomic_fetch_add(&load_under_test.taken, 1);
        } else if (errno == ECANCELED && before % 2 == 0 && before == atomic_load(&load_under_test.starts)) {
            atomic_fetch_add(&load_under_test.wrong, 1);
        }
    }
    return NULL;
}

static void on_alarm(int unused)
{
    (void)unused;
}

static void readers_and_starts(void)
{
    static const unsigned sources[RTSTONE_TRAFFIC_SOURCES] = {RTSTONE_TRAFFIC_TIMER, RTSTONE_TRAFFIC_LINE};
    const struct rtstone_traffic_start start = {.seed = 1, .rate_hz = 20000, .cpu = 0};
    const struct sigaction action = {.sa_handler = on_alarm};
    struct rtstone_traffic_event event = {.source = 0};
    struct rtstone_traffic_counts told;
    pthread_t threads[RTSTONE_TRAFFIC_SOURCES];
    of = "traffic";
    tell(load("line=0000:00:02.0") == 0, "loads");
    load_under_test.device = open("/dev/rtstone-traffic", O_RDONLY | O_CLOEXEC);
    (void)sigaction(SIGALRM, &action, NULL);
    (void)alarm(2);
    tell(ioctl(load_under_test.device, RTSTONE_TRAFFIC_WAIT, &event) != 0 && errno == ECANCELED,
         "nobody waits where nothing runs");
    (void)alarm(0);
    atomic_store(&load_under_test.starts, 1); /* nothing runs yet */
    for (unsigned i = 0; i < RTSTONE_TRAFFIC_SOURCES; i++) {
        (void)pthread_create(&threads[i], NULL, take, (void *)&sources[i]);
    }
    int good = 1;
    for (int i = 0; i < STARTS; i++) {
        good = ioctl(load_under_test.device, RTSTONE_TRAFFIC_START, &start) == 0 && good;
        atomic_fetch_add(&load_under_test.starts, 1);
        (void)poll(NULL, 0, 2);
        atomic_fetch_add(&load_under_test.starts, 1);
    }
    atomic_store(&load_under_test.end, true);
    tell(good && ioctl(load_under_test.device, RTSTONE_TRAFFIC_STOP, &told) == 0, "starts again and again");
    for (unsigned i = 0; i < RTSTONE_TRAFFIC_SOURCES; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    (void)printf("note: %u events taken, %u false ends\n", load_under_test.taken, load_under_test.wrong);
    tell(load_under_test.taken > 0, "events come");
    tell(load_under_test.wrong == 0, "no reader is told of an end while it runs");
    (void)close(load_under_test.device);
    tell(unload() == 0, "unloads");
}

static void rest_us(long us)
{
    const struct timespec rest = {.tv_nsec = us * 1000};
    (void)nanosleep(&rest, NULL);
}

/** Raises and lowers line 1 until it is killed, at intervals of 1 to 3 ms. */
static void make_edges(int chip)
{
    struct gpio_v2_line_request asked = {.num_lines = 1, .config.flags = GPIO_V2_LINE_FLAG_OUTPUT};
    struct gpio_v2_line_values level = {.mask = 1};
    asked.offsets[0] = 1;
    if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &asked) != 0) {
        _exit(1);
    }
    for (;;) {
        level.bits ^= 1u;
        (void)ioctl(asked.fd, GPIO_V2_LINE_SET_VALUES_IOCTL, &level);
        rest_us(500 + random() % 1000);
    }
}

/** Opens the file of the chip with the label "wired". Returns -1 if there is no such chip. */
static int wired_chip(char path[32])
{
    struct gpiochip_info chip;
    for (int i = 0; i < 4; i++) {
        (void)snprintf(path, 32, "/dev/gpiochip%d", i);
        const int file = open(path, O_RDWR | O_CLOEXEC);
        if (file >= 0 && ioctl(file, GPIO_GET_CHIPINFO_IOCTL, &chip) == 0 && strcmp(chip.label, "wired") == 0) {
            return file;
        }
        (void)close(file);
    }
    return -1;
}

/** One item of the engine; its records go to the console in hexadecimal, a line each. A maker is ended a second after the item has begun. */
static void run_engine(const char *measured, const char *timer, const char *count, pid_t maker)
{
    static char room[1 << 16];
    int records[2];
    size_t has = 0;
    ssize_t got;
    (void)pipe(records);
    const pid_t engine = fork();
    if (engine == 0) {
        (void)dup2(records[1], STDOUT_FILENO);
        (void)close(records[0]);
        (void)close(records[1]);
        (void)execl("/rtstone-engine", "rtstone-engine", "run", "--measurement", "edge-response", "--timer", timer,
                    "--count", count, "--warmup", "5", NULL);
        _exit(127);
    }
    (void)close(records[1]);
    while (has < sizeof room - 1 && (got = read(records[0], room + has, sizeof room - 1 - has)) > 0) {
        has += (size_t)got;
        if (maker != 0 && strstr(room, "\"begin\"") != NULL) {
            (void)poll(NULL, 0, 1000);
            (void)kill(maker, SIGKILL);
            maker = 0;
        }
    }
    (void)waitpid(engine, NULL, 0);
    (void)close(records[0]);
    for (char *line = strtok(room, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        (void)printf("%s ", measured);
        for (; *line != '\0'; line++) {
            (void)printf("%02x", (unsigned char)*line);
        }
        (void)putchar('\n');
    }
    memset(room, 0, sizeof room);
}

static void edges(void)
{
    char path[32];
    char line[48];
    char answers[16] = "";
    int status = 0;
    of = "edges";
    const int chip = wired_chip(path);
    tell(chip >= 0, "has the chip");
    const pid_t maker = fork();
    if (maker == 0) {
        make_edges(chip);
    }
    (void)snprintf(line, sizeof line, "gpio:%s/0+2", path);
    run_engine("LINE", line, "200", 0);
    const int told = open("/sys/module/wired_gpio/parameters/answers", O_RDONLY | O_CLOEXEC);
    (void)!read(told, answers, sizeof answers - 1);
    (void)close(told);
    (void)printf("ANSWERS %s", answers);
    run_engine("PULSES", "pps:/dev/pps0", "200", 0);
    (void)snprintf(line, sizeof line, "gpio:%s/1", path);
    run_engine("TAKEN", line, "200", 0);
    tell(waitpid(maker, &status, WNOHANG) == 0, "edges came to the end");
    (void)snprintf(line, sizeof line, "gpio:%s/0", path);
    run_engine("ENDED", line, "1000000", maker);
    (void)waitpid(maker, &status, 0);
    (void)close(chip);
}

void try_sources(void)
{
    (void)mount("sysfs", "/sys", "sysfs", 0, NULL);
    wired_lines();
    readers_and_starts();
    edges();
}
