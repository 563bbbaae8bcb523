/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every test program of every room includes this: cmocka, the headers that cmocka requires before it, and the beginning.
 */
#ifndef RTSTONE_TESTS_CHECKS_H
#define RTSTONE_TESTS_CHECKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/** What a port's program does before the engine runs: ports/<port>/tests/begin.c of the port under test. */
void test_begin(void);

#endif
