/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Containers of one node are one machine, two nodes are two, and the name of a container alone identifies no machine.
 */
#include <string.h>

#include "../../engine/tests/checks.h"
#include "../identity.h"

#define ONE "0123456789abcdef0123456789abcdef"
#define OTHER "ffffffffffffffffffffffffffffffff"

static const char *id_of(const rts_machine_signs *signs, const char *source)
{
    static char ids[4][2 * RTS_MACHINE_ID_BYTES + 1];
    static size_t next;
    char text[96];
    char *const id = ids[next++ % 4u];
    assert_true(rts_linux_identity(signs, id, text, sizeof text));
    assert_string_equal(text, source);
    return id;
}

static void a_clone_with_another_name_is_another_machine(void **state)
{
    (void)state;
    const rts_machine_signs one = {.machine_id = ONE, .host = "one", .own_name = true};
    const rts_machine_signs clone = {.machine_id = ONE, .host = "clone", .own_name = true};
    assert_string_not_equal(id_of(&one, "machine-id, host-name"), id_of(&clone, "machine-id, host-name"));
    /* A container that has the machine's own name and id is that machine. */
    const rts_machine_signs box = {
        .machine_id = ONE, .machine_id_mounted = true, .host = "one", .own_name = true, .inside = true};
    assert_string_equal(id_of(&one, "machine-id, host-name"), id_of(&box, "machine-id, host-name"));
}

static void containers_of_one_node_are_one_machine(void **state)
{
    (void)state;
    const rts_machine_signs boxes[] = {
        {.machine_id = ONE, .machine_id_mounted = true, .host = "a", .inside = true, .boot_id = ONE, .cpu_model = "x"},
        {.machine_id = ONE,
         .machine_id_mounted = true,
         .host = "b",
         .inside = true,
         .boot_id = OTHER,
         .cpu_model = "y"}};
    assert_string_equal(id_of(&boxes[0], "machine-id"), id_of(&boxes[1], "machine-id"));
    const rts_machine_signs other = {.machine_id = OTHER, .machine_id_mounted = true, .host = "a", .inside = true};
    assert_string_not_equal(id_of(&boxes[0], "machine-id"), id_of(&other, "machine-id"));

    const rts_machine_signs stated[] = {
        {.stated = "node-7", .machine_id = ONE, .host = "a", .serial = "1", .inside = true},
        {.stated = "node-7", .host = "b", .own_name = true},
        {.stated = "node-8", .machine_id = ONE, .host = "a", .serial = "1", .inside = true}};
    assert_string_equal(id_of(&stated[0], "RTSTONE_MACHINE"), id_of(&stated[1], "RTSTONE_MACHINE"));
    assert_string_not_equal(id_of(&stated[0], "RTSTONE_MACHINE"), id_of(&stated[2], "RTSTONE_MACHINE"));
}

static void two_containers_of_one_image_and_name_on_two_nodes_are_two(void **state)
{
    (void)state;
    /* The image's own machine-id is in every container made of it. */
    const rts_machine_signs nodes[] = {
        {.machine_id = ONE, .host = "box", .inside = true, .boot_id = ONE, .cpu_model = "x"},
        {.machine_id = ONE, .host = "box", .inside = true, .boot_id = OTHER, .cpu_model = "x"}};
    assert_string_not_equal(id_of(&nodes[0], "boot-id"), id_of(&nodes[1], "boot-id"));
    const rts_machine_signs boards[] = {{.host = "box", .inside = true, .serial = "1", .boot_id = ONE},
                                        {.host = "box", .inside = true, .serial = "2", .boot_id = ONE}};
    assert_string_not_equal(id_of(&boards[0], "board-serial"), id_of(&boards[1], "board-serial"));
    const rts_machine_signs firmware = {.host = "box", .inside = true, .product_uuid = ONE, .boot_id = ONE};
    (void)id_of(&firmware, "product-uuid");
}

static void the_name_of_a_container_alone_is_no_identity(void **state)
{
    (void)state;
    char id[2 * RTS_MACHINE_ID_BYTES + 1];
    char source[96];
    const rts_machine_signs box = {.machine_id = ONE, .host = "box", .inside = true, .cpu_model = "x"};
    assert_false(rts_linux_identity(&box, id, source, sizeof source));
}

static void a_bare_root_keeps_the_id_that_it_had(void **state)
{
    (void)state;
    const rts_machine_signs bare = {.host = "bare", .own_name = true, .cpu_model = "x", .boot_id = ONE};
    (void)id_of(&bare, "cpu-model, host-name");
    const rts_machine_signs board = {.host = "bare", .own_name = true, .cpu_model = "x", .serial = "1"};
    (void)id_of(&board, "host-name, board-serial");
    const rts_machine_signs uuid = {.host = "bare", .own_name = true, .product_uuid = ONE, .cpu_model = "x"};
    (void)id_of(&uuid, "product-uuid, host-name");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clone_with_another_name_is_another_machine),
        cmocka_unit_test(containers_of_one_node_are_one_machine),
        cmocka_unit_test(two_containers_of_one_image_and_name_on_two_nodes_are_two),
        cmocka_unit_test(the_name_of_a_container_alone_is_no_identity),
        cmocka_unit_test(a_bare_root_keeps_the_id_that_it_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
