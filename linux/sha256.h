/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A keyed hash (HMAC-SHA-256, RFC 2104 and FIPS 180-4) of short texts that must not leave the machine in the clear.
 */
#ifndef RTSTONE_LINUX_SHA256_H
#define RTSTONE_LINUX_SHA256_H

#include <stddef.h>
#include <stdint.h>

/** HMAC-SHA-256. `key` is at most 64 bytes. */
void rts_linux_hmac_sha256(const void *key, size_t key_bytes, const void *text, size_t text_bytes, uint8_t digest[32]);

#endif
