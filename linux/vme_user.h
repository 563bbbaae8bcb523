/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The arguments of Linux's vme_user, which no installed header has: the request that opens a master window, and the words for address spaces,
 * cycles and data widths.
 */
#ifndef RTSTONE_LINUX_VME_USER_H
#define RTSTONE_LINUX_VME_USER_H

#include <linux/ioctl.h>
#include <stdint.h>

typedef struct rts_vme_master {
    uint32_t enable;
    uint64_t address; /**< on the VMEbus */
    uint64_t bytes;
    uint32_t space;
    uint32_t cycle;
    uint32_t width; /**< of the widest transfer */
} __attribute__((packed)) rts_vme_master;

/** A slave window has the same, without a width. */
typedef struct rts_vme_slave {
    uint32_t enable;
    uint64_t address;
    uint64_t bytes;
    uint32_t space;
    uint32_t cycle;
} __attribute__((packed)) rts_vme_slave;

#define RTS_VME_SET_SLAVE _IOW(0xae, 2, rts_vme_slave)
#define RTS_VME_SET_MASTER _IOW(0xae, 4, rts_vme_master)

enum { RTS_VME_A16 = 1, RTS_VME_A24 = 2, RTS_VME_A32 = 4 };
enum { RTS_VME_D16 = 2, RTS_VME_D32 = 4 };
enum { RTS_VME_SCT = 0x1, RTS_VME_USER = 0x2000, RTS_VME_DATA = 0x8000 };

#endif
