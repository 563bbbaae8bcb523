// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * For tests: a GPIO chip of two lines with a wire between them, and an output that leads nowhere. Line 1 is an output; its rising edge interrupts the CPU that
 * line 0's interrupt was bound to, and is a pulse of a PPS source. A write to /dev/wired-gpio keeps that CPU's interrupts off from before the
 * line rises until 11 ms after: -ETIMEDOUT if nobody raises it.
 */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/gpio/driver.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/pps_kernel.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#define IN 0
#define OUT 1
#define ANSWER 2
#define LINES 3
#define HOLD_MS 11
#define PATIENCE_NS (3 * NSEC_PER_SEC)

static struct gpio_chip chip;
static unsigned int bound;
static bool level;
static unsigned int answers;
module_param(answers, uint, 0444);
MODULE_PARM_DESC(answers, "how often line 2 was raised");

static struct pps_device *pulses;
static struct pps_event_time pulse_at;
static DEFINE_RAW_SPINLOCK(pulse_lock);

/* In a thread: pps_event() may sleep with PREEMPT_RT. */
static void pulse(struct work_struct *unused)
{
	struct pps_event_time at;
	unsigned long flags;

	raw_spin_lock_irqsave(&pulse_lock, flags);
	at = pulse_at;
	raw_spin_unlock_irqrestore(&pulse_lock, flags);
	pps_event(pulses, &at, PPS_CAPTUREASSERT, NULL);
}

static DECLARE_WORK(pulse_work, pulse);

/* With interrupts off. */
static void come(void *unused)
{
	raw_spin_lock(&pulse_lock);
	pps_get_ts(&pulse_at);
	raw_spin_unlock(&pulse_lock);
	(void)schedule_work(&pulse_work);
	generic_handle_domain_irq(chip.irq.domain, IN);
}

static call_single_data_t edge = CSD_INIT(come, NULL);

static int get(struct gpio_chip *unused, unsigned int line)
{
	return READ_ONCE(level);
}

static void set(struct gpio_chip *unused, unsigned int line, int value)
{
	bool before = READ_ONCE(level);

	if (line == ANSWER && value)
		answers++;
	if (line != OUT)
		return;
	WRITE_ONCE(level, !!value);
	if (value && !before)
		(void)smp_call_function_single_async(READ_ONCE(bound), &edge);
}

static int direction_input(struct gpio_chip *unused, unsigned int line)
{
	return line == IN ? 0 : -EINVAL;
}

static int direction_output(struct gpio_chip *chip, unsigned int line, int value)
{
	if (line != OUT && line != ANSWER)
		return -EINVAL;
	set(chip, line, value);
	return 0;
}

static void change_mask(struct irq_data *unused)
{
}

static int set_type(struct irq_data *unused, unsigned int type)
{
	return type == IRQ_TYPE_EDGE_RISING ? 0 : -EINVAL;
}

static int bind(struct irq_data *data, const struct cpumask *cpus, bool force)
{
	WRITE_ONCE(bound, cpumask_first(cpus));
	irq_data_update_effective_affinity(data, cpumask_of(bound));
	return IRQ_SET_MASK_OK;
}

static const struct irq_chip interrupts = {
	.name = "wired",
	.irq_mask = change_mask,
	.irq_unmask = change_mask,
	.irq_set_type = set_type,
	.irq_set_affinity = bind,
	.flags = IRQCHIP_IMMUTABLE,
	GPIOCHIP_IRQ_RESOURCE_HELPERS,
};

/* On the bound CPU, with interrupts off. */
static void hold(void *result)
{
	u64 until = ktime_get_ns() + PATIENCE_NS;

	while (!READ_ONCE(level)) {
		if (ktime_get_ns() > until)
			return;
		cpu_relax();
	}
	mdelay(HOLD_MS);
	*(int *)result = 0;
}

static ssize_t held(struct file *unused, const char __user *user, size_t size, loff_t *offset)
{
	int result = -ETIMEDOUT;
	int error = smp_call_function_single(READ_ONCE(bound), hold, &result, 1);

	if (!error)
		error = result;
	return error ? error : (ssize_t)size;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.write = held,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "wired-gpio",
	.fops = &operations,
	.mode = 0600,
};

static int __init start(void)
{
	static struct pps_source_info told = {
		.name = "wired",
		.mode = PPS_CAPTUREASSERT | PPS_TSFMT_TSPEC,
		.owner = THIS_MODULE,
	};
	int error;

	chip.label = "wired";
	chip.owner = THIS_MODULE;
	chip.base = -1;
	chip.ngpio = LINES;
	chip.get = get;
	chip.set = set;
	chip.direction_input = direction_input;
	chip.direction_output = direction_output;
	gpio_irq_chip_set_chip(&chip.irq, &interrupts);
	chip.irq.handler = handle_simple_irq;
	chip.irq.default_type = IRQ_TYPE_NONE;
	pulses = pps_register_source(&told, PPS_CAPTUREASSERT);
	if (IS_ERR(pulses))
		return PTR_ERR(pulses);
	error = misc_register(&device);
	if (error)
		goto no_device;
	chip.parent = device.this_device;
	error = gpiochip_add_data(&chip, NULL);
	if (!error)
		return 0;
	misc_deregister(&device);
no_device:
	pps_unregister_source(pulses);
	return error;
}

static void __exit end(void)
{
	gpiochip_remove(&chip);
	misc_deregister(&device);
	cancel_work_sync(&pulse_work);
	pps_unregister_source(pulses);
}

module_init(start);
module_exit(end);
MODULE_DESCRIPTION("Two wired GPIO lines, for tests");
MODULE_AUTHOR("rtstone contributors");
MODULE_LICENSE("GPL");
