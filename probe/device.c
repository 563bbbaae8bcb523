// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * /dev/rtstone-probe: one program at a time opens it, requests interrupts and reads a sample of each. While it is open the
 * module cannot be removed; when it is closed, the interrupts end.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "device.h"

/* Every period is served, so one shorter than its handler would take the machine. */
#define PERIOD_MIN_US 10u
#define PRIORITY_MAX 98 /* 99 is left to the kernel's own threads */
#define FLAGS (RTSTONE_PROBE_SOFTWARE | RTSTONE_PROBE_SIGNAL | RTSTONE_PROBE_UNSTAMPED)

static const struct probe_source *source;
static unsigned long in_use;
static DEFINE_MUTEX(control); /* START, STOP, TRIGGER, RECEIVE */
static DEFINE_MUTEX(reading); /* one reader at a time takes from the ring */

static bool period_is_sane(const struct rtstone_probe_start *asked)
{
	if (asked->flags & RTSTONE_PROBE_SOFTWARE)
		return !asked->period && !asked->phase;
	return asked->period <= U32_MAX && asked->phase <= U32_MAX &&
	       asked->period >= div_u64(source->hz() * PERIOD_MIN_US, USEC_PER_SEC);
}

static long start(const struct rtstone_probe_start *asked)
{
	long error;

	if (!period_is_sane(asked) || (asked->flags & ~FLAGS))
		return -EINVAL;
	if (asked->priority < 0 || asked->priority > PRIORITY_MAX)
		return -EINVAL;
	if (asked->cpu < 0 || asked->cpu >= nr_cpu_ids || !cpu_online(asked->cpu))
		return -EINVAL;
	probe_path_stop();
	/* Who reads holds this, and may wait in vain now that nothing comes: a signal to the caller gets it out of here. */
	if (mutex_lock_interruptible(&reading))
		return -EINTR;
	error = probe_path_start(asked);
	mutex_unlock(&reading);
	return error;
}

static long info(struct rtstone_probe_info __user *user)
{
	struct rtstone_probe_info told = {
		.abi = RTSTONE_PROBE_ABI,
		.clock = source->clock,
		.hz = source->hz(),
		.can = source->can(),
	};

	strscpy(told.source, source->name, sizeof(told.source));
	return copy_to_user(user, &told, sizeof(told)) ? -EFAULT : 0;
}

static long controlled(unsigned int command, void __user *user)
{
	struct rtstone_probe_start asked;
	s32 signal;

	switch (command) {
	case RTSTONE_PROBE_START:
		return copy_from_user(&asked, user, sizeof(asked)) ? -EFAULT : start(&asked);
	case RTSTONE_PROBE_STOP:
		probe_path_stop();
		return 0;
	case RTSTONE_PROBE_TRIGGER:
		return probe_path_trigger();
	case RTSTONE_PROBE_RECEIVE:
		return copy_from_user(&signal, user, sizeof(signal)) ? -EFAULT : probe_path_receive(signal);
	default:
		return -ENOTTY;
	}
}

static long probe_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	long result;

	if (command == RTSTONE_PROBE_INFO)
		return info((void __user *)argument);
	if (mutex_lock_interruptible(&control))
		return -EINTR;
	result = controlled(command, (void __user *)argument);
	mutex_unlock(&control);
	return result;
}

static ssize_t probe_read(struct file *file, char __user *user, size_t room, loff_t *offset)
{
	struct rtstone_probe_sample sample;
	int error;

	if (room < sizeof(sample))
		return -EINVAL;
	if (mutex_lock_interruptible(&reading))
		return -EINTR;
	error = probe_path_take(&sample, !(file->f_flags & O_NONBLOCK));
	mutex_unlock(&reading);
	if (error)
		return error;
	return copy_to_user(user, &sample, sizeof(sample)) ? -EFAULT : (ssize_t)sizeof(sample);
}

/* An opener can take a CPU at will: interrupts each 10 us, and a thread above nearly all others. */
static int probe_open(struct inode *inode, struct file *file)
{
	if (!capable(CAP_SYS_NICE))
		return -EPERM;
	if (test_and_set_bit(0, &in_use))
		return -EBUSY;
	return nonseekable_open(inode, file);
}

static int probe_release(struct inode *inode, struct file *file)
{
	mutex_lock(&control);
	probe_path_stop();
	probe_path_receive(0);
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

int probe_device_init(const struct probe_source *chosen)
{
	source = chosen;
	probe_path_init(chosen);
	return misc_register(&device);
}

void probe_device_exit(void)
{
	misc_deregister(&device);
	probe_path_exit();
}
