/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One task takes all blocks of a partition and gives them back; which half is timed is the measurement's.
 */
#ifndef RTSTONE_MEASUREMENTS_PARTITION_H
#define RTSTONE_MEASUREMENTS_PARTITION_H

#include "worker.h"

/** What is timed. */
typedef enum rts_partition_half { RTS_TIME_ALLOCS, RTS_TIME_FREES } rts_partition_half;

/** The state of such a measurement. */
typedef struct rts_partition {
    rts_worker worker;
    struct rts_blocks blocks;
    bool made;
    rts_partition_half half;
    uint64_t taken;    /**< in this slice */
    uint64_t distinct; /**< that are no other block, and hold what is written to them */
    void *block[RTS_BLOCK_COUNT];
} rts_partition;

rts_status rts_partition_setup(rts_run *run, rts_partition_half half);
rts_status rts_partition_batch(rts_run *run, uint32_t ops, rts_ticks *total);
rts_status rts_partition_single(rts_run *run, uint32_t samples);
void rts_partition_teardown(rts_run *run);

#endif
