/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The join of kernel events and user samples: by the nanosecond for which the timer was armed, never by order alone.
 */
#include "split_join.h"

void rts_split_join_begin(rts_split_join *join, uint64_t sequence)
{
    const rts_split_join empty = {.sequence = sequence};
    *join = empty;
}

void rts_split_join_expect(rts_split_join *join, rts_split_sample sample)
{
    const rts_split_event none = {0};
    join->sample = sample;
    join->event = none;
}

void rts_split_join_offer(rts_split_join *join, const rts_split_event *event)
{
    if (event->sequence <= join->sequence) {
        join->repeated++;
        return;
    }
    join->lost += event->sequence - join->sequence - 1u;
    join->sequence = event->sequence;
    if (event->due != join->sample.due || join->event.due != 0) {
        join->stray++;
        return;
    }
    join->event = *event;
}

static rts_split_verdict verdict(const rts_split_join *join, const rts_split_event *flight)
{
    const rts_split_sample *const sample = &join->sample;
    const rts_split_event *const event = &join->event;
    if (event->due != sample->due) {
        if (sample->ready >= sample->due) {
            return RTS_SPLIT_LATE;
        }
        const bool woken = flight->due == sample->due && flight->waking != 0 && flight->switched == 0;
        return woken ? RTS_SPLIT_AWAKE : RTS_SPLIT_UNMATCHED;
    }
    const bool ordered = event->due <= event->handler && event->handler <= event->waking &&
                         event->waking <= event->switched && event->switched <= sample->user;
    return ordered ? RTS_SPLIT_MATCHED : RTS_SPLIT_DISORDERED;
}

rts_split_verdict rts_split_join_take(rts_split_join *join, const rts_split_event *flight,
                                      rts_ticks stages[RTS_SPLIT_STAGES])
{
    const rts_split_verdict found = verdict(join, flight);
    join->counts[found]++;
    if (found == RTS_SPLIT_MATCHED) {
        const rts_split_event *const event = &join->event;
        stages[0] = event->handler - event->due;
        stages[1] = event->waking - event->handler;
        stages[2] = event->switched - event->waking;
        stages[3] = join->sample.user - event->switched;
    }
    return found;
}
