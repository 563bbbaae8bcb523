/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Name spaces of a cable's ends: a process of the load goes to where the near end is.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../measurements/network.h"
#include "cable.h"

/** A new user name space takes away the wish to die with the engine, and the right of its like to look into it. */
static bool settle(void)
{
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0;
}

static bool enter(int process, const char *kind, int flag)
{
    char path[64];
    char here[64] = "";
    char there[64] = "";
    (void)snprintf(path, sizeof path, "/proc/%d/ns/%s", process, kind);
    const ssize_t got = readlink(path, there, sizeof there - 1u);
    char own[32];
    (void)snprintf(own, sizeof own, "/proc/self/ns/%s", kind);
    const ssize_t mine = readlink(own, here, sizeof here - 1u);
    if (got < 0 || mine < 0) {
        return false;
    }
    if (strcmp(here, there) == 0) {
        return true; /* of a user name space one may not enter one's own */
    }
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool entered = file >= 0 && setns(file, flag) == 0;
    if (file >= 0) {
        (void)close(file);
    }
    return entered;
}

bool rts_cable_enter_near(rts_cable *own)
{
    const int process = atomic_load(&own->near_process);
    return process == 0 || (enter(process, "user", CLONE_NEWUSER) && enter(process, "net", CLONE_NEWNET) && settle());
}

bool rts_cable_own_space(void)
{
    return net_unshare() && settle();
}
