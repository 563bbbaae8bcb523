/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The account of a client that shares no memory with the engine: told to a record of the IOC that the engine is in. Another record says how many
 * bursts are due.
 */
#ifndef RTSTONE_IOC_REMOTE_H
#define RTSTONE_IOC_REMOTE_H

#include "channels.h"

/** Finds the two records and follows the one. Says what is wrong and returns 0 when they are not there. The client has an account and is connected. */
int remote_begin(client *own);

/** Whether a burst is due. */
int remote_asks(const client *own);

/** Tells the account if it has changed since it was last told. Nothing is waited for. */
void remote_tell(const client *own);

#endif
