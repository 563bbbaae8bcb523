/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The target's two clocks: their facts, their resolution and the cost of reading them.
 */
#ifndef RTS_CLOCKS_H
#define RTS_CLOCKS_H

#include "record.h"
#include "recorder.h"
#include "rtstone/port.h"

/** The clocks of this target. */
typedef struct rts_clocks {
    rts_clock_info run;
    rts_clock_info timer; /**< the same as `run`, id included, where there is one clock only */
} rts_clocks;

/** Learns the clocks from the port. RTS_BROKEN when a frequency cannot be known. */
rts_status rts_clocks_learn(rts_clocks *clocks);

/** Ticks that a time takes on a clock of `hz`, rounded down. */
rts_ticks rts_clock_ticks_from_ns(uint64_t hz, uint32_t ns);
rts_ticks rts_clock_ticks_from_ms(uint64_t hz, uint32_t ms);

/**
 * Reports each clock, then measures and reports the cost of one reading and of one empty round of the recorder. `scratch` holds `room` (at least 8)
 * values. RTS_BROKEN when a clock stands still.
 */
rts_status rts_clocks_calibrate(const rts_clocks *clocks, rts_recorder *recorder, int64_t *scratch, size_t room,
                                rts_writer *writer);

/** What measures the accounts of a ping: rts_measurement_ping_account. */
typedef void (*rts_account_fn)(void *state, uint32_t rounds, int64_t *values, size_t count);

/** Measures and reports the cost of a ping's accounts per round. `state`: RTS_PORT_STATE_BYTES, of zeros. */
void rts_clocks_account(const rts_clocks *clocks, rts_account_fn account, void *state, int64_t *scratch, size_t room,
                        rts_writer *writer);

#endif
