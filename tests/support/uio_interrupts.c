/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Process 1 of a guest with QEMU's device `edu` under uio_pci_generic, and a serial line on the same interrupt: raises interrupts, and lets the
 * engine measure the response to those of the first.
 *
 * Prints a line "CASE name", the engine's records, and "RAISED interrupts events": how many the device was told to raise, and how many the kernel
 * counted, both since the case began. A next interrupt is raised only once the device was told that the one before is acknowledged.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bind.h"
#include "load_module.h"

#define STATUS (0x24 / 4)
#define RAISE (0x60 / 4)
#define ACKNOWLEDGE (0x64 / 4)
#define COUNT "200"
#define SERVED 100 /* more than the warm-up */
#define BURST 5    /* interrupts while the engine is stopped */

/** Counts that two processes share. */
typedef struct shared {
    volatile uint32_t raised;
    volatile bool stop;
    bool unprivileged; /**< the engine's next run */
} shared;

static shared *common;
static volatile uint32_t *device;

static void rest_us(long us)
{
    const struct timespec rest = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
    (void)nanosleep(&rest, NULL);
}

static void map(void)
{
    char path[96];
    (void)snprintf(path, sizeof path, "/sys/bus/pci/devices/" UIO_DEVICE "/resource0");
    const int file = open(path, O_RDWR | O_SYNC | O_CLOEXEC);
    void *const mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) {
        (void)printf("FAILS to map %s: %s\n", path, strerror(errno));
        exit(1);
    }
    (void)close(file);
    device = mapped;
}

