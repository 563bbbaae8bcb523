/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ioc_place.h"

#include <unistd.h>

#define PATIENCE_S 120u /* some thousand channels on a slow board */

bool ioc_place_until(const ioc_place *at, bool (*holds)(const void *arg), const void *arg, unsigned each_us)
{
    for (uint64_t waited_us = 0; waited_us < (uint64_t)PATIENCE_S * 1000000u; waited_us += each_us) {
        if (holds(arg)) {
            return true;
        }
        if (at->failed()) {
            return false;
        }
        (void)usleep(each_us);
    }
    return false;
}
