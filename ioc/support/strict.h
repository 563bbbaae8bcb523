/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Texts that are written to a number: base takes "100 us" for 100, before device support sees it. Here it is refused.
 */
#ifndef RTSTONE_IOC_STRICT_H
#define RTSTONE_IOC_STRICT_H

#include <dbCommon.h>

/** Begins to check the values that clients write to records whose access rule has TRAPWRITE; without that rule nothing is refused. Once. */
void strict_begin(void);

/** Whether what this thread is writing to the record is a text that is more than a number. Asked once a write, by device support. */
int strict_refuses(const dbCommon *record);

#endif
