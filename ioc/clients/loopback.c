/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A client that stays on the loopback interface and leaves nothing behind.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <envDefs.h>

#include "loopback.h"

#define REPEATER_CONFIRM 17u

static int repeater;

/** Confirms registrations, so that libca is content; there is nothing to repeat, since IOCs are found by searching. */
static void *confirm(void *unused)
{
    const int own = repeater;
    (void)unused;
    for (;;) {
        uint8_t request[64];
        struct sockaddr_in from;
        socklen_t size = sizeof from;
        if (recvfrom(own, request, sizeof request, 0, (struct sockaddr *)&from, &size) < 0) {
            continue;
        }
        uint8_t answer[16] = {0, REPEATER_CONFIRM};
        answer[12] = 127; /* the last field: the address that was registered */
        answer[15] = 1;
        (void)sendto(own, answer, sizeof answer, 0, (const struct sockaddr *)&from, size);
    }
    return NULL;
}

static void stand_in_for_repeater(void)
{
    const char *const text = getenv("EPICS_CA_REPEATER_PORT");
    const long port = text == NULL ? 5065 : strtol(text, NULL, 10);
    const int own = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    pthread_t thread;
    repeater = own;
    if (own < 0 || bind(own, (const struct sockaddr *)&address, sizeof address) != 0 ||
        pthread_create(&thread, NULL, confirm, NULL) != 0) {
        if (own >= 0) {
            (void)close(own); /* somebody else has it: a repeater, or another client of ours */
        }
        return;
    }
    (void)pthread_detach(thread);
}

void loopback_defaults(void)
{
    if (getenv("EPICS_CA_ADDR_LIST") == NULL && getenv("EPICS_CA_AUTO_ADDR_LIST") == NULL) {
        epicsEnvSet("EPICS_CA_ADDR_LIST", "127.0.0.1");
        epicsEnvSet("EPICS_CA_AUTO_ADDR_LIST", "NO");
    }
    stand_in_for_repeater();
}
