// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * /dev/rtstone-traffic: interrupts for a load. A timer writes bytes to a 16550 in loopback, whose receiver interrupts in
 * its turn; both are served as this kernel serves any driver: on PREEMPT_RT in threads.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/semaphore.h>
#include <linux/serial_reg.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include "compat.h"
#include "rtstone_probe.h"
#include "rtstone_traffic.h"
#include "traffic.h"

#define RING 256u /* events that a reader may be behind: a power of two */
#define RATE_MAX 100000u
#define QUIET_US 2000u /* longer than the line takes to report its last byte */

/* One writer, the handler; one reader. `in` and `out` only grow. */
struct ring {
	struct semaphore there;
	struct mutex
		reading; /* there is one reader: whoever has it moves `out`; START has it while it empties the ring */
	u32 in;
	u32 out;
	u8 bytes[RING];
};

static struct {
	struct pci_dev *device;
	void __iomem *line;
	struct hrtimer timer;
	unsigned long long state;
	u64 mean_ns;
	u8 byte;
	bool running;
	struct ring ring[RTSTONE_TRAFFIC_SOURCES];
	struct rtstone_traffic_counts counts;
} own;

static unsigned long in_use;
static DEFINE_MUTEX(control);

static void event(unsigned int source, u8 byte)
{
	struct ring *ring = &own.ring[source];
	u32 in = ring->in;

	own.counts.events[source]++;
	/* Pairs with the reader's release: an entry that the reader has read may be overwritten. */
	if (in - smp_load_acquire(&ring->out) == RING) {
		own.counts.lost[source]++;
		return;
	}
	ring->bytes[in % RING] = byte;
	/* Pairs with the reader's acquire: the byte is stored before `in` announces it. */
	smp_store_release(&ring->in, in + 1);
	up(&ring->there);
}

static enum hrtimer_restart expired(struct hrtimer *timer)
{
	/* On from when it was due: one that is late expires again at once. */
	hrtimer_add_expires_ns(timer, rtstone_traffic_interval(&own.state, own.mean_ns));
	iowrite8(own.byte, own.line + UART_TX);
	own.counts.sent++;
	own.counts.interrupts[RTSTONE_TRAFFIC_TIMER]++;
	event(RTSTONE_TRAFFIC_TIMER, own.byte);
	own.byte++;
	return HRTIMER_RESTART;
}

static irqreturn_t received(int irq, void *unused)
{
	if (ioread8(own.line + UART_IIR) & UART_IIR_NO_INT)
		return IRQ_NONE;
	own.counts.interrupts[RTSTONE_TRAFFIC_LINE]++;
	while (ioread8(own.line + UART_LSR) & UART_LSR_DR)
		event(RTSTONE_TRAFFIC_LINE, ioread8(own.line + UART_RX));
	return IRQ_HANDLED;
}

static void line_open(void)
{
	iowrite8(UART_LCR_DLAB, own.line + UART_LCR);
	iowrite8(1, own.line + UART_DLL); /* 115200 bit/s: a byte takes 87 us */
	iowrite8(0, own.line + UART_DLM);
	iowrite8(UART_LCR_WLEN8, own.line + UART_LCR);
	/*
	 * The receiver raises its interrupt when eight bytes have come, or when four byte times have passed since the last. So
	 * the moment is the receiver's own, not that of the timer's handler, which wrote the byte.
	 */
	iowrite8(UART_FCR_ENABLE_FIFO | UART_FCR_CLEAR_RCVR | UART_FCR_CLEAR_XMIT | UART_FCR_TRIGGER_8,
		 own.line + UART_FCR);
	iowrite8(UART_MCR_LOOP, own.line + UART_MCR);
	iowrite8(UART_IER_RDI, own.line + UART_IER);
}

static void line_close(void)
{
	iowrite8(0, own.line + UART_IER);
	iowrite8(0, own.line + UART_MCR);
}

/* On return no handler runs; readers drain the remaining events and leave. */
static void stop(void)
{
	size_t i;

	if (!own.running)
		return;
	hrtimer_cancel(&own.timer);
	usleep_range(QUIET_US, 2 * QUIET_US);
	line_close();
	synchronize_irq(own.device->irq);
	/* Pairs with the reader's acquire: who sees it sees all that came. */
	smp_store_release(&own.running, false);
	for (i = 0; i < ARRAY_SIZE(own.ring); i++)
		up(&own.ring[i].there);
}

/* A reader of the trial before may still be in there: it has been woken, and a new one does not sleep while nothing runs. */
static void empty(struct ring *ring)
{
	mutex_lock(&ring->reading);
	sema_init(&ring->there, 0);
	ring->in = 0;
	ring->out = 0;
	mutex_unlock(&ring->reading);
}

static void start_here(void *unused)
{
	hrtimer_start(&own.timer, ns_to_ktime(ktime_get_ns() + rtstone_traffic_interval(&own.state, own.mean_ns)),
		      HRTIMER_MODE_ABS_PINNED);
}

