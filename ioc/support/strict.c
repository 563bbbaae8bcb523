/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A listener sees each write before it is done, in the thread that does it.
 */
#include <stdio.h>
#include <string.h>

#include <asTrapWrite.h>
#include <dbBase.h>
#include <dbChannel.h>
#include <epicsStdlib.h>

#include "strict.h"

#define TEXT_TYPE 0  /* DBR_STRING of Channel Access; base's own header of types says otherwise */
#define TEXT_SIZE 40 /* of one */

static _Thread_local const dbCommon *refused;

static void on_write(asTrapWriteMessage *message, int after)
{
    if (after) {
        return; /* perhaps another thread */
    }
    refused = NULL;
    const dbChannel *const channel = message->serverSpecific; /* untyped in base 7.0.8 and before */
    if (channel == NULL || message->data == NULL || message->dbrType != TEXT_TYPE) {
        return;
    }
    char text[TEXT_SIZE + 1];
    double number = 0;
    (void)snprintf(text, sizeof text, "%.*s", TEXT_SIZE, (const char *)message->data);
    if (strcmp(dbChannelFldDes(channel)->name, "VAL") == 0 && epicsParseDouble(text, &number, NULL) != 0) {
        refused = dbChannelRecord(channel);
    }
}

void strict_begin(void)
{
    static asTrapWriteId there;
    if (there == NULL) {
        there = asTrapWriteRegisterListener(on_write);
    }
}

int strict_refuses(const dbCommon *record)
{
    const int refuses = refused == record;
    refused = NULL;
    return refuses;
}
