/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The C library's header of this name: kernels include it, an image needs nothing of it.
 */
#ifndef RTSTONE_LIBC_STDLIB_H
#define RTSTONE_LIBC_STDLIB_H

#include <stddef.h>

#endif
