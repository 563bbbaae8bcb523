/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How rt is configured, in every file of it and of the port: no MPU, and so no sections of their own for what only the privileged may touch; stacks
 * are left as they are at reset.
 */
#ifndef RTSTONE_RT_CONFIG_H
#define RTSTONE_RT_CONFIG_H

#define RT_MPU_TASK_REGIONS_ENABLE 0
#define RT_MPU_PRIV_SECTIONS_ENABLE 0

#ifndef __ASSEMBLER__
#define RT_STACK_SECTION(name) ".bss.noinit"
#endif

#endif
