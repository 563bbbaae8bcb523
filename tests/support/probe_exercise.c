/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a guest tries the probe module with, as a careless laboratory would: one line for each thing that must hold.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe_exercise.h"

#define DEVICE "/dev/rtstone-probe"
#define SIGNAL (SIGRTMIN + 3)

const char *of = "";
struct rtstone_probe_info info;

void tell(int holds, const char *what)
{
    const int error = errno;
    (void)printf("%s %s: %s (%s)\n", holds ? "holds" : "FAILS", of, what, holds ? "" : strerror(error));
}

int load_module(const char *name, const char *parameters)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/modules/%s.ko", name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const int result = (int)syscall(SYS_finit_module, file, parameters, 0);
    (void)close(file);
    return result;
}

int load(const char *parameters)
{
    return load_module("rtstone_probe", parameters);
}

int unload(void)
{
    return (int)syscall(SYS_delete_module, "rtstone_probe", O_NONBLOCK);
}

int opened(void)
{
    return open(DEVICE, O_RDONLY | O_CLOEXEC);
}

struct rtstone_probe_start every_ms(unsigned bottom, unsigned flags)
{
    struct rtstone_probe_start start = {.bottom = bottom, .flags = flags};
    if ((flags & RTSTONE_PROBE_SOFTWARE) == 0) {
        start.period = info.hz / 1000;
    }
    return start;
}

static void refuses(int device, struct rtstone_probe_start start, const char *what)
{
    tell(ioctl(device, RTSTONE_PROBE_START, &start) != 0 && errno == EINVAL, what);
}

/** Bad arguments are refused, each by itself. */
static void bounds(int device)
{
    struct rtstone_probe_start s;
    char small[8];
    int number = 5;
    s = every_ms(0, 0), s.period = 0, refuses(device, s, "refuses no period");
    s = every_ms(0, 0), s.period = info.hz / 200000, refuses(device, s, "refuses a period of 5 us");
    s = every_ms(0, 0), s.period = 1ull << 32, refuses(device, s, "refuses a period beyond 32 bits");
    s = every_ms(0, 0), s.phase = 1ull << 32, refuses(device, s, "refuses a phase beyond 32 bits");
    s = every_ms(0, 0), s.cpu = -1, refuses(device, s, "refuses CPU -1");
    s = every_ms(0, 0), s.cpu = 1 << 20, refuses(device, s, "refuses a CPU that there is not");
    s = every_ms(RTSTONE_PROBE_BOTTOMS, 0), refuses(device, s, "refuses a bottom half that there is not");
    s = every_ms(~0u, 0), refuses(device, s, "refuses a bottom half far out");
    s = every_ms(0, 8), refuses(device, s, "refuses a flag that there is not");
    s = every_ms(1, 0), s.priority = 99, refuses(device, s, "refuses priority 99");
    s = every_ms(1, 0), s.priority = -1, refuses(device, s, "refuses priority -1");
    s = every_ms(1, RTSTONE_PROBE_SIGNAL), refuses(device, s, "refuses signals to nobody");
    s = every_ms(1, RTSTONE_PROBE_SOFTWARE), s.period = 1, refuses(device, s, "refuses a period by software");
    tell(ioctl(device, RTSTONE_PROBE_START, NULL) != 0 && errno == EFAULT, "refuses a bad address");
    tell(ioctl(device, RTSTONE_PROBE_TRIGGER) != 0 && errno == EINVAL, "triggers nothing before start");
    tell(ioctl(device, RTSTONE_PROBE_RECEIVE, &number) != 0 && errno == EINVAL, "refuses a signal that does not queue");
    tell(ioctl(device, _IO('R', 0x7f)) != 0 && errno == ENOTTY, "refuses an unknown request");
    tell(read(device, small, sizeof small) < 0 && errno == EINVAL, "refuses a short read");
}

int next(int device, struct rtstone_probe_sample *sample)
{
    return read(device, sample, sizeof *sample) == (ssize_t)sizeof *sample;
}

/** Each bottom half: every period once, its stamps in order. */
static void stamps(int device)
{
    for (unsigned bottom = 0; bottom < RTSTONE_PROBE_BOTTOMS; bottom++) {
        const struct rtstone_probe_start start = every_ms(bottom, 0);
        unsigned long long before = 0;
        int good = ioctl(device, RTSTONE_PROBE_START, &start) == 0;
        for (int i = 0; i < 20 && good; i++) {
            struct rtstone_probe_sample s;
            good = next(device, &s) && s.asserted <= s.entered && s.lost == 0;
            good = good && (bottom == 0 ? s.bottom == 0 && s.entered <= s.released
                                        : s.entered <= s.bottom && s.bottom <= s.released);
            good = good && (i == 0 || s.asserted - before == start.period);
            before = s.asserted;
        }
        tell(good, "stamps are in order, each period once");
    }
}

static void unstamped(int device)
{
    const struct rtstone_probe_start start = every_ms(1, RTSTONE_PROBE_UNSTAMPED);
    struct rtstone_probe_sample s;
    tell(ioctl(device, RTSTONE_PROBE_START, &start) == 0 && next(device, &s) && s.bottom == 0 && s.released == 0 &&
             s.entered >= s.asserted,
         "stamps nothing that it is asked not to");
}

