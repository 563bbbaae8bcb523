/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The largest cache that the kernel reports, and the memory that the machine and the control groups leave.
 */
#include "../files.h"
#include "below.h"

#define MIB (UINT64_C(1) << 20)

static void a_machine_that_reports_nothing_limits_nothing(void **state)
{
    (void)state;
    assert_int_equal(rts_linux_largest_cache(root), 0);
    assert_true(rts_linux_memory_left(root) == UINT64_MAX);
}

static void the_largest_cache_of_any_cpu_is_found(void **state)
{
    (void)state;
    put("/sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n");
    put("/sys/devices/system/cpu/cpu0/cache/index3/size", "32768K\n");
    put("/sys/devices/system/cpu/cpu12/cache/index3/size", "96M\n");
    put("/sys/devices/system/cpu/cpu1/cache/index3/size", "many\n");
    assert_int_equal(rts_linux_largest_cache(root), 96 * MIB);
}

static void the_tightest_group_leaves_its_limit_without_what_its_processes_hold(void **state)
{
    (void)state;
    put("/proc/meminfo", "MemTotal:       8388608 kB\nMemAvailable:   4194304 kB\n");
    assert_int_equal(rts_linux_memory_left(root), 4096 * MIB);
    put("/proc/self/cgroup", "0::/pod/box\n");
    put("/proc/self/mountinfo", "30 22 0:26 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n");
    put("/sys/fs/cgroup/pod/box/memory.max", "max\n");
    assert_int_equal(rts_linux_memory_left(root), 4096 * MIB);
    put("/sys/fs/cgroup/pod/memory.max", "536870912\n");
    put("/sys/fs/cgroup/pod/memory.stat", "anon 134217728\nfile 402653184\n");
    assert_int_equal(rts_linux_memory_left(root), 384 * MIB);
    put("/sys/fs/cgroup/pod/memory.stat", "anon 536879104\nfile 0\n");
    assert_int_equal(rts_linux_memory_left(root), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_machine_that_reports_nothing_limits_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_largest_cache_of_any_cpu_is_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_tightest_group_leaves_its_limit_without_what_its_processes_hold, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
