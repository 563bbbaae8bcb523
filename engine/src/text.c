/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers to characters and back.
 */
#include "text.h"

size_t rts_format_unsigned(char *out, uint64_t value)
{
    char reversed[20];
    size_t length = 0;
    do {
        reversed[length++] = (char)('0' + (char)(value % 10u));
        value /= 10u;
    } while (value != 0u);
    for (size_t i = 0; i < length; i++) {
        out[i] = reversed[length - 1u - i];
    }
    return length;
}

size_t rts_format_signed(char *out, int64_t value)
{
    if (value >= 0) {
        return rts_format_unsigned(out, (uint64_t)value);
    }
    out[0] = '-';
    return 1u + rts_format_unsigned(out + 1, 0u - (uint64_t)value);
}

/** Divides a number of four 32-bit limbs, most significant first, by 10^9 in place and returns the remainder. */
static uint32_t divide_by_billion(uint32_t limb[4])
{
    uint64_t remainder = 0;
    for (size_t i = 0; i < 4u; i++) {
        const uint64_t part = (remainder << 32) | limb[i];
        limb[i] = (uint32_t)(part / 1000000000u);
        remainder = part % 1000000000u;
    }
    return (uint32_t)remainder;
}

size_t rts_format_wide(char *out, rts_wide value)
{
    uint32_t limb[4] = {(uint32_t)(value.high >> 32), (uint32_t)value.high, (uint32_t)(value.low >> 32),
                        (uint32_t)value.low};
    char reversed[45];
    size_t length = 0;
    do {
        uint32_t group = divide_by_billion(limb);
        for (size_t i = 0; i < 9u; i++) {
            reversed[length++] = (char)('0' + (char)(group % 10u));
            group /= 10u;
        }
    } while ((limb[0] | limb[1] | limb[2] | limb[3]) != 0u);
    while (length > 1u && reversed[length - 1u] == '0') {
        length--;
    }
    for (size_t i = 0; i < length; i++) {
        out[i] = reversed[length - 1u - i];
    }
    return length;
}

size_t rts_format_wide_signed(char *out, rts_wide value)
{
    if (!rts_wide_is_negative(value)) {
        return rts_format_wide(out, value);
    }
    out[0] = '-';
    return 1u + rts_format_wide(out + 1, rts_wide_negate(value));
}

size_t rts_format_hex(char *out, uint64_t value, uint32_t digits)
{
    for (uint32_t i = 0; i < digits; i++) {
        out[i] = "0123456789abcdef"[(value >> (4u * (digits - 1u - i))) & 0xfu];
    }
    return digits;
}

int rts_hex_digit(char character)
{
    if (character >= '0' && character <= '9') {
        return character - '0';
    }
    if (character >= 'a' && character <= 'f') {
        return character - 'a' + 10;
    }
    return -1;
}

bool rts_parse_unsigned(const char *digits, size_t length, uint64_t *value)
{
    uint64_t result = 0;
    if (length == 0u || (length > 1u && digits[0] == '0')) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9') {
            return false;
        }
        const uint64_t digit = (uint64_t)(digits[i] - '0');
        if (result > (UINT64_MAX - digit) / 10u) {
            return false;
        }
        result = result * 10u + digit;
    }
    *value = result;
    return true;
}
