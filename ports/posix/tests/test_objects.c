/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores, mutexes, queues and blocks: that they do what measurements count on.
 */
#include "port_test.h"

static void a_semaphore_counts(void **state)
{
    (void)state;
    struct rts_semaphore semaphore;
    assert_int_equal(rts_port_semaphore_create(&semaphore, 2, 3), RTS_OK);
    assert_int_equal(rts_port_semaphore_take(&semaphore), RTS_OK);
    assert_int_equal(rts_port_semaphore_take(&semaphore), RTS_OK);
    assert_int_equal(rts_port_semaphore_give_isr(&semaphore), RTS_OK);
    assert_int_equal(rts_port_semaphore_take(&semaphore), RTS_OK);
    rts_port_semaphore_destroy(&semaphore);
    assert_int_equal(rts_port_semaphore_create(&semaphore, 2, 1), RTS_INVALID);
}

/* Priority inversion: low holds the mutex, high wants it, middle would keep low off the CPU for ever. */
static struct {
    struct rts_mutex mutex;
    struct rts_semaphore held;
    struct rts_semaphore go;
    struct rts_thread middle;
    struct rts_thread high;
    _Atomic bool high_had_it;
    bool middle_saw_it;
    bool give_up;
} inversion;

static void middle_spins(void *arg)
{
    (void)arg;
    const rts_ticks end = rts_posix_monotonic() + 100000000u;
    while (rts_posix_monotonic() < end) {
    }
    inversion.middle_saw_it = inversion.high_had_it;
}

static void high_wants(void *arg)
{
    (void)arg;
    (void)rts_port_mutex_lock(&inversion.mutex);
    inversion.high_had_it = true;
    (void)rts_port_mutex_unlock(&inversion.mutex);
}

static void low_holds(void *arg)
{
    (void)arg;
    rts_thread_attr attr = test_attr(RTS_PRIORITY_HIGH, RTS_SPACE_SHARED);
    (void)rts_port_mutex_lock(&inversion.mutex);
    (void)rts_port_thread_create(&inversion.high, &attr, high_wants, NULL); /* runs, and blocks on the mutex */
    attr.priority = RTS_PRIORITY_MIDDLE;
    (void)rts_port_thread_create(&inversion.middle, &attr, middle_spins, NULL);
    (void)rts_port_mutex_unlock(&inversion.mutex);
}

static bool high_overtakes_middle(rts_protocol protocol)
{
    struct rts_thread low;
    const rts_thread_attr attr = test_attr(RTS_PRIORITY_LOW, RTS_SPACE_SHARED);
    inversion.high_had_it = false;
    inversion.middle_saw_it = false;
    assert_int_equal(rts_port_mutex_create(&inversion.mutex, protocol), RTS_OK);
    assert_int_equal(rts_port_thread_create(&low, &attr, low_holds, NULL), RTS_OK);
    assert_int_equal(rts_port_thread_join(&low), RTS_OK);
    assert_int_equal(rts_port_thread_join(&inversion.high), RTS_OK);
    assert_int_equal(rts_port_thread_join(&inversion.middle), RTS_OK);
    rts_port_mutex_destroy(&inversion.mutex);
    assert_true(inversion.high_had_it);
    return inversion.middle_saw_it;
}

static void inheritance_ends_priority_inversion(void **state)
{
    (void)state;
    if (!rts_posix_realtime()) {
        return;
    }
    assert_true(high_overtakes_middle(RTS_PROTOCOL_INHERIT));
    assert_false(high_overtakes_middle(RTS_PROTOCOL_NONE)); /* else the line above shows nothing */
}

static void send_all(struct rts_queue *queue, const char *messages, bool urgent)
{
    for (; *messages != '\0'; messages++) {
        char message[RTS_MESSAGE_BYTES_MAX] = {*messages};
        assert_int_equal(urgent ? rts_port_queue_send_urgent(queue, message) : rts_port_queue_send(queue, message),
                         RTS_OK);
    }
}

static void receive_all(struct rts_queue *queue, const char *messages)
{
    for (; *messages != '\0'; messages++) {
        char message[RTS_MESSAGE_BYTES_MAX] = {0};
        assert_int_equal(rts_port_queue_receive(queue, message), RTS_OK);
        assert_int_equal(message[0], *messages);
    }
}

static void a_queue_is_first_in_first_out(void **state)
{
    (void)state;
    struct rts_queue queue;
    assert_int_equal(rts_port_queue_create(&queue, RTS_QUEUE_DEPTH, RTS_MESSAGE_BYTES_MAX), RTS_OK);
    send_all(&queue, "abcdefgh", false);
    receive_all(&queue, "abcdefgh");
    rts_port_queue_destroy(&queue);
}

