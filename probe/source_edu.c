// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * QEMU's PCI device "edu" as the source: a device's interrupt, from the bus to the handler. The device raises it when a
 * transfer is over, 100 ms after it was asked for, so that it falls wherever the kernel then is. x86 under instruction
 * counting only: there the CPU's counter and the device's timer are one clock, and when the interrupt is due is known.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/errno.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/pci.h>
#include <linux/smp.h>
#include <asm/tsc.h>

#include "compat.h"
#include "sources.h"

/* QEMU, docs/specs/edu. */
#define VENDOR 0x1234
#define DEVICE 0x11e8
#define STATUS 0x24
#define RAISE 0x60
#define ACKNOWLEDGE 0x64
#define FROM 0x80
#define TO 0x88
#define COUNT 0x90
#define COMMAND 0x98
#define RUN 1u
#define INTERRUPT_AT_END 4u
#define OWN_MEMORY 0x40000u
#define ADDRESS_BITS 28
#define AT_END 0x100u
#define RAISED 1u

#define TRANSFER_MS 100u
#define TRANSFER_NS ((u64)TRANSFER_MS * NSEC_PER_MSEC)
/* Between a transfer's end and the next one's begin: the device takes whole milliseconds, and the handler its time. */
#define PERIOD_MIN (TRANSFER_NS + 2 * NSEC_PER_MSEC)
/* As near as this to the next millisecond it is unsure in which of them the device will be asked. */
#define UNSURE_NS 10000u

