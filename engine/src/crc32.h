/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * CRC-32 as in zlib and Ethernet.
 */
#ifndef RTS_CRC32_H
#define RTS_CRC32_H

#include <stddef.h>
#include <stdint.h>

/** CRC-32 of `count` bytes; `crc` is 0, or the CRC of the bytes before them. */
uint32_t rts_crc32(uint32_t crc, const void *bytes, size_t count);

#endif
