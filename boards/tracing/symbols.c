/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stands in a guest where the engine stands, and says on its line where the kernel's functions are: "<hex address> <name>" each,
 * modules' included, then "end".
 */
#include <stdio.h>
#include <string.h>

int main(void)
{
    FILE *const symbols = fopen("/proc/kallsyms", "r");
    char line[1024];
    if (symbols == NULL) {
        return 1;
    }
    while (fgets(line, sizeof line, symbols) != NULL) {
        char address[32];
        char kind;
        char name[512];
        char module[128] = "";
        if (sscanf(line, "%31s %c %511s %127s", address, &kind, name, module) >= 3 && strchr("tTwW", kind) != NULL &&
            name[0] != '$') {
            (void)printf("%s %s%s\n", address, name, module);
        }
    }
    (void)puts("end");
    return fclose(symbols) == 0 && fflush(stdout) == 0 ? 0 : 1;
}
