/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Control groups of both versions, as a container or a service sees them.
 */
#include "../files.h"
#include "../groups.h"
#include "below.h"

static void version_2_is_read_at_every_level(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/kubepods/pod7/box\n");
    put("/proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/vda rw\n"
                                "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
    put("/sys/fs/cgroup/kubepods/pod7/box/cpu.max", "max 100000\n");
    put("/sys/fs/cgroup/kubepods/pod7/box/cpu.stat", "usage_usec 9\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
    put("/sys/fs/cgroup/kubepods/pod7/cpu.max", "50000 100000\n");
    put("/sys/fs/cgroup/kubepods/pod7/cpu.stat",
        "usage_usec 9\nnr_periods 236\nnr_throttled 135\nthrottled_usec 6700000\n");
    put("/sys/fs/cgroup/kubepods/cpu.max", "400000 100000\n");
    put("/sys/fs/cgroup/kubepods/pod7/box/memory.max", "62914560\n");
    put("/sys/fs/cgroup/kubepods/pod7/memory.max", "max\n");
    put("/sys/fs/cgroup/kubepods/pod7/box/cpuset.cpus.effective", "0,2-3\n");
    put("/sys/devices/system/cpu/online", "0-7\n");
    put("/sys/fs/cgroup/kubepods/pod7/box/cpu.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1234\n");
    put("/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=99\n");
    put("/proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=88\n");

    assert_int_equal(rts_group_least(root, "cpu", rts_group_quota), 500);
    assert_int_equal(rts_group_least(root, "memory", rts_group_memory), 62914560);
    assert_true(rts_group_least(root, "cpu", rts_group_realtime) == RTS_GROUP_UNLIMITED);
    char list[64];
    assert_true(rts_group_cpus(root, list, sizeof list));
    assert_string_equal(list, "0,2-3");

    rts_group group;
    rts_group_stops stops;
    assert_true(rts_group_find(&group, root, "cpu"));
    assert_int_equal(group.version, 2);
    assert_true(rts_group_stops_read(&group, &stops));
    assert_int_equal(stops.periods, 0);
    assert_true(rts_group_up(&group));
    assert_true(rts_group_stops_read(&group, &stops));
    assert_int_equal(stops.periods, 236);
    assert_int_equal(stops.stopped, 135);
    assert_true(stops.stopped_ns == UINT64_C(6700000000));
    assert_true(rts_group_up(&group));
    assert_true(rts_group_up(&group));
    assert_false(rts_group_stops_read(&group, &stops));
    assert_false(rts_group_up(&group));

    uint64_t waited = 0;
    assert_true(rts_group_pressure(root, "cpu", &waited));
    assert_int_equal(waited, 1234000);
    assert_true(rts_group_pressure(root, "io", &waited));
    assert_int_equal(waited, 88000);
    assert_false(rts_group_pressure(root, "memory", &waited));
}

static void version_1_is_read_where_a_container_has_only_its_own_folder(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "7:memory:/box\n4:cpuacct,cpu:/machine/box\n3:cpuset:/machine/box\n0::/\n");
    put("/proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw\n"
                                "32 31 0:29 /machine/box /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
                                "33 31 0:30 /machine/box /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
                                "34 31 0:31 /elsewhere /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                                "35 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    put("/sys/fs/cgroup/cpu/cpu.rt_runtime_us", "50000\n");
    put("/sys/fs/cgroup/cpu/cpu.rt_period_us", "1000000\n");
    put("/sys/fs/cgroup/cpu/cpu.stat", "nr_periods 236\nnr_throttled 135\nthrottled_time 6700000001\n");
    put("/sys/fs/cgroup/cpuset/cpuset.cpus", "0-7\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/devices/system/cpu/online", "0-7\n");

    assert_int_equal(rts_group_least(root, "cpu", rts_group_quota), 500);
    assert_int_equal(rts_group_least(root, "cpu", rts_group_realtime), 50);
    assert_true(rts_group_least(root, "memory", rts_group_memory) == RTS_GROUP_UNLIMITED);
    char list[64];
    assert_false(rts_group_cpus(root, list, sizeof list));
    rts_group group;
    rts_group_stops stops;
    assert_true(rts_group_find(&group, root, "cpu"));
    assert_int_equal(group.version, 1);
    assert_true(rts_group_stops_read(&group, &stops));
    assert_true(stops.stopped_ns == UINT64_C(6700000001));
    assert_false(rts_group_up(&group));
}

static void a_system_without_control_groups_has_no_limits(void **state)
{
    (void)state;
    rts_group group;
    uint64_t waited = 0;
    assert_false(rts_group_find(&group, root, "cpu"));
    assert_true(rts_group_least(root, "cpu", rts_group_quota) == RTS_GROUP_UNLIMITED);
    assert_false(rts_group_pressure(root, "cpu", &waited));
    put("/proc/self/cgroup", "0::/../other\nnonsense\n");
    put("/proc/self/mountinfo", "22 1 8:1\n30 22 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2\n"
                                "31 22 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    put("/sys/fs/cgroup/cpu.max", "nonsense\n");
    assert_true(rts_group_least(root, "cpu", rts_group_quota) == RTS_GROUP_UNLIMITED);
}

/** What the real-time threads of a process may use, in thousandths of a CPU, and the length of the period that is stated with it, in ms. */
static void assert_realtime(uint64_t permille, uint64_t runtime_ms)
{
    uint64_t runtime_ns = 1;
    uint64_t period_ns = 1;
    rts_linux_realtime_limit(root, &runtime_ns, &period_ns);
    assert_int_equal(runtime_ns, runtime_ms * 1000000u);
    assert_int_equal(period_ns == 0 ? 0 : (runtime_ns * 1000u + period_ns / 2u) / period_ns, permille);
}

static void throttle(const char *release, const char *runtime_us)
{
    put("/proc/sys/kernel/osrelease", release);
    put("/proc/sys/kernel/sched_rt_runtime_us", runtime_us);
    put("/proc/sys/kernel/sched_rt_period_us", "1000000\n");
}

static void real_time_rests_for_the_fair_server_too(void **state)
{
    (void)state;
    throttle("6.1.0-37-amd64\n", "-1\n");
    assert_realtime(0, 0);
    throttle("6.11.9\n", "950000\n");
    assert_realtime(950, 950);
    throttle("6.18.44-fc\n", "-1\n"); /* the default, which cannot be read */
    assert_realtime(950, 950);
    throttle("7.0-rc1\n", "-1\n");
    assert_realtime(950, 950);
    throttle("6.12.0\n", "500000\n");
    assert_realtime(500, 500);
    throttle("6.12.0\n", "-1\n");
    put("/sys/kernel/debug/sched/fair_server/cpu0/runtime", "0\n");
    put("/sys/kernel/debug/sched/fair_server/cpu0/period", "1000000000\n");
    assert_realtime(0, 0);
    put("/sys/kernel/debug/sched/fair_server/cpu1/runtime", "200000000\n");
    put("/sys/kernel/debug/sched/fair_server/cpu1/period", "1000000000\n");
    assert_realtime(800, 800);
}

static void real_time_rests_for_the_budget_of_every_group_above(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "2:cpu:/pod/box\n0::/\n");
    put("/proc/self/mountinfo", "33 22 0:27 / /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu\n");
    throttle("6.1.0\n", "950000\n");
    put("/sys/fs/cgroup/cpu/cpu.rt_runtime_us", "950000\n");
    put("/sys/fs/cgroup/cpu/cpu.rt_period_us", "1000000\n");
    put("/sys/fs/cgroup/cpu/pod/cpu.rt_runtime_us", "50000\n");
    put("/sys/fs/cgroup/cpu/pod/cpu.rt_period_us", "1000000\n");
    put("/sys/fs/cgroup/cpu/pod/box/cpu.rt_runtime_us", "9000\n");
    put("/sys/fs/cgroup/cpu/pod/box/cpu.rt_period_us", "10000\n");
    assert_realtime(50, 9); /* the smallest share, and the smallest budget of one period */
    throttle("6.1.0\n", "-1\n");
    assert_realtime(0, 0); /* then the kernel keeps no group's budget */
    throttle("6.1.0\n", "950000\n");
    put("/sys/fs/cgroup/cpu/pod/box/cpu.rt_runtime_us", "0\n");
    assert_realtime(50, 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(version_2_is_read_at_every_level, set_up, tear_down),
        cmocka_unit_test_setup_teardown(version_1_is_read_where_a_container_has_only_its_own_folder, set_up, tear_down),
        cmocka_unit_test_setup_teardown(real_time_rests_for_the_fair_server_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(real_time_rests_for_the_budget_of_every_group_above, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_system_without_control_groups_has_no_limits, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
