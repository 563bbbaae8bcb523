/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * System V's message queues. They have types instead of priorities: the receiver asks for the lowest type up to the largest, so that a message of
 * priority p has the type ORDINARY - p. They have no names and outlive their creators: a queue's key contains the process that created it.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/msg.h>
#include <unistd.h>

#include "rtstone/port.h"
#include "system.h"

#define ORDINARY 0x40000000
#define TAG                                                                                                            \
    0x52u /* the key's first byte; then 22 bits for the process, as in Linux's pids, and two of a serial number */

typedef struct envelope {
    long type;
    unsigned char message[RTS_MESSAGE_BYTES_MAX];
} envelope;

bool rts_system_queues;

/* Removes the queues of engines that are no more, this user's alone. */
static void sweep(void)
{
    struct msqid_ds facts;
    const int last = msgctl(0, MSG_INFO, &facts);
    for (int i = 0; i <= last; i++) {
        const int identifier = msgctl(i, MSG_STAT, &facts);
        const unsigned key = identifier < 0 ? 0u : (unsigned)facts.msg_perm.__key;
        if (key >> 24 == TAG && facts.msg_perm.cuid == geteuid() && kill((pid_t)(key >> 2 & 0x3fffffu), 0) != 0 &&
            errno == ESRCH) {
            (void)msgctl(identifier, IPC_RMID, NULL);
        }
    }
}

rts_status rts_system_queue_create(int *identifier)
{
    sweep();
    for (unsigned serial = 0; serial < 4u; serial++) {
        const unsigned key = TAG << 24 | ((unsigned)getpid() & 0x3fffffu) << 2 | serial;
        *identifier = msgget((key_t)key, IPC_CREAT | IPC_EXCL | 0600);
        if (*identifier >= 0 || errno != EEXIST) {
            break;
        }
    }
    return *identifier >= 0 ? RTS_OK : rts_system_status(errno);
}

rts_status rts_system_queue_send(int identifier, const void *message, uint32_t bytes, unsigned priority)
{
    envelope sent = {.type = ORDINARY - (long)priority};
    memcpy(sent.message, message, bytes);
    while (msgsnd(identifier, &sent, bytes, 0) != 0) {
        if (errno != EINTR) {
            return rts_system_status(errno);
        }
    }
    return RTS_OK;
}

rts_status rts_system_queue_receive(int identifier, void *message, uint32_t bytes, unsigned *priority)
{
    envelope got;
    ssize_t length;
    do {
        length = msgrcv(identifier, &got, sizeof got.message, -LONG_MAX, 0);
    } while (length < 0 && errno == EINTR);
    if (length < 0) {
        return rts_system_status(errno);
    }
    if ((uint32_t)length != bytes) {
        return RTS_BROKEN;
    }
    memcpy(message, got.message, bytes);
    *priority = (unsigned)(ORDINARY - got.type);
    return RTS_OK;
}

void rts_system_queue_destroy(int identifier)
{
    (void)msgctl(identifier, IPC_RMID, NULL);
}
