/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Clocks that are devices of their own: the HPET and the first PTP clock. Opened once, read where they are mapped or by the kernel.
 */
#ifndef RTS_LINUX_CLOCK_DEVICES_H
#define RTS_LINUX_CLOCK_DEVICES_H

#include <stdint.h>

/** Makes the HPET readable. Returns its frequency in Hz; 0: there is no HPET, or no permission to read it. */
uint64_t rts_linux_hpet_open(void);

/** Its main counter, in ticks; only after rts_linux_hpet_open was not 0. */
uint64_t rts_linux_hpet_read(void);

/** Makes /dev/ptp0 readable. Returns 1,000,000,000 (it counts nanoseconds); 0: there is no such device, or no permission to read it. */
uint64_t rts_linux_ptp_open(void);

/** Its time in nanoseconds; only after rts_linux_ptp_open was not 0. */
uint64_t rts_linux_ptp_read(void);

#endif