static long events(void)
{
    long count = -1;
    FILE *file = fopen("/sys/class/uio/uio0/event", "re");
    if (file != NULL && fscanf(file, "%ld", &count) != 1) {
        count = -1;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return count;
}

/** Lets the next interrupt of a device through: uio_pci_generic masks each by the device's command register. */
static void unmask(void)
{
    char path[96];
    unsigned char command[2] = {0, 0};
    (void)snprintf(path, sizeof path, "/sys/bus/pci/devices/" UIO_DEVICE "/config");
    const int file = open(path, O_RDWR | O_CLOEXEC);
    (void)!pread(file, command, sizeof command, 4);
    command[1] &= 0xfbu;
    if (pwrite(file, command, sizeof command, 4) != (ssize_t)sizeof command) {
        (void)printf("FAILS to unmask: %s\n", strerror(errno));
    }
    (void)close(file);
}

/** Raises an interrupt of the device every few milliseconds, the one before it being acknowledged. */
static void raise_own(void)
{
    while (!common->stop) {
        rest_us(2000 + random() % 3000);
        if (device[STATUS] == 0) {
            common->raised++;
            device[RAISE] = 1;
        }
    }
}

/** Lets the serial line interrupt, by sending a byte every few milliseconds. */
static void raise_other(void)
{
    char path[96];
    char tty[32] = "";
    for (int i = 0; i < 64; i++) {
        (void)snprintf(path, sizeof path, "/sys/bus/pci/devices/" UIO_OTHER "/tty/ttyS%d", i);
        if (access(path, F_OK) == 0) {
            (void)snprintf(tty, sizeof tty, "/dev/ttyS%d", i);
        }
    }
    const int line = open(tty, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (line < 0) {
        (void)printf("FAILS to open the line %s: %s\n", tty, strerror(errno));
    }
    while (!common->stop) {
        rest_us(1000 + random() % 3000);
        (void)!write(line, "x", 1);
    }
}

static pid_t start_raiser(void (*raiser)(void))
{
    const pid_t child = fork();
    if (child == 0) {
        raiser();
        _exit(0);
    }
    return child;
}

/** While the engine is stopped, serves the device in its place, so that its count rises by several. */
static void burst(pid_t engine)
{
    (void)kill(-engine, SIGSTOP);
    rest_us(50000);
    for (int i = 0; i < BURST; i++) {
        common->raised++;
        device[RAISE] = 1;
        rest_us(10000);
        device[ACKNOWLEDGE] = 1;
        unmask();
    }
    (void)kill(-engine, SIGCONT);
}

/** Takes from this process, and from the programs that it executes, what BPF programs need. */
static void drop_capabilities(void)
{
    const int needed[] = {CAP_BPF, CAP_PERFMON, CAP_SYS_ADMIN};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (prctl(PR_CAPBSET_DROP, needed[i], 0, 0, 0) != 0) {
            _exit(126);
        }
    }
}

static pid_t start_engine(const char *timer, const char *count)
{
    const pid_t engine = fork();
    if (engine == 0) {
        (void)setpgid(0, 0);
        if (common->unprivileged) {
            drop_capabilities();
        }
        (void)execl("/rtstone-engine", "rtstone-engine", "run", "--measurement", "uio-response", "--timer", timer,
                    "--count", count, "--warmup", "5", "--raw", "1", (char *)NULL);
        _exit(127);
    }
    return engine;
}

static void await(pid_t process)
{
    int status = 0;
    if (waitpid(process, &status, 0) != process || !WIFEXITED(status)) {
        (void)printf("FAILS to end: %d\n", status);
    }
}

/** Waits until the engine has served some interrupts since there were so many, or for a minute. */
static void await_served(long before)
{
    for (int i = 0; i < 600 && events() - before < SERVED; i++) {
        rest_us(100000);
    }
}

/** `raisers`: of the device alone, of both, or none. */
static void measure(const char *name, const char *timer, const char *count, int raisers, bool stopped)
{
    const long before = events();
    pid_t raiser[2] = {0, 0};
    (void)printf("CASE %s\n", name);
    common->raised = 0;
    common->stop = false;
    const pid_t engine = start_engine(timer, count);
    for (int i = 0; i < raisers; i++) {
        raiser[i] = start_raiser(i == 0 ? raise_own : raise_other);
    }
    if (stopped) {
        await_served(before);
        common->stop = true;
        await(raiser[0]);
        burst(engine);
        common->stop = false;
        raiser[0] = start_raiser(raise_own);
    }
    await(engine);
    common->stop = true;
    for (int i = 0; i < raisers; i++) {
        await(raiser[i]);
    }
    (void)printf("RAISED %u %ld\n", common->raised, events() - before);
}

/** Interrupts that end while the engine waits for more. */
static void end_early(void)
{
    const long before = events();
    (void)printf("CASE ended\n");
    common->stop = false;
    const pid_t engine = start_engine("uio:/dev/uio0+0/64:1", "100000");
    const pid_t raiser = start_raiser(raise_own);
    await_served(before);
    common->stop = true;
    await(raiser);
    await(engine);
}

int main(void)
{
    (void)mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
    (void)mount("proc", "/proc", "proc", 0, NULL);
    (void)mount("sysfs", "/sys", "sysfs", 0, NULL);
    const int console = open("/dev/console", O_RDWR);
    (void)dup2(console, STDIN_FILENO);
    (void)dup2(console, STDOUT_FILENO);
    (void)dup2(console, STDERR_FILENO);
    (void)setvbuf(stdout, NULL, _IONBF, 0);
    common = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    load_module("uio");
    load_module("uio_pci_generic");
    if (!guest_bind(UIO_DEVICE, "uio_pci_generic")) {
        (void)printf("FAILS to bind: %s\n", strerror(errno));
    }
    map();
    measure("plain", "uio:/dev/uio0+0/64:1", COUNT, 1, false);
    measure("stopped", "uio:/dev/uio0+0/64:1", "1000", 1, true);
    measure("no-device", "uio:/dev/uio7", COUNT, 0, false);
    measure("no-name", "uio:/dev/uio0+64", COUNT, 0, false);
    measure("no-region", "uio:/dev/uio0+5/64:1", COUNT, 0, false);
    const int file = open("/dev/uio0", O_RDWR | O_CLOEXEC);
    measure("busy", "uio:/dev/uio0+0/64:1", COUNT, 0, false);
    (void)close(file);
    common->unprivileged = true;
    measure("no-capability", "uio:/dev/uio0+0/64:1", COUNT, 0, false);
    common->unprivileged = false;
    end_early();
    measure("shared", "uio:/dev/uio0+0/64:1", COUNT, 2, false);
    (void)printf("DONE\n");
    rest_us(100000);
    (void)reboot(RB_AUTOBOOT);
    for (;;) {
        (void)pause();
    }
}
