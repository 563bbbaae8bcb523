/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * [required] The memory of a run. [optional] Flushing it from the caches.
 */
#include "rtstone/port.h"

/*
 * [required] Called once. A static array is best on a board: its size is known when the image is linked, so too little memory is found
 * then. (Make it as large as the board allows; the engine requests the size that RTS_PORT_... need.)
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
