// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 *
 * /dev/rtstone-window: programmed I/O as a driver does it, to a memory region of the one PCI device that the module's parameter names. A
 * device that has a driver of the kernel is left alone. The region is requested while the device file is open, so that no driver takes it
 * meanwhile. It is free in between: where I/O memory is strict, a request takes the region from programs that have mapped it by sysfs.
 */
#include <linux/fs.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "device.h"

static struct {
	struct pci_dev *device;
	unsigned int region;
	void __iomem *base; /* while it is open */
	struct rtstone_window_info info;
} own;

#define MOVE(bits, get, put)                                                                                           \
	static u64 move_##bits(void __iomem *to, u32 way, u64 value)                                                   \
	{                                                                                                              \
		u64 sum = 0;                                                                                           \
		u32 at;                                                                                                \
		if (way == RTSTONE_WINDOW_READ) {                                                                      \
			for (at = 0; at < RTSTONE_WINDOW_BLOCK; at += sizeof(u##bits))                                 \
				sum += get(to + at);                                                                   \
		} else {                                                                                               \
			for (at = 0; at < RTSTONE_WINDOW_BLOCK; at += sizeof(u##bits))                                 \
				put((u##bits)value, to + at);                                                          \
		}                                                                                                      \
		if (way == RTSTONE_WINDOW_FLUSHED)                                                                     \
			sum = __raw_readb(to + RTSTONE_WINDOW_BLOCK - 1);                                              \
		return sum;                                                                                            \
	}

MOVE(8, __raw_readb, __raw_writeb)
MOVE(16, __raw_readw, __raw_writew)
MOVE(32, __raw_readl, __raw_writel)
#ifdef CONFIG_64BIT
MOVE(64, __raw_readq, __raw_writeq)
#endif

static long move(struct rtstone_window_move *asked)
{
	void __iomem *to = own.base + asked->at;

	if (asked->way >= RTSTONE_WINDOW_WAYS || asked->at % sizeof(u64) ||
	    asked->at > own.info.bytes - RTSTONE_WINDOW_BLOCK)
		return -EINVAL;
	switch (asked->bits) {
	case 8:
		asked->sum = move_8(to, asked->way, asked->value);
		return 0;
	case 16:
		asked->sum = move_16(to, asked->way, asked->value);
		return 0;
	case 32:
		asked->sum = move_32(to, asked->way, asked->value);
		return 0;
#ifdef CONFIG_64BIT
	case 64:
		asked->sum = move_64(to, asked->way, asked->value);
		return 0;
#endif
	default:
		return -EINVAL;
	}
}

static long window_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	void __user *user = (void __user *)argument;
	struct rtstone_window_move asked;
	long error;

	switch (command) {
	case RTSTONE_WINDOW_INFO:
		return copy_to_user(user, &own.info, sizeof(own.info)) ? -EFAULT : 0;
	case RTSTONE_WINDOW_MOVE:
		if (copy_from_user(&asked, user, sizeof(asked)))
			return -EFAULT;
		error = move(&asked);
		if (error)
			return error;
		return copy_to_user(user, &asked, sizeof(asked)) ? -EFAULT : 0;
	default:
		return -ENOTTY;
	}
}

/* One opener: the second one's request for the region fails. */
static int window_open(struct inode *inode, struct file *file)
{
	int error = -EBUSY;

	/* No driver is bound to the device, or taken from it, meanwhile. */
	device_lock(&own.device->dev);
	if (!own.device->driver)
		error = pci_request_region(own.device, own.region, RTSTONE_WINDOW_DEVICE);
	device_unlock(&own.device->dev);
	if (error)
		return error;
	own.base = ioremap(pci_resource_start(own.device, own.region), own.info.bytes);
	if (!own.base) {
		pci_release_region(own.device, own.region);
		return -ENOMEM;
	}
	return nonseekable_open(inode, file);
}

static int window_release(struct inode *inode, struct file *file)
{
	iounmap(own.base);
	own.base = NULL;
	pci_release_region(own.device, own.region);
	return 0;
}

/* Where I/O memory is strict, nobody else can map the region meanwhile: by this its opener sees the content. */
static int window_mmap(struct file *file, struct vm_area_struct *area)
{
	area->vm_page_prot = pgprot_device(area->vm_page_prot);
	return vm_iomap_memory(area, pci_resource_start(own.device, own.region), own.info.bytes);
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.open = window_open,
	.mmap = window_mmap,
	.release = window_release,
	.unlocked_ioctl = window_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = RTSTONE_WINDOW_DEVICE,
	.fops = &operations,
	.mode = 0600,
};

static int look_at(unsigned int which)
{
	bool taken;
	u16 command = 0;

	device_lock(&own.device->dev);
	taken = own.device->driver;
	device_unlock(&own.device->dev);
	if (taken)
		return -EBUSY;
	if (which >= PCI_STD_NUM_BARS || !(pci_resource_flags(own.device, which) & IORESOURCE_MEM))
		return -ENXIO;
	own.info.bytes = pci_resource_len(own.device, which);
	pci_read_config_word(own.device, PCI_COMMAND, &command);
	if (own.info.bytes < RTSTONE_WINDOW_BLOCK || !(command & PCI_COMMAND_MEMORY))
		return -ENXIO;
	own.region = which;
	return 0;
}

int probe_window_init(const char *place)
{
	unsigned int domain, bus, slot, function, which;
	int error;

	if (sscanf(place, "%x:%x:%x.%x/%u", &domain, &bus, &slot, &function, &which) != 5)
		return -EINVAL;
	own.device = pci_get_domain_bus_and_slot(domain, bus, PCI_DEVFN(slot, function));
	if (!own.device)
		return -ENODEV;
	snprintf(own.info.place, sizeof(own.info.place), "%s/%u", pci_name(own.device), which);
	error = look_at(which);
	if (!error)
		error = misc_register(&device);
	if (error)
		pci_dev_put(own.device);
	return error;
}

void probe_window_exit(void)
{
	misc_deregister(&device);
	pci_dev_put(own.device);
}
