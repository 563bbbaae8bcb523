/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The recorder's tests once more, with a histogram whose largest values have squares that 64 bits do not hold.
 */
#include "../../../engine/tests/test_recorder.c" /* NOLINT(bugprone-suspicious-include): the same tests, this port's range */
