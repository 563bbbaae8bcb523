/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The first program of a guest in which the engine watches a thread: once it is let, it sleeps SLEEPS times, each time woken by the kernel's timer,
 * and touches a new page. Then the same once more, TRAILS times, with a trail of each cycle.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

/** Copies what the engine prints to the console; once it has said that it watches, lets the sleeper begin. */
static void pass_on(int engine, int sleeper)
{
    char some[4096];
    ssize_t count;
    bool begun = false;
    while ((count = read(engine, some, sizeof some)) > 0) {
        (void)fwrite(some, 1, (size_t)count, stdout);
        (void)fflush(stdout);
        if (!begun) {
            begun = write(sleeper, "x", 1) == 1;
        }
    }
}

static void touch_a_new_page(void)
{
    volatile char *const page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) {
        *page = 1;
        (void)munmap((void *)(uintptr_t)page, 4096);
    }
}

static int watched_sleeper(int sleeps, char *const trails[2])
{
    int begin[2];
    int said[2];
    int status = 0;
    char byte;
    if (pipe(begin) != 0 || pipe(said) != 0) {
        return 98;
    }
    const pid_t sleeper = fork();
    if (sleeper == 0) {
        (void)!read(begin[0], &byte, 1);
        for (int i = 0; i < sleeps; i++) {
            (void)usleep(1000);
            touch_a_new_page();
        }
        _exit(0);
    }
    const pid_t engine = fork();
    if (engine == 0) {
        char watched[32];
        (void)snprintf(watched, sizeof watched, "--pid=%d", (int)sleeper);
        (void)dup2(said[1], STDOUT_FILENO);
        (void)execl("/rtstone-engine", "rtstone-engine", "attach", watched, "--duration-ns=60000000000", trails[0],
                    trails[1], (char *)0);
        _exit(99);
    }
    (void)close(said[1]);
    pass_on(said[0], begin[1]);
    (void)waitpid(engine, &status, 0);
    (void)kill(sleeper, SIGKILL);
    (void)waitpid(sleeper, NULL, 0);
    return WEXITSTATUS(status);
}

int main(void)
{
    static char *const none[2] = {NULL, NULL};
    static char *const all[2] = {"--trace-over-ns=1", "--deadline-ns=1"};
    (void)mount("proc", "/proc", "proc", 0, "");
    (void)mount("sys", "/sys", "sysfs", 0, "");
    (void)printf("ENDED %d\n", watched_sleeper(SLEEPS, none));
    (void)fflush(stdout);
    (void)printf("ENDED %d\n", watched_sleeper(TRAILS, all));
    (void)fflush(stdout);
    sync();
    (void)reboot(RB_AUTOBOOT);
    return 0;
}
