/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * rt's configuration, for all its files and for the port: no MPU, and so no separate sections for privileged data; stacks keep their contents
 * from reset.
 */
#ifndef RTSTONE_RT_CONFIG_H
#define RTSTONE_RT_CONFIG_H

#define RT_MPU_TASK_REGIONS_ENABLE 0
#define RT_MPU_PRIV_SECTIONS_ENABLE 0

#ifndef __ASSEMBLER__
#define RT_STACK_SECTION(name) ".bss.noinit"
#endif

#endif
