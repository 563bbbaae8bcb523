/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * The sources by name, for their list.
 */
#ifndef SOURCES_H
#define SOURCES_H

#include "probe.h"

extern const struct probe_source probe_arm_timer;
extern const struct probe_source probe_edu;
extern const struct probe_source probe_gpio;
extern const struct probe_source probe_hrtimer;
extern const struct probe_source probe_vme;

#endif
