/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * rtstone-engine-epics: the engine on EPICS's OS interface, as a program of its own.
 */
#include <stdlib.h>
#include <string.h>

#include <epicsVersion.h>

#include "epics.h"
#include "place.h"
#include "rtstone/engine.h"

static int usage(FILE *where, int code)
{
    (void)fputs("usage: rtstone-engine-epics run [--plan FILE|-] [--with-parent[=PID]] | --version\n", where);
    return code;
}

/** 16 hex digits that no other session has, as far as a clock can see to that. */
static const char *nonce(void)
{
    static char text[17];
    epicsTimeStamp now;
    (void)epicsTimeGetCurrent(&now);
    const unsigned long long bits = ((unsigned long long)now.secPastEpoch << 32 | now.nsec) * 0x9e3779b97f4a7c15u;
    (void)snprintf(text, sizeof text, "%016llx", bits ^ (unsigned long long)epicsMonotonicGet());
    return text;
}

int main(int count, char *words[])
{
    rts_place_claim_granted();
    if (count == 2 && strcmp(words[1], "--version") == 0) {
        (void)printf("rtstone-engine-epics %s (port %s on %s, record stream %s, plan %s)\n", RTS_ENGINE_VERSION,
                     RTS_PORT_NAME, EPICS_VERSION_FULL, RTS_STREAM_VERSION, RTS_PLAN_VERSION);
        return 0;
    }
    if (count < 2 || strcmp(words[1], "run") != 0) {
        return usage(stderr, RTS_EXIT_USAGE);
    }
    for (int i = 2; i < count; i++) {
        if (strcmp(words[i], "--plan") == 0 && i + 1 < count) {
            i++;
            FILE *const file = strcmp(words[i], "-") == 0 ? stdin : fopen(words[i], "rb");
            if (file == NULL) {
                (void)fprintf(stderr, "rtstone-engine-epics: the plan %s cannot be opened\n", words[i]);
                return RTS_EXIT_USAGE;
            }
            rts_epics_plan_from(file);
        } else if (strncmp(words[i], "--with-parent", 13) == 0) {
            rts_place_die_with_parent(words[i][13] == '=' ? strtol(words[i] + 14, NULL, 10) : 0);
        } else {
            return usage(stderr, RTS_EXIT_USAGE);
        }
    }
    rts_epics_signals();
    return rts_engine_run(nonce());
}