static void urgent_messages_are_last_in_first_out(void **state)
{
    (void)state;
    struct rts_queue queue;
    assert_int_equal(rts_port_queue_create(&queue, RTS_QUEUE_DEPTH, 4), RTS_OK);
    for (int round = 0; round < 3; round++) {
        send_all(&queue, "abcdefgh", true);
        receive_all(&queue, "hgfedcba");
        assert_int_equal(queue.urgent, 0); /* or priorities would run out in the end */
    }
    send_all(&queue, "xy", false);
    send_all(&queue, "ab", true);
    receive_all(&queue, "b");
    send_all(&queue, "c", true);
    receive_all(&queue, "ca");
    send_all(&queue, "d", true);
    receive_all(&queue, "dxy");
    rts_port_queue_destroy(&queue);
}

static struct rts_queue full;
static bool sent;

static void sends_one_more(void *arg)
{
    (void)arg;
    const char message[4] = "z";
    (void)rts_port_queue_send(&full, message);
    __atomic_store_n(&sent, true, __ATOMIC_SEQ_CST);
}

static void a_full_queue_blocks(void **state)
{
    (void)state;
    struct rts_thread thread;
    const rts_thread_attr attr = test_attr(RTS_PRIORITY_LOAD, RTS_SPACE_SHARED);
    assert_int_equal(rts_port_queue_create(&full, 2, 4), RTS_OK);
    send_all(&full, "ab", false);
    assert_int_equal(rts_port_thread_create(&thread, &attr, sends_one_more, NULL), RTS_OK);
    test_sleep_ms(30);
    assert_false(__atomic_load_n(&sent, __ATOMIC_SEQ_CST));
    receive_all(&full, "ab");
    assert_int_equal(rts_port_thread_join(&thread), RTS_OK);
    receive_all(&full, "z");
    rts_port_queue_destroy(&full);
}

static void a_queue_that_is_too_wide_is_refused(void **state)
{
    (void)state;
    struct rts_queue queue;
    assert_int_equal(rts_port_queue_create(&queue, 0, 4), RTS_INVALID);
    assert_int_equal(rts_port_queue_create(&queue, 1, RTS_MESSAGE_BYTES_MAX + 1), RTS_INVALID);
}

static void blocks_are_apart_and_limited(void **state)
{
    (void)state;
    struct rts_blocks blocks;
    void *block[4];
    assert_int_equal(rts_port_blocks_create(&blocks, 4, 128), RTS_OK);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(rts_port_block_alloc(&blocks, &block[i]), RTS_OK);
        for (int k = 0; k < i; k++) {
            const uintptr_t a = (uintptr_t)block[i];
            const uintptr_t b = (uintptr_t)block[k];
            assert_true(a > b ? a - b >= 128 : b - a >= 128);
        }
    }
    void *more;
    assert_int_equal(rts_port_block_alloc(&blocks, &more), RTS_NO_MEMORY);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(rts_port_block_free(&blocks, block[i]), RTS_OK);
    }
    assert_int_equal(rts_port_block_alloc(&blocks, &more), RTS_OK);
    assert_int_equal(rts_port_block_free(&blocks, more), RTS_OK);
    rts_port_blocks_destroy(&blocks);
    assert_non_null(rts_port_substitute(RTS_SERVICE_BLOCKS));
}

static void flushed_memory_keeps_what_it_held(void **state)
{
    (void)state;
    unsigned char *const memory = rts_port_memory(65536);
    assert_non_null(memory);
    for (unsigned i = 0; i < 65536; i++) {
        memory[i] = (unsigned char)(i * 7u);
    }
    assert_int_equal(rts_port_cache_flush(), rts_port_supports(RTS_SERVICE_CACHE_FLUSH));
    for (unsigned i = 0; i < 65536; i++) {
        assert_int_equal(memory[i], (unsigned char)(i * 7u));
    }
}

int main(void)
{
    test_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_semaphore_counts),
        cmocka_unit_test(inheritance_ends_priority_inversion),
        cmocka_unit_test(a_queue_is_first_in_first_out),
        cmocka_unit_test(urgent_messages_are_last_in_first_out),
        cmocka_unit_test(a_full_queue_blocks),
        cmocka_unit_test(a_queue_that_is_too_wide_is_refused),
        cmocka_unit_test(blocks_are_apart_and_limited),
        cmocka_unit_test(flushed_memory_keeps_what_it_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
