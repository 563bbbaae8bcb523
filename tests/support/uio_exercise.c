/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Process 1 of a guest with a UIO device: runs the engine's transfers through a map of it. After each it waits until the
 * memory behind the map was checked.
 *
 * Prints "MAP file value" for the kernel's properties of the maps. For each case it prints a line "CASE name", the
 * engine's records and "LOOK"; then any line of input lets it go on. uio_cases.def is the test's own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bind.h"
#include "load_module.h"

typedef struct uio_case {
    const char *window;
    const char *measurement;
    const char *count;
} uio_case;

static const uio_case cases[] = {
#include "uio_cases.def"
};

static void run_engine(const uio_case *one)
{
    const pid_t engine = fork();
    if (engine == 0) {
        (void)execl("/rtstone-engine", "rtstone-engine", "run", "--measurement", one->measurement, "--count",
                    one->count, "--warmup", "0", "--window", one->window, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    if (engine < 0 || waitpid(engine, &status, 0) != engine || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        (void)printf("FAILS to run the engine: %d\n", status);
    }
}

/** Prints one of the kernel's properties of a map. */
static void tell_map(unsigned map, const char *what)
{
    char path[80];
    char value[40] = "";
    (void)snprintf(path, sizeof path, "/sys/class/uio/uio0/maps/map%u/%s", map, what);
    FILE *file = fopen(path, "re");
    if (file != NULL && fscanf(file, "%39s", value) != 1) {
        value[0] = '\0';
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    (void)printf("MAP %u/%s %s\n", map, what, value);
}

int main(void)
{
    char line[16];
    (void)mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
    (void)mount("proc", "/proc", "proc", 0, NULL);
    (void)mount("sysfs", "/sys", "sysfs", 0, NULL);
    const int console = open("/dev/console", O_RDWR);
    (void)dup2(console, STDIN_FILENO);
    (void)dup2(console, STDOUT_FILENO);
    (void)dup2(console, STDERR_FILENO);
    (void)setvbuf(stdout, NULL, _IONBF, 0);
    load_module("uio");
    load_module("uio_cif");
    if (!guest_bind(UIO_DEVICE, "hilscher")) {
        (void)printf("FAILS to bind: %s\n", strerror(errno));
    }
    for (unsigned map = 0; map < 3; map++) {
        tell_map(map, "size");
    }
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        (void)printf("CASE %s %s\n", cases[i].measurement, cases[i].window);
        run_engine(&cases[i]);
        (void)printf("LOOK\n");
        if (fgets(line, sizeof line, stdin) == NULL) {
            (void)printf("FAILS to be told to go on\n");
            break;
        }
    }
    (void)printf("DONE\n");
    (void)usleep(100000);
    (void)reboot(RB_AUTOBOOT);
    for (;;) {
        (void)pause();
    }
}
