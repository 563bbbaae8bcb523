// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * The module: its parameters, and the devices that it creates by them.
 */
#include <linux/module.h>

#include "device.h"
#include "probe.h"
#include "traffic.h"

static char *source_name = "hrtimer";
module_param_named(source, source_name, charp, 0444);
MODULE_PARM_DESC(source, "where interrupts come from: hrtimer; arm-timer (arm64); edu (x86-64 under QEMU); gpio; vme");

static char *line;
module_param(line, charp, 0444);
MODULE_PARM_DESC(line, "place of a 16550 on the PCI bus that a load may use, as 0000:00:02.0; none: no such load");

static char *window;
module_param(window, charp, 0444);
MODULE_PARM_DESC(window, "memory region of a PCI device to move blocks to and from, as 0000:00:04.0/2; none: none");

static const struct probe_source *source;

static int __init probe_init(void)
{
	int error;

	source = probe_source_find(source_name);
	if (!source) {
		pr_err("rtstone_probe: no source '%s' here\n", source_name);
		return -EINVAL;
	}
	error = source->init();
	if (error) {
		pr_err("rtstone_probe: source '%s' cannot be had: %d\n", source->name, error);
		return error;
	}
	error = probe_device_init(source);
	if (error)
		goto no_device;
	if (line) {
		error = traffic_init(line);
		if (error) {
			pr_err("rtstone_probe: the serial line at %s cannot be had: %d\n", line, error);
			goto no_line;
		}
	}
	if (window) {
		error = probe_window_init(window);
		if (error) {
			pr_err("rtstone_probe: the window %s cannot be had: %d\n", window, error);
			goto no_window;
		}
	}
	return 0;

no_window:
	if (line)
		traffic_exit();
no_line:
	probe_device_exit();
no_device:
	source->exit();
	return error;
}

static void __exit probe_exit(void)
{
	if (window)
		probe_window_exit();
	if (line)
		traffic_exit();
	probe_device_exit();
	source->exit();
}

module_init(probe_init);
module_exit(probe_exit);
MODULE_DESCRIPTION("Interrupt latency probe: stamps an interrupt on its way from handler to user space");
MODULE_AUTHOR("rtstone contributors");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.3.0");
