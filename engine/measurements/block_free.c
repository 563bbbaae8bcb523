/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SSCL Table 1, "Deallocate Memory": a task gives back the blocks of a partition.
 */
#include "common/partition.h"

static rts_status setup(rts_run *run)
{
    return rts_partition_setup(run, RTS_TIME_FREES);
}

const rts_measurement rts_measurement_block_free = {
    .name = "block-free",
    .meaning = 2,
    .summary = "a task gives a block back to its memory partition",
    .series = {"block-free"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_BLOCKS,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .batch_limit = RTS_BLOCK_COUNT,
    .setup = setup,
    .batch = rts_partition_batch,
    .single = rts_partition_single,
    .teardown = rts_partition_teardown,
};
