/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A guest's first program that sleeps and wakes, so that its CPU halts again and again, and prints the counter each time.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define SLEEPS 3000

int main(void)
{
    const struct timespec while_ = {.tv_nsec = 1000000};
    static unsigned long long woken[SLEEPS];
    (void)mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
    const int line = open("/dev/ttyS1", O_RDWR | O_NOCTTY);
    struct termios raw;
    (void)tcgetattr(line, &raw);
    cfmakeraw(&raw);
    (void)tcsetattr(line, TCSANOW, &raw);
    for (int i = 0; i < SLEEPS; i++) {
        (void)nanosleep(&while_, NULL);
        woken[i] = __rdtsc();
    }
    for (int i = 0; i < SLEEPS; i++) {
        (void)dprintf(line, "%llx\n", woken[i]);
    }
    (void)dprintf(line, "end\n");
    (void)tcdrain(line);
    (void)reboot(RB_AUTOBOOT);
    for (;;) {
        (void)pause();
    }
}
