/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Process 1 of a guest whose kernel plays a VMEbus: runs the engine's transfers through a master window, and prints the memory behind the slave's.
 *
 * For each case one line "CASE name", the engine's records, "MASTER space cycle width" as the driver has them, and "SLAVE value …": the
 * memory of the slave windows, block by block of 4096 bytes, `mixed` for a block whose bytes differ. vme_cases.def is the test's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../probe/rtstone_probe.h"
#include "vme_slaves.h"
#include "vme_user.h"

#define BLOCK 4096u
#define GET_MASTER _IOR(0xae, 3, rts_vme_master)

typedef struct vme_case {
    const char *window; /**< the engine's: space and address */
    const char *slave;  /**< where the slave windows are; where the case is sound, the same */
    const char *measurement;
    unsigned slaves;
} vme_case;

static const vme_case cases[] = {
#include "vme_cases.def"
};

/** 0, or why the module is not loaded. */
static int try_load(const char *name, const char *parameters)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/modules/%s.ko", name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const int error = syscall(SYS_finit_module, file, parameters, 0) != 0 ? errno : 0;
    (void)close(file);
    return error;
}

static void load(const char *name, const char *parameters)
{
    const int error = try_load(name, parameters);
    if (error != 0) {
        (void)printf("FAILS to load %s: %s\n", name, strerror(error));
    }
}

/** The probe module's window: places that it refuses to be loaded for, and moves that it refuses to make. */
static void try_window(void)
{
    static const struct {
        const char *parameters;
        int error;
    } loads[] = {{"window=x", EINVAL},
                 {"window=0000:00:1f.7/0", ENODEV},
                 {"window=0000:00:04.0/1", ENXIO},
                 {"window=0000:00:04.0/99", ENXIO},
                 {"window=0000:00:04.0/0", ENXIO},
                 {"window=0000:00:05.0/0", EBUSY}};
    static const struct rtstone_window_move moves[] = {{.at = 4u << 20, .bits = 8},
                                                       {.at = (4u << 20) - BLOCK + 8u, .bits = 8},
                                                       {.at = UINT64_MAX - 7u, .bits = 8},
                                                       {.at = 4, .bits = 8},
                                                       {.bits = 0},
                                                       {.bits = 24},
                                                       {.bits = 8, .way = RTSTONE_WINDOW_WAYS}};
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        const int error = try_load("rtstone_probe", loads[i].parameters);
        (void)printf("%s %s: %d\n", error == loads[i].error ? "refuses" : "FAILS", loads[i].parameters, error);
    }
    load("rtstone_probe", "window=0000:00:04.0/2");
    const int file = open("/dev/" RTSTONE_WINDOW_DEVICE, O_RDWR | O_CLOEXEC);
    struct rtstone_window_info info = {.bytes = 0};
    const bool told = ioctl(file, RTSTONE_WINDOW_INFO, &info) == 0 && info.bytes == 4u << 20;
    (void)printf("%s window %s\n", told && strcmp(info.place, "0000:00:04.0/2") == 0 ? "tells" : "FAILS", info.place);
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        struct rtstone_window_move asked = moves[i];
        const bool refused = ioctl(file, RTSTONE_WINDOW_MOVE, &asked) != 0 && errno == EINVAL;
        (void)printf("%s move %zu\n", refused ? "refuses" : "FAILS", i);
    }
    struct rtstone_window_move last = {.at = (4u << 20) - BLOCK, .bits = 64, .value = 5};
    const bool wrote = ioctl(file, RTSTONE_WINDOW_MOVE, &last) == 0;
    last.way = RTSTONE_WINDOW_READ;
    const bool right = wrote && ioctl(file, RTSTONE_WINDOW_MOVE, &last) == 0 && last.sum == 5u * BLOCK / 8u;
    (void)printf("%s the last block\n", right ? "moves" : "FAILS");
    const bool stays = syscall(SYS_delete_module, "rtstone_probe", O_NONBLOCK) != 0;
    (void)close(file);
    (void)printf("%s\n", stays && syscall(SYS_delete_module, "rtstone_probe", O_NONBLOCK) == 0 ? "unloads" : "FAILS");
}

static void run_engine(const vme_case *one)
{
    char window[40];
    (void)snprintf(window, sizeof window, "vme:0/%s", one->window);
    const pid_t engine = fork();
    if (engine == 0) {
        (void)execl("/rtstone-engine", "rtstone-engine", "run", "--measurement", one->measurement, "--count", "10",
                    "--window", window, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    if (engine < 0 || waitpid(engine, &status, 0) != engine || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        (void)printf("FAILS to run the engine: %d\n", status);
    }
}

static void tell_master(void)
{
    rts_vme_master master = {0};
    const int file = open("/dev/bus/vme/m0", O_RDWR | O_CLOEXEC);
    if (file < 0 || ioctl(file, GET_MASTER, &master) != 0) {
        (void)printf("FAILS to ask the master: %s\n", strerror(errno));
    }
    (void)close(file);
    (void)printf("MASTER %#" PRIx32 " %#" PRIx32 " %#" PRIx32 " at %#" PRIx64 "\n", master.space, master.cycle,
                 master.width, master.address);
}

/** The memory behind a slave window is reached through its own device, past the bus. */
static int open_memory(unsigned which)
{
    char path[40];
    (void)snprintf(path, sizeof path, "/dev/bus/vme/s%u", which);
    return open(path, O_RDWR | O_CLOEXEC);
}

static void clear_slaves(unsigned count)
{
    static const char zeros[BLOCK];
    for (unsigned i = 0; i < count; i++) {
        const int file = open_memory(i);
        for (off_t at = 0; pwrite(file, zeros, BLOCK, at) == (ssize_t)BLOCK; at += BLOCK) {
        }
        (void)close(file);
    }
}

static void tell_slaves(unsigned count)
{
    unsigned char block[BLOCK];
    (void)printf("SLAVE");
    for (unsigned i = 0; i < count; i++) {
        const int file = open_memory(i);
        for (off_t at = 0; pread(file, block, BLOCK, at) == (ssize_t)BLOCK; at += BLOCK) {
            const int same = memcmp(block, block + 1, BLOCK - 1u) == 0;
            (void)printf(same ? " %u" : " mixed", block[0]);
        }
        (void)close(file);
    }
    (void)printf("\n");
}

int main(void)
{
    (void)mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
    (void)mount("proc", "/proc", "proc", 0, NULL);
    (void)mount("sysfs", "/sys", "sysfs", 0, NULL);
    const int console = open("/dev/console", O_RDWR);
    (void)dup2(console, STDOUT_FILENO);
    (void)dup2(console, STDERR_FILENO);
    (void)setvbuf(stdout, NULL, _IONBF, 0);
    try_window();
    load("vme", "");
    load("vme_fake", "");
    load("vme_user", "bus=0");
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const vme_case *one = &cases[i];
        (void)printf("CASE %s %s %s %u\n", one->measurement, one->window, one->slave, one->slaves);
        const int opened = guest_vme_open_slaves(one->slave, one->slaves);
        if (opened < 1) {
            (void)printf("FAILS to open slaves at %s: %s\n", one->slave, strerror(errno));
            continue;
        }
        clear_slaves((unsigned)opened);
        run_engine(one);
        tell_master();
        tell_slaves((unsigned)opened);
    }
    (void)printf("DONE\n");
    (void)usleep(100000);
    (void)reboot(RB_AUTOBOOT);
    for (;;) {
        (void)pause();
    }
}
