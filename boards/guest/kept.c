/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stops the machine by the register of QEMU's pvpanic (its docs/specs/pvpanic.txt), and takes the seed that it is gone on with.
 */
#include "kept.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096u
#define PANICKED 1u
#define CRASH_LOADED 2u
#define TICK_NS 10000000u
/** Writes that do nothing, until two in a row take as long: an interrupt may come between the first. */
#define MOST_WRITES 16u

#if defined(__aarch64__) || defined(__x86_64__)
/** Opens a file of a PCI device. */
static int open_of(const char *device, const char *name, int flags)
{
    char path[128];
    (void)snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", device, name);
    return open(path, flags | O_CLOEXEC);
}

/** The machine's counter. It is as fine as an instruction: one of `arm64` takes a tick of 16 ns, one of `pc` takes 8 of 1 ns. */
static inline uint64_t ticks(void)
{
    uint64_t now;
#if defined(__aarch64__)
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(now)::"memory");
#else
    now = __builtin_ia32_rdtsc();
#endif
    return now;
}

/** Time that a write takes: as many instructions, whatever the value. */
static __attribute__((noinline)) uint64_t cost(volatile uint8_t *port, uint8_t value)
{
    const uint64_t before = ticks();
    *port = value;
    return ticks() - before;
}

/** Stops the machine. False: its clock went on meanwhile, were it by one instruction, or an interrupt came, or it was not stopped. */
static bool stop_clock_too(volatile uint8_t *port)
{
    uint64_t last = cost(port, 0);
    for (unsigned i = 0; i < MOST_WRITES; i++) {
        const uint64_t harmless = cost(port, 0);
        if (harmless == last) {
            return cost(port, PANICKED) == harmless;
        }
        last = harmless;
    }
    return false;
}

bool guest_stop(const char *device)
{
    char resource[64] = "";
    const int enable = open_of(device, "enable", O_WRONLY);
    const int place = open_of(device, "resource", O_RDONLY);
    const int memory = open_of(device, "resource0", O_RDWR | O_SYNC);
    if (enable < 0 || place < 0 || memory < 0 || write(enable, "1", 1) != 1 ||
        read(place, resource, sizeof resource - 1u) <= 0) {
        return false;
    }
    unsigned char *const page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (page == MAP_FAILED) {
        return false;
    }
    volatile uint8_t *const port = page + strtoull(resource, NULL, 16) % PAGE;
    if (!stop_clock_too(port)) {
        *port = CRASH_LOADED;
    }
    if (munmap(page, PAGE) != 0 || close(enable) != 0 || close(place) != 0 || close(memory) != 0) {
        return false;
    }
    return true;
}
#else
bool guest_stop(const char *device)
{
    (void)device;
    errno = ENOTSUP; /* no counter that every program may read */
    return false;
}
#endif

bool guest_stir(void)
{
    struct {
        struct rand_pool_info info;
        char seed[32];
    } entropy = {.info = {.entropy_count = 256, .buf_size = 32}};
    const int given = open(GUEST_GIVEN "seed/raw", O_RDONLY | O_CLOEXEC);
    const int pool = open("/dev/urandom", O_RDWR | O_CLOEXEC);
    if (given < 0 || pool < 0 || read(given, entropy.seed, sizeof entropy.seed) <= 0 ||
        ioctl(pool, RNDADDENTROPY, &entropy) != 0 || ioctl(pool, RNDRESEEDCRNG) != 0) {
        return false;
    }
    const struct timespec phase = {.tv_nsec = (long)(strtoull(entropy.seed, NULL, 10) % TICK_NS)};
    return nanosleep(&phase, NULL) == 0 && close(given) == 0 && close(pool) == 0;
}

bool guest_take_plan(const char *path)
{
    char piece[PAGE]; /* the longest piece: for each, the kernel reads the device from the plan's first byte on */
    const int given = open(GUEST_GIVEN "plan/raw", O_RDONLY | O_CLOEXEC);
    const int plan = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t got = given < 0 || plan < 0 ? -1 : read(given, piece, sizeof piece);
    while (got > 0) {
        got = write(plan, piece, (size_t)got) == got ? read(given, piece, sizeof piece) : -1;
    }
    return got == 0 && close(given) == 0 && close(plan) == 0;
}
