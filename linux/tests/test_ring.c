/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The reading of a ring, over memory that stands for the kernel's: whole records, discarded ones, one that is still being written, the end.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../bpf/ring.h"

enum { BYTES = 64, MOST = 8, BUSY = 31, DISCARDED = 30 };

static union {
    uint64_t aligned;
    uint8_t bytes[2 * BYTES];
} memory;
static unsigned long read_to;
static unsigned long written_to;
static const rts_ring ring = {&read_to, &written_to, memory.bytes, BYTES};

static uint64_t taken[MOST];
static size_t taken_count;
static size_t room;

static int begin(void **state)
{
    (void)state;
    memset(&memory, 0, sizeof memory);
    read_to = written_to = 0;
    taken_count = 0;
    room = MOST;
    return 0;
}

static bool take(void *context, const void *record, size_t bytes)
{
    assert_ptr_equal(context, &room);
    if (taken_count == room) {
        return false;
    }
    taken[taken_count] = 0;
    memcpy(&taken[taken_count++], record, bytes < 8u ? bytes : 8u);
    return true;
}

/** Both copies of a byte, as the kernel maps them. */
static void put(unsigned long at, const void *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const size_t place = (at + i) % BYTES;
        memory.bytes[place] = memory.bytes[place + BYTES] = ((const uint8_t *)from)[i];
    }
}

static unsigned long write_record(uint64_t value, uint32_t bytes, uint32_t flags)
{
    const unsigned long at = written_to;
    const uint32_t head[2] = {bytes | flags, 0};
    put(at, head, sizeof head);
    put(at + 8, &value, bytes < 8u ? bytes : 8u);
    written_to += 8u + (bytes + 7ul) / 8u * 8u;
    return at;
}

static void test_records_are_taken_in_order_and_once(void **state)
{
    (void)state;
    (void)write_record(11, 8, 0);
    (void)write_record(12, 3, 0);
    assert_true(rts_ring_read(&ring, take, &room));
    assert_true(rts_ring_read(&ring, take, &room));
    assert_int_equal(taken_count, 2);
    assert_int_equal(taken[0], 11);
    assert_int_equal(taken[1], 12);
    assert_int_equal(read_to, written_to);
}

static void test_a_discarded_record_is_passed_over_and_a_busy_one_waited_for(void **state)
{
    (void)state;
    (void)write_record(1, 8, 1u << DISCARDED);
    const unsigned long at = write_record(2, 8, 1u << BUSY);
    (void)write_record(3, 8, 0);
    assert_true(rts_ring_read(&ring, take, &room));
    assert_int_equal(taken_count, 0);
    assert_int_equal(read_to, at);
    const uint32_t whole = 8;
    put(at, &whole, sizeof whole);
    assert_true(rts_ring_read(&ring, take, &room));
    assert_int_equal(taken_count, 2);
    assert_int_equal(taken[0], 2);
    assert_int_equal(taken[1], 3);
}

static void test_a_record_over_the_end_is_whole(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 6; i++) {
        (void)write_record(i, 16, 0); /* 24 bytes each: some lie across the end of 64 */
        assert_true(rts_ring_read(&ring, take, &room));
        assert_int_equal(taken[i], i);
    }
    assert_int_equal(taken_count, 6);
}

static void test_positions_may_overflow(void **state)
{
    (void)state;
    read_to = written_to = 0ul - 16u;
    (void)write_record(5, 8, 0);
    (void)write_record(6, 8, 0);
    assert_true(rts_ring_read(&ring, take, &room));
    assert_int_equal(taken_count, 2);
    assert_int_equal(taken[1], 6);
    assert_int_equal(read_to, 16);
}

static void test_a_taker_that_refuses_ends_the_reading(void **state)
{
    (void)state;
    (void)write_record(1, 8, 0);
    (void)write_record(2, 8, 0);
    room = 1;
    assert_false(rts_ring_read(&ring, take, &room));
    assert_int_equal(taken_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_records_are_taken_in_order_and_once, begin),
        cmocka_unit_test_setup(test_a_discarded_record_is_passed_over_and_a_busy_one_waited_for, begin),
        cmocka_unit_test_setup(test_a_record_over_the_end_is_whole, begin),
        cmocka_unit_test_setup(test_positions_may_overflow, begin),
        cmocka_unit_test_setup(test_a_taker_that_refuses_ends_the_reading, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
