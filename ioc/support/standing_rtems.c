/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * RTEMS has no paging, so no memory is locked.
 */
#include "standing.h"

long standing_locked_kb(void)
{
    return -1;
}
