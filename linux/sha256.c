/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 as FIPS 180-4 has it, one block at a time, and HMAC around it.
 */
#include "sha256.h"

#include <string.h>

#define BLOCK 64u

typedef struct {
    uint32_t state[8];
    uint8_t block[BLOCK];
    size_t held;
    uint64_t bytes;
} sha256;

static const uint32_t constant[64] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
    0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
    0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
    0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
    0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
    0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u,
};

static uint32_t turned(uint32_t x, unsigned bits)
{
    return x >> bits | x << (32u - bits);
}

static void take_block(sha256 *hash)
{
    uint32_t w[64];
    for (size_t i = 0; i < 16; i++) {
        const uint8_t *const b = &hash->block[4 * i];
        w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | (uint32_t)b[3];
    }
    for (size_t i = 16; i < 64; i++) {
        const uint32_t s0 = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3;
        const uint32_t s1 = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t v[8];
    memcpy(v, hash->state, sizeof v);
    for (size_t i = 0; i < 64; i++) {
        const uint32_t s1 = turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25);
        const uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + constant[i] + w[i];
        const uint32_t s0 = turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22);
        const uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(&v[1], &v[0], 7 * sizeof v[0]);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (size_t i = 0; i < 8; i++) {
        hash->state[i] += v[i];
    }
    hash->held = 0;
}

static void begin(sha256 *hash)
{
    static const uint32_t initial[8] = {
        0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u,
    };
    memcpy(hash->state, initial, sizeof initial);
    hash->held = 0;
    hash->bytes = 0;
}

static void take(sha256 *hash, const uint8_t *text, size_t bytes)
{
    hash->bytes += bytes;
    for (size_t i = 0; i < bytes; i++) {
        hash->block[hash->held++] = text[i];
        if (hash->held == BLOCK) {
            take_block(hash);
        }
    }
}

static void end(sha256 *hash, uint8_t digest[32])
{
    const uint64_t bits = 8u * hash->bytes;
    const uint8_t one = 0x80u;
    const uint8_t zero = 0u;
    take(hash, &one, 1);
    while (hash->held != BLOCK - 8u) {
        take(hash, &zero, 1);
    }
    for (unsigned i = 0; i < 8; i++) {
        const uint8_t byte = (uint8_t)(bits >> (56u - 8u * i));
        take(hash, &byte, 1);
    }
    for (size_t i = 0; i < 32; i++) {
        digest[i] = (uint8_t)(hash->state[i / 4] >> (24u - 8u * (i % 4)));
    }
}

void rts_linux_hmac_sha256(const void *key, size_t key_bytes, const void *text, size_t text_bytes, uint8_t digest[32])
{
    uint8_t pad[BLOCK] = {0};
    memcpy(pad, key, key_bytes < BLOCK ? key_bytes : BLOCK);
    for (size_t i = 0; i < BLOCK; i++) {
        pad[i] ^= 0x36u;
    }
    sha256 hash;
    begin(&hash);
    take(&hash, pad, BLOCK);
    take(&hash, text, text_bytes);
    end(&hash, digest);
    for (size_t i = 0; i < BLOCK; i++) {
        pad[i] ^= 0x36u ^ 0x5cu;
    }
    begin(&hash);
    take(&hash, pad, BLOCK);
    take(&hash, digest, 32);
    end(&hash, digest);
}
