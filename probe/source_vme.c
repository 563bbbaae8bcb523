// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * A VMEbus interrupt as the source, as the APS study had it: the bridge generates it on the bus and answers it itself,
 * through the kernel's VME interface. To generate one sleeps until the bus has acknowledged it, so they come by trigger only.
 */
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>

#include <vme.h>

#include "sources.h"

static int vme_bus;
module_param(vme_bus, int, 0444);
MODULE_PARM_DESC(vme_bus, "source vme: number of the bridge's bus");

static int vme_level = 5;
module_param(vme_level, int, 0444);
MODULE_PARM_DESC(vme_level, "source vme: interrupt level on the bus, 1 to 7");

static int vme_vector = 0xa5;
module_param(vme_vector, int, 0444);
MODULE_PARM_DESC(vme_vector, "source vme: status/ID that the interrupter answers with, 0 to 255");

static struct {
	struct vme_dev *device;
	u64 raised;
	bool running;
} own;

static u64 now(void)
{
	return ktime_get_ns();
}

static u64 hz(void)
{
	return NSEC_PER_SEC;
}

static u32 can(void)
{
	return RTSTONE_PROBE_CAN_TRIGGER;
}

static void handle(int level, int vector, void *unused)
{
	u64 entered = now();

	if (READ_ONCE(own.running))
		probe_interrupt(READ_ONCE(own.raised), entered);
}

static int match(struct vme_dev *device)
{
	return vme_bus_num(device) == vme_bus;
}

static int probe(struct vme_dev *device)
{
	int error = vme_irq_request(device, vme_level, vme_vector, handle, &own);

	if (!error)
		own.device = device;
	return error;
}

static void remove(struct vme_dev *device)
{
	vme_irq_free(device, vme_level, vme_vector);
	own.device = NULL;
}

static struct vme_driver driver = {
	.name = "rtstone_probe",
	.match = match,
	.probe = probe,
	.remove = remove,
};

static int init(void)
{
	int error;

	if (vme_level < 1 || vme_level > 7 || vme_vector < 0 || vme_vector > 255)
		return -EINVAL;
	error = vme_register_driver(&driver, 1);
	if (error)
		return error;
	if (own.device)
		return 0;
	vme_unregister_driver(&driver);
	return -ENODEV;
}

static void exit_source(void)
{
	vme_unregister_driver(&driver);
}

static int start(u64 first, u64 period, int cpu)
{
	WRITE_ONCE(own.running, true);
	return 0;
}

static int trigger(void)
{
	WRITE_ONCE(own.raised, now());
	return vme_irq_generate(own.device, vme_level, vme_vector);
}

static void stop(void)
{
	/* No handler runs once it is freed; the bridge's interface has no other way to know. */
	WRITE_ONCE(own.running, false);
	vme_irq_free(own.device, vme_level, vme_vector);
	if (vme_irq_request(own.device, vme_level, vme_vector, handle, &own))
		pr_err("rtstone_probe: the VMEbus interrupt is lost\n");
}

const struct probe_source probe_vme = {
	.name = "vme",
	.clock = RTSTONE_PROBE_CLOCK_MONOTONIC,
	.hz = hz,
	.now = now,
	.can = can,
	.init = init,
	.exit = exit_source,
	.start = start,
	.trigger = trigger,
	.stop = stop,
};
