/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stamps of one clock on another: the error never exceeds the reported bound, for any offset, and no stamp is converted while a clock is being set.
 */
#include <stdlib.h>

#include "../../engine/tests/checks.h"
#include "../measurements/stamps.h"

#define BEGIN UINT64_C(5000000000)
#define SECOND UINT64_C(1000000000)

/** What a reading finds whose clocks are so far apart; the brackets are of 20 to 83 ns, the moment between is anywhere in them. */
static bool read_at(rts_stamps *stamps, rts_ticks now, int64_t apart, uint32_t lot)
{
    const rts_ticks width = 20u + lot % 64u;
    return rts_stamps_learn(stamps, now, now + lot % width + (uint64_t)apart, now + width);
}

static void a_stamp_is_wrong_by_no_more_than_is_told(void **state)
{
    (void)state;
    const int64_t distances[] = {0, 1790000000000000000, -86400000000000, 17};
    for (size_t d = 0; d < sizeof distances / sizeof distances[0]; d++) {
        rts_stamps stamps = {.known = false};
        for (uint32_t i = 0; i < 1000; i++) {
            const rts_ticks now = BEGIN + i * UINT64_C(1000000);
            assert_true(read_at(&stamps, now, distances[d], i * 2654435761u));
            const rts_latency error = (rts_latency)(rts_stamps_convert(&stamps, now + (uint64_t)distances[d]) - now);
            assert_true(llabs(error) <= (stamps.high - stamps.low + 1) / 2);
        }
        assert_int_equal(stamps.steps, 0);
        assert_true(stamps.widest <= 42);
        assert_true(stamps.high - stamps.low < 20);
    }
}

static void a_clock_that_is_set_is_noticed_and_what_was_waiting_is_in_doubt(void **state)
{
    (void)state;
    const int64_t steps[] = {1000, -1000, 1000000, -3600000000000, 200};
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        rts_stamps stamps = {.known = false};
        for (uint32_t i = 0; i < 100; i++) {
            assert_true(read_at(&stamps, BEGIN + i * UINT64_C(1000), 7777, i * 2654435761u));
        }
        const rts_ticks set = BEGIN + SECOND;
        assert_false(read_at(&stamps, set, 7777 + steps[s], 3));
        assert_false(read_at(&stamps, set + SECOND / 2u, 7777 + steps[s], 5));
        assert_int_equal(stamps.steps, 1);
        assert_true(read_at(&stamps, set + SECOND + 1000u, 7777 + steps[s], 7));
        const rts_latency now = (rts_latency)rts_stamps_convert(&stamps, BEGIN + (uint64_t)(7777 + steps[s]));
        assert_true(llabs(now - (rts_latency)BEGIN) <= 84);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stamp_is_wrong_by_no_more_than_is_told),
        cmocka_unit_test(a_clock_that_is_set_is_noticed_and_what_was_waiting_is_in_doubt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
