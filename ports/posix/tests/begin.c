/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The steps of main.c before the engine runs, for all tests that run on this port.
 */
#include "port_test.h"

void test_begin(void)
{
    rts_posix_clock_init();
    rts_posix_signals(false);
}
