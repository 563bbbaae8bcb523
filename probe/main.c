// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * /dev/rtstone-probe: an interrupt's handler releases a semaphore, and the reader that it wakes is told when.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/semaphore.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "probe.h"
#include "traffic.h"

#define RING 4096u /* a power of two */

static const struct probe_source *const sources[] = {
	&probe_hrtimer,
#ifdef CONFIG_ARM64
	&probe_arm_timer,
#endif
#ifdef PROBE_EDU
	&probe_edu,
#endif
};

static char *source_name = "hrtimer";
module_param_named(source, source_name, charp, 0444);
MODULE_PARM_DESC(source, "where interrupts come from: hrtimer, arm-timer (arm64), edu (x86-64 under QEMU)");

static char *line;
module_param(line, charp, 0444);
MODULE_PARM_DESC(line, "place of a 16550 on the PCI bus that a load may use, as 0000:00:02.0; none: no such load");

static const struct probe_source *source;
static unsigned long in_use;
static DEFINE_MUTEX(control); /* START and STOP */
static DEFINE_MUTEX(reading); /* one reader at a time takes from the ring */
static bool running;

/* One writer, the handler; one reader. `in` and `out` only grow. */
static struct {
	struct semaphore filled;
	u32 in;
	u32 out;
	u64 lost;
	struct rtstone_probe_sample sample[RING];
} ring;

void probe_interrupt(u64 asserted, u64 entered)
{
	struct rtstone_probe_sample *sample;
	u32 in = ring.in;

	if (in - smp_load_acquire(&ring.out) == RING) {
		WRITE_ONCE(ring.lost, ring.lost + 1);
		return;
	}
	sample = &ring.sample[in % RING];
	sample->asserted = asserted;
	sample->entered = entered;
	sample->lost = ring.lost;
	sample->released = source->now();
	smp_store_release(&ring.in, in + 1);
	up(&ring.filled);
}

static void stop(void)
{
	if (running)
		source->stop();
	running = false;
}

static long start(const struct rtstone_probe_start *asked)
{
	int error;

	if (asked->reserved || !asked->period || asked->period > U32_MAX || asked->phase > U32_MAX)
		return -EINVAL;
	if (asked->cpu < 0 || asked->cpu >= nr_cpu_ids || !cpu_online(asked->cpu))
		return -EINVAL;
	stop();
	if (mutex_lock_interruptible(&reading))
		return -EINTR;
	sema_init(&ring.filled, 0);
	ring.in = 0;
	ring.out = 0;
	ring.lost = 0;
	error = source->start(source->now() + asked->phase + asked->period, asked->period, asked->cpu);
	running = !error;
	mutex_unlock(&reading);
	return error;
}

static long probe_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	void __user *user = (void __user *)argument;
	struct rtstone_probe_info info = {
		.abi = RTSTONE_PROBE_ABI,
		.clock = source->clock,
	};
	struct rtstone_probe_start asked;
	long result = 0;

	switch (command) {
	case RTSTONE_PROBE_INFO:
		info.hz = source->hz();
		strscpy(info.source, source->name, sizeof(info.source));
		return copy_to_user(user, &info, sizeof(info)) ? -EFAULT : 0;
	case RTSTONE_PROBE_START:
		if (copy_from_user(&asked, user, sizeof(asked)))
			return -EFAULT;
		if (mutex_lock_interruptible(&control))
			return -EINTR;
		result = start(&asked);
		mutex_unlock(&control);
		return result;
	case RTSTONE_PROBE_STOP:
		mutex_lock(&control);
		stop();
		mutex_unlock(&control);
		return 0;
	default:
		return -ENOTTY;
	}
}

static ssize_t probe_read(struct file *file, char __user *user, size_t room, loff_t *offset)
{
	struct rtstone_probe_sample sample;

	if (room < sizeof(sample))
		return -EINVAL;
	if (mutex_lock_interruptible(&reading))
		return -EINTR;
	if (down_interruptible(&ring.filled)) {
		mutex_unlock(&reading);
		return -EINTR;
	}
	sample = ring.sample[ring.out % RING];
	smp_store_release(&ring.out, ring.out + 1);
	mutex_unlock(&reading);
	return copy_to_user(user, &sample, sizeof(sample)) ? -EFAULT : (ssize_t)sizeof(sample);
}

static int probe_open(struct inode *inode, struct file *file)
{
	if (test_and_set_bit(0, &in_use))
		return -EBUSY;
	return nonseekable_open(inode, file);
}

static int probe_release(struct inode *inode, struct file *file)
{
	mutex_lock(&control);
	stop();
	mutex_unlock(&control);
	clear_bit(0, &in_use);
	return 0;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = probe_open,
	.release = probe_release,
	.read = probe_read,
	.unlocked_ioctl = probe_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = RTSTONE_PROBE_DEVICE,
	.fops = &operations,
	.mode = 0600,
};

static int __init probe_init(void)
{
	size_t i;
	int error;

	for (i = 0; i < ARRAY_SIZE(sources); i++)
		if (!strcmp(source_name, sources[i]->name))
			source = sources[i];
	if (!source) {
		pr_err("rtstone_probe: no source '%s' here\n", source_name);
		return -EINVAL;
	}
	sema_init(&ring.filled, 0);
	error = source->init();
	if (error) {
		pr_err("rtstone_probe: source '%s' cannot be had: %d\n", source->name, error);
		return error;
	}
	error = misc_register(&device);
	if (error)
		goto no_device;
	if (line) {
		error = traffic_init(line);
		if (error) {
			pr_err("rtstone_probe: the serial line at %s cannot be had: %d\n", line, error);
			goto no_line;
		}
	}
	return 0;

no_line:
	misc_deregister(&device);
no_device:
	source->exit();
	return error;
}

static void __exit probe_exit(void)
{
	if (line)
		traffic_exit();
	misc_deregister(&device);
	source->exit();
}

module_init(probe_init);
module_exit(probe_exit);
MODULE_DESCRIPTION("Interrupt latency probe: a handler that releases a semaphore");
MODULE_AUTHOR("rtstone contributors");
MODULE_LICENSE("GPL");