static long start(const struct rtstone_traffic_start *asked)
{
	size_t i;
	int error;

	if (!asked->rate_hz || asked->rate_hz > RATE_MAX)
		return -EINVAL;
	if (asked->cpu < 0 || asked->cpu >= nr_cpu_ids || !cpu_online(asked->cpu))
		return -EINVAL;
	stop();
	memset(&own.counts, 0, sizeof(own.counts));
	for (i = 0; i < ARRAY_SIZE(own.ring); i++)
		empty(&own.ring[i]);
	own.state = rtstone_traffic_state(asked->seed);
	own.mean_ns = div_u64(NSEC_PER_SEC, asked->rate_hz);
	own.byte = 0;
	/* A controller that does not allow this has one CPU, or the counts show it. */
	(void)irq_set_affinity(own.device->irq, cpumask_of(asked->cpu));
	line_open();
	/* Pairs with the reader's acquire: the rings are empty. */
	smp_store_release(&own.running, true);
	error = smp_call_function_single(asked->cpu, start_here, NULL, 1);
	if (error)
		stop();
	return error;
}

static long wait(struct rtstone_traffic_event *next)
{
	struct ring *ring;
	long result = 0;

	if (next->source >= RTSTONE_TRAFFIC_SOURCES)
		return -EINVAL;
	ring = &own.ring[next->source];
	if (mutex_lock_interruptible(&ring->reading))
		return -EINTR;
	/* Pairs with the release of stop() and start(): with nothing running and nothing left there is nothing to wait for. */
	if (!smp_load_acquire(&own.running) && ring->out == smp_load_acquire(&ring->in)) {
		result = -ECANCELED;
		goto out;
	}
	if (down_interruptible(&ring->there)) {
		result = -EINTR;
		goto out;
	}
	/* Pairs with the handler's release. */
	if (ring->out == smp_load_acquire(&ring->in)) {
		result = -ECANCELED; /* nothing but a stop releases it without an event */
		goto out;
	}
	next->byte = ring->bytes[ring->out % RING];
	/* Pairs with the handler's acquire. */
	smp_store_release(&ring->out, ring->out + 1);
out:
	mutex_unlock(&ring->reading);
	return result;
}

static long traffic_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	void __user *user = (void __user *)argument;
	struct rtstone_traffic_start asked;
	struct rtstone_traffic_counts counts;
	struct rtstone_traffic_event next;
	long result;

	switch (command) {
	case RTSTONE_TRAFFIC_START:
		if (copy_from_user(&asked, user, sizeof(asked)))
			return -EFAULT;
		if (mutex_lock_interruptible(&control))
			return -EINTR;
		result = start(&asked);
		mutex_unlock(&control);
		return result;
	case RTSTONE_TRAFFIC_WAIT:
		if (copy_from_user(&next, user, sizeof(next)))
			return -EFAULT;
		result = wait(&next);
		if (!result && copy_to_user(user, &next, sizeof(next)))
			return -EFAULT;
		return result;
	case RTSTONE_TRAFFIC_STOP:
		mutex_lock(&control);
		stop();
		counts = own.counts;
		mutex_unlock(&control);
		return copy_to_user(user, &counts, sizeof(counts)) ? -EFAULT : 0;
	default:
		return -ENOTTY;
	}
}

static int traffic_open(struct inode *inode, struct file *file)
{
	if (!capable(CAP_SYS_NICE)) /* as of the probe's device: its interrupts take a CPU */
		return -EPERM;
	if (test_and_set_bit(0, &in_use))
		return -EBUSY;
	return nonseekable_open(inode, file);
}

static int traffic_release(struct inode *inode, struct file *file)
{
	mutex_lock(&control);
	stop();
	mutex_unlock(&control);
	clear_bit(0, &in_use);
	return 0;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = traffic_open,
	.release = traffic_release,
	.unlocked_ioctl = traffic_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = RTSTONE_TRAFFIC_DEVICE,
	.fops = &operations,
	.mode = 0600,
};

static struct pci_dev *find(const char *place)
{
	unsigned int domain;
	unsigned int bus;
	unsigned int slot;
	unsigned int function;

	if (sscanf(place, "%x:%x:%x.%x", &domain, &bus, &slot, &function) != 4)
		return NULL;
	return pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, function));
}

int traffic_init(const char *place)
{
	size_t i;
	int error;

	own.device = find(place);
	if (!own.device)
		return -ENODEV;
	device_release_driver(&own.device->dev); /* the kernel's own driver of such lines */
	error = pci_enable_device(own.device);
	if (error)
		goto no_device;
	error = pci_request_region(own.device, 0, "rtstone_traffic");
	if (error)
		goto no_region;
	own.line = pci_iomap(own.device, 0, 0);
	if (!own.line) {
		error = -ENOMEM;
		goto no_line;
	}
	for (i = 0; i < ARRAY_SIZE(own.ring); i++) {
		sema_init(&own.ring[i].there, 0);
		mutex_init(&own.ring[i].reading);
	}
	hrtimer_setup(&own.timer, expired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED);
	line_close();
	error = request_irq(own.device->irq, received, IRQF_SHARED, "rtstone_traffic", &own);
	if (error)
		goto no_interrupt;
	error = misc_register(&device);
	if (!error)
		return 0;
	free_irq(own.device->irq, &own);
no_interrupt:
	pci_iounmap(own.device, own.line);
no_line:
	pci_release_region(own.device, 0);
no_region:
	pci_disable_device(own.device);
no_device:
	pci_dev_put(own.device);
	return error;
}

void traffic_exit(void)
{
	misc_deregister(&device);
	stop();
	free_irq(own.device->irq, &own);
	pci_iounmap(own.device, own.line);
	pci_release_region(own.device, 0);
	pci_disable_device(own.device);
	pci_dev_put(own.device);
}
