/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SSCL Table 1, "Allocate Memory": a task takes blocks from a partition until none is left.
 */
#include "common/partition.h"

static rts_status setup(rts_run *run)
{
    return rts_partition_setup(run, RTS_TIME_ALLOCS);
}

const rts_measurement rts_measurement_block_allocate = {
    .name = "block-allocate",
    .meaning = 2,
    .summary = "a task takes a block from a memory partition",
    .series = {"block-allocate"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_BLOCKS,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .batch_limit = RTS_BLOCK_COUNT,
    .setup = setup,
    .batch = rts_partition_batch,
    .single = rts_partition_single,
    .teardown = rts_partition_teardown,
};
