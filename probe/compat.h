/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * What older kernels lack of the interfaces that newer ones have; the module is written for the newer.
 */
#ifndef COMPAT_H
#define COMPAT_H

#include <linux/hrtimer.h>

/* 6.13 brought hrtimer_setup(), 6.15 took hrtimer_init() away; Kbuild looks. */
#ifndef HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif
