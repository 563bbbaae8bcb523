/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Recording a sample: the quick part, and the rare one for a new minimum, a negative value, one of the largest, the next window.
 */
#include "recorder.h"

#include "bytes.h"
#include "compiler.h"

/** Records carry integers within ±(2^53 − 1). */
#define EXACT_BITS 53u

/** Unremarkable values are in the histogram, and their squares fit 64 bits. */
#define USUAL_BITS (RTS_PORT_MAX_BITS < 32 ? RTS_PORT_MAX_BITS : 32)

void rts_recorder_reset(rts_recorder *recorder, rts_ticks origin, rts_ticks window_width)
{
    memset(recorder, 0, sizeof *recorder);
    recorder->minimum = INT64_MAX;
    recorder->maximum = INT64_MIN;
    recorder->floor = INT64_MIN;
    recorder->origin = origin;
    recorder->window_start = origin;
    recorder->window_width = window_width == 0u ? 1u : window_width;
    recorder->window_maximum = RTS_WINDOW_EMPTY;
    for (size_t i = 0; i < RTS_PORT_WINDOWS; i++) {
        recorder->window[i] = RTS_WINDOW_EMPTY;
    }
}

static void count_in_bucket(rts_recorder *recorder, rts_latency value)
{
    const uint64_t magnitude = value < 0 ? 0u - (uint64_t)value : (uint64_t)value;
    if (value >= 0 && magnitude >> RTS_PORT_MAX_BITS == 0u) {
        recorder->positive[rts_histogram_index(RTS_PORT_SUB_BITS, magnitude)]++;
    } else if (value < 0 && magnitude >> RTS_PORT_NEGATIVE_BITS == 0u) {
        recorder->negative[rts_histogram_index(RTS_PORT_SUB_BITS, magnitude)]++;
    } else {
        recorder->overflow++;
    }
}

static void enter_extreme(rts_recorder *recorder, rts_latency value, rts_ticks at)
{
    if (recorder->extreme_count < RTS_PORT_EXTREMES) {
        recorder->extreme_count++;
    }
    uint32_t place = recorder->extreme_count - 1u;
    for (; place > 0u && recorder->extreme[place - 1u].value < value; place--) {
        recorder->extreme[place] = recorder->extreme[place - 1u];
    }
    const rts_extreme entry = {value, recorder->count, at};
    recorder->extreme[place] = entry;
    if (recorder->extreme_count == RTS_PORT_EXTREMES) {
        recorder->floor = recorder->extreme[RTS_PORT_EXTREMES - 1u].value;
    }
}

void rts_recorder_settle(rts_recorder *recorder)
{
    if (recorder->window_maximum == RTS_WINDOW_EMPTY) {
        return;
    }
    recorder->window[recorder->window_current] = recorder->window_maximum;
    if (recorder->window_used <= recorder->window_current) {
        recorder->window_used = recorder->window_current + 1u;
    }
}

/** Makes windows twice as wide: each takes the larger of two. */
static void fold_windows(rts_recorder *recorder)
{
    for (size_t i = 0; i < RTS_PORT_WINDOWS / 2u; i++) {
        const rts_latency first = recorder->window[2u * i];
        const rts_latency second = recorder->window[2u * i + 1u];
        recorder->window[i] = first > second ? first : second;
    }
    for (size_t i = RTS_PORT_WINDOWS / 2u; i < RTS_PORT_WINDOWS; i++) {
        recorder->window[i] = RTS_WINDOW_EMPTY;
    }
    recorder->window_used = (recorder->window_used + 1u) / 2u;
    recorder->window_width *= 2u;
}

static void enter_window(rts_recorder *recorder, rts_latency value, rts_ticks at)
{
    /* A sample that ended before the origin (two CPUs' clocks may differ a little) belongs to the first window. */
    const rts_ticks after = (int64_t)(at - recorder->origin) < 0 ? 0u : at - recorder->origin;
    rts_recorder_settle(recorder);
    while (after / recorder->window_width >= RTS_PORT_WINDOWS) {
        fold_windows(recorder);
    }
    recorder->window_current = (uint32_t)(after / recorder->window_width);
    recorder->window_start = recorder->origin + recorder->window_current * recorder->window_width;
    const rts_latency before = recorder->window[recorder->window_current];
    recorder->window_maximum = value > before ? value : before;
}

/** Updates the range of values that are unremarkable from now on. */
static void set_usual(rts_recorder *recorder)
{
    const rts_latency top = (rts_latency)(((uint64_t)1 << USUAL_BITS) - 1u);
    const rts_latency low = recorder->minimum > 0 ? recorder->minimum : 0;
    rts_latency high = recorder->floor < recorder->window_maximum ? recorder->floor : recorder->window_maximum;
    high = high < top ? high : top;
    recorder->usual_low = low;
    recorder->usual_count = high < low ? 0u : (uint64_t)(high - low) + 1u;
}

/** Any sample; rts_recorder_add leaves the remarkable ones to it. */
static RTS_NOINLINE void add_any(rts_recorder *recorder, rts_latency value, rts_ticks at)
{
    count_in_bucket(recorder, value);
    rts_recorder_sums(recorder, value);
    recorder->minimum = value < recorder->minimum ? value : recorder->minimum;
    recorder->maximum = value > recorder->maximum ? value : recorder->maximum;
    if (value > recorder->floor) {
        enter_extreme(recorder, value, at);
    }
    if (at - recorder->window_start >= recorder->window_width) {
        enter_window(recorder, value, at);
    } else if (value > recorder->window_maximum) {
        recorder->window_maximum = value;
    }
    set_usual(recorder);
    recorder->count++;
}

/* Not inline: of an array's element compilers compute the address again for each member. */
void rts_recorder_add(rts_recorder *recorder, rts_latency value, rts_ticks at)
{
    const uint64_t above = (uint64_t)value - (uint64_t)recorder->usual_low;
    if (RTS_RARE(above >= recorder->usual_count || at - recorder->window_start >= recorder->window_width)) {
        add_any(recorder, value, at);
        return;
    }
    const uint32_t magnitude = (uint32_t)value;
    recorder->positive[rts_histogram_index(RTS_PORT_SUB_BITS, magnitude)]++;
    rts_wide_add_low(&recorder->sum, magnitude);
    rts_wide_add_low(&recorder->sum_of_squares, (uint64_t)magnitude * magnitude);
    recorder->count++;
}

bool rts_recorder_sound(const rts_recorder *recorder)
{
    if (recorder->count == 0u) {
        return true;
    }
    const uint64_t low = recorder->minimum < 0 ? 0u - (uint64_t)recorder->minimum : (uint64_t)recorder->minimum;
    const uint64_t high = recorder->maximum < 0 ? 0u - (uint64_t)recorder->maximum : (uint64_t)recorder->maximum;
    const uint32_t bits = rts_bit_length(low > high ? low : high);
    return bits <= EXACT_BITS && 2u * bits + rts_bit_length(recorder->count) <= 128u;
}
