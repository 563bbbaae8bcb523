// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * The core of Linux's VMEbus drivers as a module: the kernel knows it as built in only, so it states no licence.
 */
#include "vme.c"

MODULE_DESCRIPTION("VMEbus interface of the kernel");
MODULE_LICENSE("GPL");
