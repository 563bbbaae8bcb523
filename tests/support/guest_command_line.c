/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prints what the guest's first program understands of each line of its input.
 */
#include <stdio.h>

#include "command_line.h"

static const char *shown(const char *value)
{
    return value == NULL ? "-" : value;
}

int main(void)
{
    char line[4096];
    while (fgets(line, sizeof line, stdin) != NULL) {
        const guest_options options = guest_parse(line);
        (void)printf("%s|%s|%s|%s", shown(options.records), shown(options.probe), shown(options.vme_slaves),
                     shown(options.wrong));
        if (options.driven != NULL) {
            (void)printf("|%s to %s", options.driven, options.driver);
        }
        if (options.wire != NULL) {
            (void)printf("|at %s to %s for %s", options.wire, shown(options.peer), shown(options.serve));
        }
        if (options.outside != NULL) {
            (void)printf("|outside by %s", options.outside);
        }
        if (options.stop != NULL) {
            (void)printf("|stops at %s", options.stop);
        }
        for (unsigned i = 0; i < options.modules; i++) {
            (void)printf("|%s(%s)", options.module[i].name, options.module[i].parameters);
        }
        (void)printf("\n");
    }
    return 0;
}
