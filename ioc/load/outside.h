/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The clients of an IOC out of its process, and the interface that an IOC which contains the engine gives to it for them.
 */
#ifndef RTSTONE_IOC_OUTSIDE_H
#define RTSTONE_IOC_OUTSIDE_H

#include <stdbool.h>

#include "rtstone_load_account.h"

typedef struct rts_ioc_records {
    rtstone_load_account *account; /**< what the clients write to a record of theirs; NULL: there is no such record */
    void (*tell)(void);            /**< `wanted` has changed: informs the clients that monitor it */
} rts_ioc_records;

/** Set before the engine runs. */
extern rts_ioc_records rts_ioc_outside_records;

/** For a place whose clients somebody else starts. */
rtstone_load_account *ioc_outside_start(uint32_t records, uint32_t pause_ms, const char **why);
void ioc_outside_tell(void);
bool ioc_outside_failed(void);

#endif
