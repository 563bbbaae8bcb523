/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The CRC is zlib's, and its table is what the polynomial makes it.
 */
#include "support.h"

#include "../src/crc32.h"

static void known_answers(void **state)
{
    (void)state;
    assert_int_equal(rts_crc32(0, "", 0), 0);
    assert_int_equal(rts_crc32(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(rts_crc32(0, "0 {\"t\":\"go\"}", 12), 0x496a4c80);
}

static void parts_make_the_whole(void **state)
{
    (void)state;
    const char *text = "what came before, and what comes now";
    for (size_t cut = 0; cut <= strlen(text); cut++) {
        const uint32_t first = rts_crc32(0, text, cut);
        assert_int_equal(rts_crc32(first, text + cut, strlen(text) - cut), rts_crc32(0, text, strlen(text)));
    }
}

static void every_byte_by_the_polynomial(void **state)
{
    (void)state;
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = 0xffffffffu ^ byte;
        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xedb88320u : 0u);
        }
        const unsigned char one = (unsigned char)byte;
        assert_int_equal(rts_crc32(0, &one, 1), ~crc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(parts_make_the_whole),
        cmocka_unit_test(every_byte_by_the_polynomial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
