// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * All sources of the measured interrupt that this kernel has: one line each, one more in Kbuild.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "probe.h"
#include "sources.h"

static const struct probe_source *const sources[] = {
	&probe_hrtimer,
#ifdef CONFIG_ARM64
	&probe_arm_timer,
#endif
#if defined(CONFIG_X86_64) && defined(CONFIG_PCI)
	&probe_edu,
#endif
#ifdef CONFIG_GPIOLIB
	&probe_gpio,
#endif
#ifdef CONFIG_VME_BUS
	&probe_vme,
#endif
};

const struct probe_source *probe_source_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sources); i++)
		if (!strcmp(name, sources[i]->name))
			return sources[i];
	return NULL;
}
