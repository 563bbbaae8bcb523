/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * [required] Start-up: brings the kernel up and runs the engine from an ordinary task below all that is measured.
 */
#include "rtstone/engine.h"

int main(void)
{
    /* A board passes NULL: the session's nonce then derives from the plan, so that two equal runs write equal bytes. */
    return rts_engine_run(NULL);
}
