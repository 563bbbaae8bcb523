/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The interface that an IOC which contains the engine gives to it, if the load's clients come from outside of the board.
 */
#ifndef RTSTONE_IOC_OUTSIDE_H
#define RTSTONE_IOC_OUTSIDE_H

#include "ioc_account.h"

typedef struct rts_ioc_records {
    rtstone_load_account *account; /**< what the clients write to a record of theirs; NULL: there is no such record */
    void (*tell)(void);            /**< `wanted` has changed: informs the clients that monitor it */
} rts_ioc_records;

/** Set before the engine runs. */
extern rts_ioc_records rts_ioc_outside_records;

#endif
