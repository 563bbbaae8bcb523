/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A device that announces itself by an interrupt to a task, through Linux's user-space I/O (UIO). The kernel counts its interrupts; BPF programs
 * (../bpf/split.h) stamp each entry into its handler.
 */
#ifndef RTSTONE_UIO_DEVICE_H
#define RTSTONE_UIO_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rtstone/measurement.h"

typedef struct rts_uio {
    int file;   /**< -1: closed */
    bool masks; /**< the driver masks each interrupt until the task writes 1 to the device */
    int config; /**< the PCI configuration, by which the task unmasks instead (uio_pci_generic); -1: it does not */
    uint8_t command[2];             /**< its command register, with the interrupt unmasked */
    volatile uint32_t *acknowledge; /**< a register of the device; NULL: none is written */
    uint32_t value;                 /**< that acknowledges */
    void *mapping;                  /**< with the register in it */
    size_t mapped;                  /**< bytes of it */
    bool stamped;                   /**< the programs are attached */
    uint32_t count;                 /**< the kernel's count of interrupts, as last read */
    uint64_t number;                /**< the same without a wrap, from an arbitrary number */
    uint64_t entries;               /**< entries into the handler, up to that interrupt */
    rts_ticks last;                 /**< stamp of the last interrupt; 0: it is not known */
    uint64_t least;                 /**< shortest interval of two interrupts (ns); 0: none is known */
    uint64_t most;                  /**< longest */
    bool jumped;                    /**< the count went backwards */
    char name[160];                 /**< for people */
    char why[400];                  /**< why it could not be opened */
} rts_uio;

/** What became of a wait. */
typedef enum rts_uio_outcome { RTS_UIO_CAME, RTS_UIO_NOTHING, RTS_UIO_GONE } rts_uio_outcome;

/**
 * Opens a device: "/dev/uio0", or "/dev/uio0+0/64:1", whose interrupts the task acknowledges by writing 1 (hexadecimal, 32 bits) at offset 64
 * (hexadecimal) of region 0. Loads and attaches the BPF programs. Fails with the reason in uio->why.
 */
rts_status rts_uio_open(rts_uio *uio, const char *text);

/**
 * Waits at most `ms` for interrupts, and reads their count. `resumed`: the first clock reading after the read. `number` rises by the interrupts since the last
 * read. `stamp`: when the handler of the first of them was entered; 0 if the number of entries since then does not equal that of the interrupts.
 */
rts_uio_outcome rts_uio_wait(rts_uio *uio, int ms, rts_ticks *resumed, uint64_t *number, rts_ticks *stamp);

/** Acknowledges the interrupt at the device, and lets the next one through. False: errno says why. */
bool rts_uio_enable(rts_uio *uio);

/** Detaches the programs and closes the device; nothing for one that was never opened. */
void rts_uio_close(rts_uio *uio);

#endif