void by_software(int device)
{
    for (unsigned bottom = 0; bottom < RTSTONE_PROBE_BOTTOMS; bottom++) {
        const struct rtstone_probe_start start = every_ms(bottom, RTSTONE_PROBE_SOFTWARE);
        int good = ioctl(device, RTSTONE_PROBE_START, &start) == 0;
        for (int i = 0; i < 5 && good; i++) {
            struct rtstone_probe_sample s;
            good = ioctl(device, RTSTONE_PROBE_TRIGGER) == 0 && next(device, &s) && s.asserted <= s.entered;
        }
        const struct pollfd none = {.fd = -1};
        (void)poll((struct pollfd *)&none, 1, 5);
        (void)fcntl(device, F_SETFL, O_NONBLOCK);
        struct rtstone_probe_sample s;
        good = good && read(device, &s, sizeof s) < 0 && errno == EAGAIN;
        (void)fcntl(device, F_SETFL, 0);
        tell(good, "as many interrupts by software as were raised");
    }
}

static void by_signal(int device)
{
    sigset_t set;
    const struct timespec patience = {.tv_sec = 1, .tv_nsec = 0};
    int number = SIGNAL;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGNAL);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    tell(ioctl(device, RTSTONE_PROBE_STOP) == 0 && ioctl(device, RTSTONE_PROBE_RECEIVE, &number) == 0,
         "takes a receiver");
    struct rtstone_probe_start start = every_ms(0, RTSTONE_PROBE_SIGNAL);
    refuses(device, start, "sends no signal from the handler itself");
    for (unsigned bottom = 1; bottom < RTSTONE_PROBE_BOTTOMS; bottom++) {
        start = every_ms(bottom, RTSTONE_PROBE_SIGNAL);
        int good = ioctl(device, RTSTONE_PROBE_START, &start) == 0;
        for (int i = 0; i < 10 && good; i++) {
            struct rtstone_probe_sample s;
            good = sigtimedwait(&set, NULL, &patience) == SIGNAL && next(device, &s);
        }
        tell(good, "a signal for each interrupt");
    }
    tell(ioctl(device, RTSTONE_PROBE_RECEIVE, &number) != 0 && errno == EBUSY, "keeps its receiver while it runs");
}

/** Nobody reads for longer than the ring holds. */
static void overrun(int device)
{
    struct rtstone_probe_start start = every_ms(1, 0);
    struct rtstone_probe_sample s = {.lost = 0};
    start.period = info.hz / 10000;
    (void)ioctl(device, RTSTONE_PROBE_START, &start);
    (void)poll(NULL, 0, 600);
    unsigned taken = 0;
    while (taken < 6000u && s.lost == 0 && next(device, &s)) {
        taken++;
    }
    tell(taken > 4000u && s.lost > 0, "counts what it had no room for");
}

/** Whoever dies while it runs takes the interrupts along, and the module can go. */
static void killed(void)
{
    int ready[2];
    char one = 0;
    (void)!pipe(ready);
    const pid_t child = fork();
    if (child == 0) {
        const int device = opened();
        const struct rtstone_probe_start start = every_ms(1, 0);
        struct rtstone_probe_sample s;
        (void)ioctl(device, RTSTONE_PROBE_START, &start);
        while (next(device, &s)) {
            (void)!write(ready[1], &one, 1);
        }
        _exit(0);
    }
    (void)!read(ready[0], &one, 1);
    tell(unload() != 0 && (errno == EAGAIN || errno == EBUSY), "stays while somebody measures");
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
    (void)close(ready[0]);
    (void)close(ready[1]);
}

/** A user to whom the site gave the device, and no more. */
static void without_privilege(void)
{
    int status = 1;
    (void)chmod(DEVICE, 0666);
    const pid_t child = fork();
    if (child == 0) {
        _exit(setuid(65534) != 0 || opened() >= 0 || errno != EPERM);
    }
    (void)waitpid(child, &status, 0);
    (void)chmod(DEVICE, 0600);
    tell(WIFEXITED(status) && WEXITSTATUS(status) == 0, "is refused to a user without CAP_SYS_NICE");
}

void exercise(const char *parameters, const char *name)
{
    struct stat facts;
    of = name;
    tell(load(parameters) == 0, "loads");
    without_privilege();
    tell(stat(DEVICE, &facts) == 0 && (facts.st_mode & 07777) == 0600 && facts.st_uid == 0, "is root's alone");
    const int device = opened();
    tell(device >= 0 && ioctl(device, RTSTONE_PROBE_INFO, &info) == 0 && info.abi == RTSTONE_PROBE_ABI,
         "tells its facts");
    tell(opened() < 0 && errno == EBUSY, "has one opener");
    tell(unload() != 0 && (errno == EAGAIN || errno == EBUSY), "stays while it is open");
    bounds(device);
    stamps(device);
    unstamped(device);
    by_software(device);
    by_signal(device);
    overrun(device);
    const struct rtstone_probe_start start = every_ms(2, 0);
    (void)ioctl(device, RTSTONE_PROBE_START, &start);
    (void)close(device);
    tell(unload() == 0, "unloads after a run that was not stopped");
    tell(load(parameters) == 0, "loads again");
    killed();
    tell(unload() == 0, "unloads when its user was killed in mid-run");
}

int main(void)
{
    (void)mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
    const int console = open("/dev/console", O_RDWR);
    (void)dup2(console, STDOUT_FILENO);
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    try_sources();
    (void)puts("DONE");
    (void)fflush(stdout);
    (void)poll(NULL, 0, 100);
    (void)reboot(RB_AUTOBOOT);
    for (;;) {
        (void)pause();
    }
}
