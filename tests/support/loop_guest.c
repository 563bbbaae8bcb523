/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The first program of a guest: loads the module rtstone_hold, which then does nothing by itself, and runs the sample loop once for each
 * line of /runs, the words of a line being its options.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS 31

static int run(char *line)
{
    char *words[WORDS + 1] = {"loop"};
    int count = 1;
    for (char *word = strtok(line, " \n"); word != NULL && count < WORDS; word = strtok(NULL, " \n")) {
        words[count++] = word;
    }
    const pid_t child = fork();
    if (child == 0) {
        (void)execv("/loop", words);
        _exit(99);
    }
    int status = 0;
    (void)waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

int main(void)
{
    (void)mount("proc", "/proc", "proc", 0, "");
    (void)mount("sys", "/sys", "sysfs", 0, "");
    const int module = open("/rtstone_hold.ko", O_RDONLY);
    if (syscall(SYS_finit_module, module, "loops=0", 0) != 0) {
        perror("rtstone_hold");
    }
    FILE *const runs = fopen("/runs", "r");
    char line[512];
    while (runs != NULL && fgets(line, sizeof line, runs) != NULL) {
        const int code = run(line);
        (void)printf("ENDED %d\n", code);
        (void)fflush(stdout);
    }
    sync();
    (void)reboot(RB_AUTOBOOT);
    return 0;
}
