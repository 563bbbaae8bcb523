/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The recorder's tests once more, with the sums as a target without 128-bit integers makes them.
 */
#define RTS_WIDE_PORTABLE

#include "../src/recorder.c" /* NOLINT(bugprone-suspicious-include): compiled once more */
#include "test_recorder.c"   /* NOLINT(bugprone-suspicious-include): the same tests, another arithmetic */
