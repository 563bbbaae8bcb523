/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "place.h"

#define PATIENCE_US 120000000u /* some thousand channels on a slow board */

bool ioc_place_until(bool (*failed)(void), bool (*holds)(const void *arg), const void *arg, uint32_t each_us)
{
    rts_clock_info clock;
    if (rts_port_clock_info(&clock) != RTS_OK) {
        return false;
    }
    for (uint64_t waited_us = 0; waited_us < PATIENCE_US; waited_us += each_us) {
        if (holds(arg)) {
            return true;
        }
        if (failed()) {
            return false;
        }
        (void)rts_port_sleep_until(rts_clock_read() + clock.hz * each_us / 1000000u);
    }
    return false;
}
