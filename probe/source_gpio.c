// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * A GPIO line as the source. A second line of the same chip may be wired to it (gpio_out): that one raises it, and the time
 * of raising is known. Without it, the edges come from outside, and only the time after the handler can be measured.
 *
 * With a period, another CPU raises the line. The measured CPU could raise it only while its interrupts are on, so the time
 * with interrupts off would be in no figure. The line is stamped where it is raised.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/gpio/consumer.h>
#include <linux/gpio/machine.h>
#include <linux/interrupt.h>
#include <linux/ktime.h>
#include <linux/device.h>
#include <linux/module.h>
#include <linux/smp.h>

#include "compat.h"
#include "sources.h"

static char *gpio_chip = "";
module_param(gpio_chip, charp, 0444);
MODULE_PARM_DESC(gpio_chip, "source gpio: the label of the lines' chip, as gpiodetect has it");

static int gpio_in = -1;
module_param(gpio_in, int, 0444);
MODULE_PARM_DESC(gpio_in, "source gpio: number of the line whose rising edge interrupts");

static int gpio_out = -1;
module_param(gpio_out, int, 0444);
MODULE_PARM_DESC(gpio_out, "source gpio: number of the line that is wired to it; none: the edges come from outside");

static struct gpiod_lookup_table lookup = {
	.dev_id = "rtstone_probe",
	.table = {{}, {}, {}},
};

static struct {
	struct device *device;
	struct gpio_desc *in;
	struct gpio_desc *out; /* NULL: none */
	int irq;
	struct hrtimer timer;
	u64 first;
	u64 period; /* 0: by trigger only */
	u64 raised;
	int cpu; /* the measured one */
	bool up; /* raised and not yet served */
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
	if (!own.out)
		return RTSTONE_PROBE_CAN_PERIOD | RTSTONE_PROBE_ASSERTION_UNKNOWN;
	return RTSTONE_PROBE_CAN_TRIGGER | (num_online_cpus() > 1 ? RTSTONE_PROBE_CAN_PERIOD : 0);
}

/* A line that is still up has no further edge to give. Interrupts off. */
static void raise(void)
{
	/* Pairs with the handler's release: it has read when the last one was raised, and the line is down. */
	if (smp_load_acquire(&own.up)) {
		probe_missed(1);
		return;
	}
	WRITE_ONCE(own.raised, now());
	/* Pairs with the handler's acquire. */
	smp_store_release(&own.up, true);
	gpiod_set_value(own.out, 1);
}

static irqreturn_t handle(int irq, void *unused)
{
	u64 entered = now();
	u64 raised = entered;

	if (own.out) {
		/* Pairs with raise(): whoever sees it up sees when it was raised. */
		bool ours = smp_load_acquire(&own.up);

		raised = READ_ONCE(own.raised);
		gpiod_set_value(own.out, 0);
		if (!ours)
			return IRQ_HANDLED;
		/* Pairs with raise(). */
		smp_store_release(&own.up, false);
	}
	if (READ_ONCE(own.running))
		probe_interrupt(raised, entered);
	return IRQ_HANDLED;
}

static enum hrtimer_restart expire(struct hrtimer *timer)
{
	u64 periods = hrtimer_forward_now(timer, ns_to_ktime(own.period));

	/* A raiser that is late raises once, and counts the rest. */
	if (periods > 1)
		probe_missed(periods - 1);
	raise();
	return HRTIMER_RESTART;
}

static void put_lines(void)
{
	if (own.out)
		gpiod_put(own.out);
	gpiod_put(own.in);
}

static int take_lines(void)
{
	own.in = gpiod_get(own.device, "in", GPIOD_IN);
	if (IS_ERR(own.in))
		return PTR_ERR(own.in);
	own.out = gpiod_get_optional(own.device, "out", GPIOD_OUT_LOW);
	if (IS_ERR(own.out)) {
		gpiod_put(own.in);
		return PTR_ERR(own.out);
	}
	/* One behind a slow bus cannot be raised from an interrupt, nor does its own interrupt come in one. */
	if (gpiod_cansleep(own.in) || (own.out && gpiod_cansleep(own.out)))
		own.irq = -EOPNOTSUPP;
	else
		own.irq = gpiod_to_irq(own.in);
	if (own.irq < 0)
		put_lines();
	return own.irq < 0 ? own.irq : 0;
}

static int init(void)
{
	int error;

	if (!*gpio_chip || gpio_in < 0)
		return -EINVAL;
	lookup.table[0] = GPIO_LOOKUP(gpio_chip, gpio_in, "in", GPIO_ACTIVE_HIGH);
	if (gpio_out >= 0)
		lookup.table[1] = GPIO_LOOKUP(gpio_chip, gpio_out, "out", GPIO_ACTIVE_HIGH);
	own.device = root_device_register("rtstone_probe");
	if (IS_ERR(own.device))
		return PTR_ERR(own.device);
	gpiod_add_lookup_table(&lookup);
	error = take_lines();
	gpiod_remove_lookup_table(&lookup);
	if (error)
		goto no_lines;
	hrtimer_setup(&own.timer, expire, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	error = request_irq(own.irq, handle, IRQF_TRIGGER_RISING | IRQF_NO_THREAD, "rtstone_probe", &own);
	if (!error)
		return 0;
	put_lines();
no_lines:
	root_device_unregister(own.device);
	return error;
}

static void stop(void)
{
	WRITE_ONCE(own.running, false);
	hrtimer_cancel(&own.timer);
	synchronize_irq(own.irq);
}

static void exit_source(void)
{
	stop();
	free_irq(own.irq, &own);
	put_lines();
	root_device_unregister(own.device);
}

static void start_here(void *unused)
{
	hrtimer_start(&own.timer, ns_to_ktime(own.first), HRTIMER_MODE_ABS_PINNED_HARD);
}

static int start(u64 first, u64 period, int cpu)
{
	unsigned int other = cpumask_any_but(cpu_online_mask, cpu);

	own.first = first;
	own.period = period;
	own.cpu = cpu;
	/* A controller that does not allow this has one CPU. */
	(void)irq_set_affinity(own.irq, cpumask_of(cpu));
	if (own.out)
		gpiod_set_value(own.out, 0);
	own.up = false;
	WRITE_ONCE(own.running, true);
	if (!own.out || !period)
		return 0;
	if (other >= nr_cpu_ids) {
		WRITE_ONCE(own.running, false);
		return -EOPNOTSUPP;
	}
	return smp_call_function_single(other, start_here, NULL, 1);
}

static void trigger_here(void *unused)
{
	raise();
}

static int trigger(void)
{
	return smp_call_function_single(own.cpu, trigger_here, NULL, 1);
}

const struct probe_source probe_gpio = {
	.name = "gpio",
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
