/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * rt on AArch64 with GICv3: when a pended call is done.
 */
#include <gic.h>

#include "../rt_port.h"

void rts_rt_pending_done(void)
{
    /* A software interrupt, pending until it is taken. */
    while ((GICR->sgi.ispendr0 & (UINT32_C(1) << GIC_INTID_SYSCALL)) != 0) {
    }
}