static struct {
	struct pci_dev *device;
	void __iomem *base;
	void *memory;
	dma_addr_t address;
	int irq;
	struct hrtimer timer;
	u64 due;    /* of the transfer under way, by the CPU's counter */
	u64 next;   /* when the next interrupt is wanted */
	u64 period; /* 0: by trigger only */
	u64 late;   /* of the trial */
	u64 raised;
	int cpu;
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

/* Interrupts off. */
static void transfer(void)
{
	u64 counter;
	u32 into;

	do {
		counter = rdtsc_ordered();
		div_u64_rem(counter, NSEC_PER_MSEC, &into);
	} while (into >= NSEC_PER_MSEC - UNSURE_NS);
	iowrite32(RUN | INTERRUPT_AT_END, own.base + COMMAND);
	own.due = counter - into + TRANSFER_NS;
}

static enum hrtimer_restart begin(struct hrtimer *timer)
{
	if (READ_ONCE(own.running))
		transfer();
	return HRTIMER_NORESTART;
}

static void arrange(void)
{
	hrtimer_start(&own.timer, ns_to_ktime(own.next - TRANSFER_NS), HRTIMER_MODE_ABS_PINNED_HARD);
}

static irqreturn_t handle(int irq, void *unused)
{
	u64 entered = now();
	u64 late = rdtsc_ordered() - own.due;
	u32 status = ioread32(own.base + STATUS);

	if (!(status & (AT_END | RAISED)))
		return IRQ_NONE;
	iowrite32(status, own.base + ACKNOWLEDGE);
	if (!(status & AT_END)) {
		if (READ_ONCE(own.running))
			probe_interrupt(own.raised, entered);
		return IRQ_HANDLED;
	}
	own.late = late;
	if (!READ_ONCE(own.running))
		return IRQ_HANDLED;
	probe_interrupt(entered - late, entered);
	if (!own.period)
		return IRQ_HANDLED;
	own.next += own.period;
	arrange();
	return IRQ_HANDLED;
}

/* A transfer cannot be called off. */
static int settle(void)
{
	unsigned int waited;

	for (waited = 0; ioread32(own.base + COMMAND) & RUN; waited++) {
		if (waited == 2 * TRANSFER_MS)
			return -EIO;
		usleep_range(1000, 2000);
	}
	synchronize_irq(own.irq);
	return 0;
}

static void try_once(void *unused)
{
	transfer();
}

/* Whether the interrupt comes when it is said to be due: not if somebody has set the counter. */
static int try_clock(void)
{
	int error;

	own.late = U64_MAX;
	error = smp_call_function_single(0, try_once, NULL, 1);
	if (!error)
		error = settle();
	return error ? error : own.late < NSEC_PER_MSEC ? 0 : -ENODEV;
}

static int take_device(void)
{
	int error = pci_enable_device(own.device);

	if (error)
		return error;
	error = pci_request_region(own.device, 0, "rtstone_probe");
	if (error)
		goto no_region;
	error = -ENOMEM;
	own.base = pci_iomap(own.device, 0, 0);
	if (!own.base)
		goto no_base;
	pci_set_master(own.device);
	error = dma_set_mask_and_coherent(&own.device->dev, DMA_BIT_MASK(ADDRESS_BITS));
	if (error)
		goto no_memory;
	error = -ENOMEM;
	own.memory = dma_alloc_coherent(&own.device->dev, PAGE_SIZE, &own.address, GFP_KERNEL);
	if (!own.memory)
		goto no_memory;
	iowrite32(lower_32_bits(own.address), own.base + FROM);
	iowrite32(OWN_MEMORY, own.base + TO);
	iowrite32(sizeof(u32), own.base + COUNT);
	error = pci_alloc_irq_vectors(own.device, 1, 1, PCI_IRQ_MSI);
	if (error < 0)
		goto no_vector;
	own.irq = pci_irq_vector(own.device, 0);
	/* On PREEMPT_RT too it is the hard interrupt that is measured. */
	error = request_irq(own.irq, handle, IRQF_NO_THREAD, "rtstone_probe", &own);
	if (!error)
		return 0;
	pci_free_irq_vectors(own.device);
no_vector:
	dma_free_coherent(&own.device->dev, PAGE_SIZE, own.memory, own.address);
no_memory:
	pci_iounmap(own.device, own.base);
no_base:
	pci_release_region(own.device, 0);
no_region:
	pci_disable_device(own.device);
	return error;
}

static void release_device(void)
{
	free_irq(own.irq, &own);
	pci_free_irq_vectors(own.device);
	dma_free_coherent(&own.device->dev, PAGE_SIZE, own.memory, own.address);
	pci_iounmap(own.device, own.base);
	pci_release_region(own.device, 0);
	pci_disable_device(own.device);
	pci_dev_put(own.device);
}

static void stop(void)
{
	WRITE_ONCE(own.running, false);
	synchronize_irq(own.irq);
	hrtimer_cancel(&own.timer);
}

static void exit_source(void)
{
	stop();
	(void)settle();
	release_device();
}

static u32 can(void)
{
	return RTSTONE_PROBE_CAN_PERIOD | RTSTONE_PROBE_CAN_TRIGGER;
}

static int init(void)
{
	int error;

	own.device = pci_get_device(VENDOR, DEVICE, NULL);
	if (!own.device)
		return -ENODEV;
	error = take_device();
	if (error) {
		pci_dev_put(own.device);
		return error;
	}
	hrtimer_setup(&own.timer, begin, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	error = try_clock();
	if (error)
		release_device();
	return error;
}

static void start_here(void *unused)
{
	WRITE_ONCE(own.running, true);
	if (own.period)
		arrange();
}

static void trigger_here(void *unused)
{
	own.raised = now();
	iowrite32(RAISED, own.base + RAISE);
}

/* The device raises its interrupt at the end of the write. */
static int trigger(void)
{
	return smp_call_function_single(own.cpu, trigger_here, NULL, 1);
}

/* Interrupts come with the device's next whole millisecond, not at `first` itself; no two within PERIOD_MIN. */
static int start(u64 first, u64 period, int cpu)
{
	int error;

	if (period && period < PERIOD_MIN) {
		pr_err("rtstone_probe: the source edu has no period below %llu ms\n", PERIOD_MIN / NSEC_PER_MSEC);
		return -EINVAL;
	}
	error = settle();
	if (error)
		return error;
	own.next = first;
	own.period = period;
	own.cpu = cpu;
	/* A controller that does not allow this has one CPU. */
	(void)irq_set_affinity(own.irq, cpumask_of(cpu));
	return smp_call_function_single(cpu, start_here, NULL, 1);
}

const struct probe_source probe_edu = {
	.name = "edu",
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
