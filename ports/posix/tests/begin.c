/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What main.c does before the engine runs, for the tests of whichever room that run on this port.
 */
#include "port_test.h"

void test_begin(void)
{
    rts_posix_clock_init();
    rts_posix_signals(false);
}
