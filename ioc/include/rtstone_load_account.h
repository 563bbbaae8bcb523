/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The account that the load's two clients share with the engine that measures next to them: one page of memory.
 *
 * The engine writes when bursts are wanted; the clients write their progress. Every field has one writer.
 */
#ifndef RTSTONE_LOAD_ACCOUNT_H
#define RTSTONE_LOAD_ACCOUNT_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct rtstone_load_account {
    /* the engine's */
    _Atomic uint32_t wanted; /**< 1: bursts; 0: hold after the one that is under way */
    /* caput's */
    _Atomic uint32_t records;
    _Atomic uint32_t pause_ms;
    _Atomic uint32_t connected;
    _Atomic uint32_t in_burst;
    _Atomic uint32_t holding;
    _Atomic uint64_t bursts;
    _Atomic uint64_t puts;
    _Atomic uint64_t failed;
    _Atomic uint64_t burst_ns; /**< of all bursts that are over */
    _Atomic uint64_t machine;  /**< whose kernel caput runs on (boot_number.h); 0: not known */
    /* camonitor's */
    _Atomic uint32_t watching; /**< all monitors are connected */
    _Atomic uint64_t monitors; /**< beside each record's first */
    _Atomic uint64_t merged;   /**< values that a later one replaced before they were sent, as Channel Access may */
    _Atomic uint64_t settled;  /**< while caput holds: the number of bursts for which `lost` was counted */
    _Atomic uint64_t lost;     /**< records whose last monitor is not their value, at `settled` */
    _Atomic uint64_t cut;      /**< connections that were lost */
} rtstone_load_account;

#endif
