/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * An IOC in the guest: its environment is read, the loopback interface brought up, its program started.
 */
#include "enter_ioc.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define PLACE "/ioc"
#define PROGRAM PLACE "/rtstone-ioc"

bool guest_has_ioc(void)
{
    return access(PROGRAM, X_OK) == 0;
}

/** Clients of the same kernel reach it there. Its address comes with it. */
static bool bring_up_loopback(void)
{
    struct ifreq request;
    const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    memset(&request, 0, sizeof request);
    (void)strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP | IFF_LOOPBACK;
    const bool up = any >= 0 && ioctl(any, SIOCSIFFLAGS, &request) == 0;
    const int error = errno;
    if (any >= 0) {
        (void)close(any);
    }
    errno = error;
    return up;
}

static bool read_environment(void)
{
    FILE *const file = fopen(PLACE "/environment", "re");
    char line[512];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *const equals = strchr(line, '=');
        if (equals == NULL) {
            errno = EINVAL;
            return false;
        }
        *equals = '\0';
        if (setenv(line, equals + 1, 1) != 0) {
            return false;
        }
    }
    return file != NULL && fclose(file) == 0;
}

void guest_enter_ioc(const char *records, const char *probe, const char *plan)
{
    static char *const words[] = {PROGRAM, PLACE "/st.cmd", PLACE "/engine.cmd", NULL};
    if (!bring_up_loopback() || !read_environment() || setenv("RTSTONE_IOC_PLACE", PLACE, 1) != 0 ||
        setenv("RTSTONE_IOC_RECORDS", records, 1) != 0 || setenv("RTSTONE_IOC_PLAN", plan, 1) != 0 ||
        setenv("RTSTONE_IOC_PROBE_DEVICE", probe == NULL ? "" : probe, 1) != 0) {
        return;
    }
    (void)execv(PROGRAM, words);
}
