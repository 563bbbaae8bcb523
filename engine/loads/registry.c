/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The list of all loads, made from registry.def and the port's own list.
 */
#include "rtstone/load.h"
#include "rtstone/text.h"

/* A port whose kernel has loads that no other can have names their list: its build defines RTS_PORT_LOADS. */
#define RTS_LOAD(id) extern const rts_load rts_load_##id;
#include "registry.def"
#ifdef RTS_PORT_LOADS
#include RTS_PORT_LOADS
#endif
#undef RTS_LOAD

#define RTS_LOAD(id) &rts_load_##id,
const rts_load *const rts_loads[] = {
#include "registry.def"
#ifdef RTS_PORT_LOADS
#include RTS_PORT_LOADS
#endif
};
#undef RTS_LOAD

const size_t rts_load_count = sizeof rts_loads / sizeof rts_loads[0];

const rts_load *rts_load_find(const char *name)
{
    for (size_t i = 0; i < rts_load_count; i++) {
        if (rts_text_equal(rts_loads[i]->name, name)) {
            return rts_loads[i];
        }
    }
    return NULL;
}
