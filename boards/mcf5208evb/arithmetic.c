/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic that the compiler calls for and this CPU lacks; the compiler's own library is for another CPU of the family.
 */
#include <stdint.h>

uint64_t __muldi3(uint64_t a, uint64_t b);
uint64_t __udivdi3(uint64_t dividend, uint64_t divisor);
uint64_t __umoddi3(uint64_t dividend, uint64_t divisor);
int64_t __divdi3(int64_t dividend, int64_t divisor);
int64_t __moddi3(int64_t dividend, int64_t divisor);
uint64_t __ashldi3(uint64_t value, int count);
uint64_t __lshrdi3(uint64_t value, int count);
int64_t __ashrdi3(int64_t value, int count);
int __clzsi2(uint32_t value);
int __clzdi2(uint64_t value);

typedef union parts {
    uint64_t whole;
    struct {
        uint32_t high; /* big endian */
        uint32_t low;
    } word;
} parts;

/* Two words of 32 bits, from four products of 16. */
static uint64_t multiply_words(uint32_t a, uint32_t b)
{
    const uint32_t low = (a & 0xffffu) * (b & 0xffffu);
    const uint32_t middle = (a >> 16) * (b & 0xffffu) + (low >> 16); /* at most 2^32 - 2^17 + 1 + 2^16 - 1 */
    const uint32_t other = (a & 0xffffu) * (b >> 16) + (middle & 0xffffu);
    parts result;
    result.word.low = other << 16 | (low & 0xffffu);
    result.word.high = (a >> 16) * (b >> 16) + (middle >> 16) + (other >> 16);
    return result.whole;
}

uint64_t __muldi3(uint64_t a, uint64_t b)
{
    const parts x = {a};
    const parts y = {b};
    parts result = {multiply_words(x.word.low, y.word.low)};
    result.word.high += x.word.high * y.word.low + x.word.low * y.word.high;
    return result.whole;
}

uint64_t __ashldi3(uint64_t value, int count)
{
    parts result = {value};
    if (count >= 32) {
        result.word.high = result.word.low << (count - 32);
        result.word.low = 0;
    } else if (count > 0) {
        result.word.high = result.word.high << count | result.word.low >> (32 - count);
        result.word.low <<= count;
    }
    return result.whole;
}

uint64_t __lshrdi3(uint64_t value, int count)
{
    parts result = {value};
    if (count >= 32) {
        result.word.low = result.word.high >> (count - 32);
        result.word.high = 0;
    } else if (count > 0) {
        result.word.low = result.word.low >> count | result.word.high << (32 - count);
        result.word.high >>= count;
    }
    return result.whole;
}

int64_t __ashrdi3(int64_t value, int count)
{
    parts result = {(uint64_t)value};
    const int32_t high = (int32_t)result.word.high;
    if (count >= 32) {
        result.word.low = (uint32_t)(high >> (count - 32));
        result.word.high = (uint32_t)(high >> 31);
    } else if (count > 0) {
        result.word.low = result.word.low >> count | result.word.high << (32 - count);
        result.word.high = (uint32_t)(high >> count);
    }
    return (int64_t)result.whole;
}

int __clzsi2(uint32_t value)
{
    int count = 0;
    for (uint32_t step = 16; step > 0; step /= 2u) {
        if (value >> (32u - step) == 0) {
            count += (int)step;
            value <<= step;
        }
    }
    return value == 0 ? 32 : count;
}

int __clzdi2(uint64_t value)
{
    const parts x = {value};
    return x.word.high != 0 ? __clzsi2(x.word.high) : 32 + __clzsi2(x.word.low);
}

/* Bit by bit; none of it is in a measured window. */
static uint64_t divide(uint64_t dividend, uint64_t divisor, uint64_t *remainder)
{
    const parts top = {dividend};
    const parts bottom = {divisor};
    if (top.word.high == 0 && bottom.word.high == 0) {
        *remainder = top.word.low % bottom.word.low;
        return top.word.low / bottom.word.low;
    }
    uint64_t quotient = 0;
    uint64_t rest = 0;
    for (int i = 0; i < 64; i++) {
        const uint32_t carry = (uint32_t)(rest >> 63);
        rest = rest << 1 | dividend >> 63;
        dividend <<= 1;
        quotient <<= 1;
        if (carry != 0 || rest >= divisor) {
            rest -= divisor;
            quotient |= 1u;
        }
    }
    *remainder = rest;
    return quotient;
}

uint64_t __udivdi3(uint64_t dividend, uint64_t divisor)
{
    uint64_t remainder;
    return divide(dividend, divisor, &remainder);
}

uint64_t __umoddi3(uint64_t dividend, uint64_t divisor)
{
    uint64_t remainder;
    (void)divide(dividend, divisor, &remainder);
    return remainder;
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0u - (uint64_t)value : (uint64_t)value;
}

int64_t __divdi3(int64_t dividend, int64_t divisor)
{
    const uint64_t quotient = __udivdi3(magnitude(dividend), magnitude(divisor));
    return (int64_t)((dividend < 0) != (divisor < 0) ? 0u - quotient : quotient);
}

int64_t __moddi3(int64_t dividend, int64_t divisor)
{
    const uint64_t remainder = __umoddi3(magnitude(dividend), magnitude(divisor));
    return (int64_t)(dividend < 0 ? 0u - remainder : remainder);
}
