/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The account of a client that shares no memory with the engine. The client writes it to a record of the IOC that contains the engine; another record
 * holds the number of bursts that are due.
 */
#ifndef RTSTONE_IOC_REMOTE_H
#define RTSTONE_IOC_REMOTE_H

#include "channels.h"

/** Finds the two records and follows the one. Says what is wrong and returns 0 when they are not there. The client has an account and is connected. */
int remote_begin(client *own);

/** Whether a burst is due. */
int remote_asks(const client *own);

/** Writes the account to the record if it has changed since the last write. Does not wait. */
void remote_tell(const client *own);

#endif
