/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Start: the engine is all that there is.
 */
#include "rtstone/engine.h"
#include "rtstone/port.h"

int main(void)
{
    board_init();
    board_power_off(rts_engine_run(NULL) != RTS_EXIT_OK);
}
