/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * [required] The memory of a run. [optional] Flushing it from the caches.
 */
#include "rtstone/port.h"

/*
 * [required] Called once. A static array is best on a board: its size is known when the image is linked, and too little memory is seen
 * then (make it as large as the board allows; the engine asks for what RTS_PORT_... need).
 */
void *rts_port_memory(size_t bytes)
{
    (void)bytes;
    return NULL;
}

/* [optional] Unlocks the variant `cache = flushed`. A CPU without caches answers RTS_UNSUPPORTED. */
rts_status rts_port_cache_flush(void)
{
    return RTS_UNSUPPORTED;
}
