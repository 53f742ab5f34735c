// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The module: its PMUs, and /dev/scripted_pmu, which everybody may write. */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "tests/vm/pmu/law.h"
#include "tests/vm/pmu/scripted.h"

static ssize_t ring_write(struct file *file, const char __user *from, size_t size, loff_t *at)
{
	struct scripted_ring rings[SCRIPTED_RINGS_AT_ONCE];
	size_t n = size / sizeof(rings[0]);

	if (!n || n > SCRIPTED_RINGS_AT_ONCE || size % sizeof(rings[0]))
		return -EINVAL;
	if (copy_from_user(rings, from, size))
		return -EFAULT;
	for (size_t i = 0; i < n; i++)
		if (rings[i].zero)
			return -EINVAL;
	for (size_t i = 0; i < n; i++)
		scripted_core_ring(&rings[i]);
	return size;
}

static const struct file_operations ring_operations = {
	.owner = THIS_MODULE,
	.write = ring_write,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "scripted_pmu",
	.mode = 0666,
	.fops = &ring_operations,
};

static int __init scripted_init(void)
{
	int ret = scripted_core_init();

	if (ret)
		return ret;
	ret = scripted_uncore_init();
	if (ret)
		goto core;
	ret = misc_register(&device);
	if (ret)
		goto uncore;
	return 0;
uncore:
	scripted_uncore_deinit();
core:
	scripted_core_deinit();
	return ret;
}

static void __exit scripted_exit(void)
{
	misc_deregister(&device);
	scripted_uncore_deinit();
	scripted_core_deinit();
}

module_init(scripted_init);
module_exit(scripted_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("PMUs whose counts follow a known law, for tests of wtrace");
