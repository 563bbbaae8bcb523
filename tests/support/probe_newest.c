/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The probe module on a new kernel with two CPUs, of which the second is isolated (nohz_full=1), as a real-time machine's measured CPU is; and its
 * window to a PCI device, beside user space that maps the same region.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include "probe_exercise.h"

#define REGION "/sys/bus/pci/devices/" WINDOW_DEVICE "/resource2"

/** Copies the rest of the line that begins with `key` in a file of /proc; empty if no line begins so. */
static void line_of(const char *path, const char *key, char *value, size_t room)
{
    char line[256];
    FILE *const file = fopen(path, "re");
    value[0] = '\0';
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, strlen(key)) == 0) {
            (void)snprintf(value, room, "%s", line + strlen(key) + strspn(line + strlen(key), "\t "));
            value[strcspn(value, "\n")] = '\0';
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

/** The CPUs on which the bottom half's thread may run, as the kernel lists them. */
static void cpus_of_thread(char *cpus, size_t room)
{
    DIR *const processes = opendir("/proc");
    const struct dirent *entry;
    cpus[0] = '\0';
    while (processes != NULL && (entry = readdir(processes)) != NULL) {
        char path[64];
        char name[32];
        if (isdigit((unsigned char)entry->d_name[0]) == 0) {
            continue;
        }
        (void)snprintf(path, sizeof path, "/proc/%.20s/status", entry->d_name);
        line_of(path, "Name:", name, sizeof name);
        if (strcmp(name, "rtstone_bottom") == 0) {
            line_of(path, "Cpus_allowed_list:", cpus, room);
        }
    }
    if (processes != NULL) {
        (void)closedir(processes);
    }
}

/** The thread stays on the CPU that START names, first the isolated one. */
static void affinity(void)
{
    static const int order[] = {1, 0, 1};
    of = "affinity";
    tell(load("source=hrtimer") == 0, "loads");
    const int device = opened();
    tell(device >= 0 && ioctl(device, RTSTONE_PROBE_INFO, &info) == 0, "opens");
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        struct rtstone_probe_start start = every_ms(1, 0);
        struct rtstone_probe_sample sample;
        char cpus[32];
        char what[96];
        start.cpu = order[i];
        int good = ioctl(device, RTSTONE_PROBE_START, &start) == 0;
        for (int n = 0; n < 50 && good; n++) {
            good = next(device, &sample);
        }
        tell(good, "interrupts come");
        cpus_of_thread(cpus, sizeof cpus);
        (void)snprintf(what, sizeof what, "its thread may run on CPU %d alone: it is %s", order[i], cpus);
        tell(cpus[0] == '0' + order[i] && cpus[1] == '\0', what);
    }
    (void)close(device);
    tell(unload() == 0, "unloads");
}

static int mapped_by_user_space(void)
{
    const int file = open(REGION, O_RDWR | O_SYNC | O_CLOEXEC);
    void *const at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at != MAP_FAILED) {
        (void)munmap(at, 4096);
    }
    (void)close(file);
    return at != MAP_FAILED;
}

/** While the window is open its region is taken, for a driver as for user space where I/O memory is strict; before and after it is free. */
static void window(void)
{
    of = "window";
    const int enable = open("/sys/bus/pci/devices/" WINDOW_DEVICE "/enable", O_WRONLY | O_CLOEXEC);
    tell(write(enable, "1", 1) == 1, "has a device");
    (void)close(enable);
    tell(load("source=hrtimer window=" WINDOW_DEVICE "/2") == 0, "loads");
    tell(mapped_by_user_space(), "leaves the region free until it is opened");
    const int device = open("/dev/" RTSTONE_WINDOW_DEVICE, O_RDWR | O_CLOEXEC);
    struct rtstone_window_move move = {.way = RTSTONE_WINDOW_FLUSHED, .bits = 32, .value = 0x01020304};
    tell(device >= 0 && ioctl(device, RTSTONE_WINDOW_MOVE, &move) == 0, "writes");
    move.way = RTSTONE_WINDOW_READ;
    tell(ioctl(device, RTSTONE_WINDOW_MOVE, &move) == 0 && move.sum == 0x01020304ull * (RTSTONE_WINDOW_BLOCK / 4),
         "reads what was written");
    tell(open("/dev/" RTSTONE_WINDOW_DEVICE, O_RDWR | O_CLOEXEC) < 0 && errno == EBUSY, "has one opener");
    tell(!mapped_by_user_space(), "has the region requested while it is open");
    const volatile unsigned *const words = mmap(NULL, RTSTONE_WINDOW_BLOCK, PROT_READ, MAP_SHARED, device, 0);
    tell(words != MAP_FAILED && words[0] == 0x01020304 && words[RTSTONE_WINDOW_BLOCK / 4 - 1] == 0x01020304,
         "shows by its mapping what was written");
    tell(munmap((void *)words, RTSTONE_WINDOW_BLOCK) == 0, "is unmapped");
    (void)close(device);
    tell(mapped_by_user_space(), "leaves the region free when it is closed");
    tell(unload() == 0, "unloads");
}

void try_sources(void)
{
    (void)mount("proc", "/proc", "proc", 0, NULL);
    (void)mount("sysfs", "/sys", "sysfs", 0, NULL);
    affinity();
    window();
    exercise("source=hrtimer", "hrtimer");
}
