/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SSCL Table 1's rows of queues once more, by System V's message queues, as LynxOS had them in 1991: the same measurements, on queues of that kind.
 */
#include "../system.h"
#include "rtstone/measurement.h"

static rts_status setup(rts_run *run, const rts_measurement *of)
{
    rts_system_queues = true;
    const rts_status status = of->setup(run);
    rts_system_queues = false;
    return status;
}

#define SYSTEM_V(id, text, what, limit)                                                                                \
    extern const rts_measurement rts_measurement_##id;                                                                 \
    static rts_status id##_setup(rts_run *run)                                                                         \
    {                                                                                                                  \
        return setup(run, &rts_measurement_##id);                                                                      \
    }                                                                                                                  \
    static rts_status id##_batch(rts_run *run, uint32_t ops, rts_ticks *total)                                         \
    {                                                                                                                  \
        return rts_measurement_##id.batch(run, ops, total);                                                            \
    }                                                                                                                  \
    static rts_status id##_single(rts_run *run, uint32_t samples)                                                      \
    {                                                                                                                  \
        return rts_measurement_##id.single(run, samples);                                                              \
    }                                                                                                                  \
    static void id##_teardown(rts_run *run)                                                                            \
    {                                                                                                                  \
        rts_measurement_##id.teardown(run);                                                                            \
    }                                                                                                                  \
    const rts_measurement rts_measurement_system_v_##id = {                                                            \
        .name = "system-v-" text,                                                                                      \
        .meaning = 1,                                                                                                  \
        .summary = (what),                                                                                             \
        .series = {"system-v-" text},                                                                                  \
        .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_QUEUE,                 \
        .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,                                                                    \
        .batch_limit = (limit),                                                                                        \
        .setup = id##_setup,                                                                                           \
        .batch = id##_batch,                                                                                           \
        .single = id##_single,                                                                                         \
        .teardown = id##_teardown,                                                                                     \
    };

SYSTEM_V(queue_fill, "queue-fill", "queue-fill by a message queue of System V", RTS_QUEUE_DEPTH)
SYSTEM_V(queue_drain, "queue-drain", "queue-drain by a message queue of System V", RTS_QUEUE_DEPTH)
SYSTEM_V(queue_fill_urgent, "queue-fill-urgent",
         "queue-fill-urgent by a message queue of System V, where falling message types stand in for the head",
         RTS_QUEUE_DEPTH)
SYSTEM_V(queue_fill_drain, "queue-fill-drain", "queue-fill-drain by a message queue of System V", 0)
SYSTEM_V(queue_alternate, "queue-alternate", "queue-alternate by message queues of System V", 0)
