/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The keys of an item, for the plan's reader and its echo.
 */
#ifndef RTS_PLAN_ITEM_H
#define RTS_PLAN_ITEM_H

#include "flat.h"
#include "plan.h"
#include "record.h"

/** The two keys that every item has; the numbers of the other keys are private. */
enum { RTS_PLAN_KEY_ITEM = 0, RTS_PLAN_KEY_MEASUREMENT = 1, RTS_PLAN_KEY_UNKNOWN = 32 };

/** Number of a key, below 32, or RTS_PLAN_KEY_UNKNOWN. */
uint32_t rts_plan_item_key(const rts_flat_pair *pair);
const char *rts_plan_item_key_name(uint32_t key);

/** Stores the value of a known key. Returns NULL, or the error in the value. */
const char *rts_plan_item_store(rts_plan_item *item, uint32_t key, const rts_flat_pair *pair);

/** Writes an item to the record as the engine understood it, defaults filled in, in the order of the keys. */
void rts_plan_item_tell(const rts_plan_item *item, rts_writer *writer);

#endif
