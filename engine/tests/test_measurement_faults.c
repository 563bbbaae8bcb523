/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A kernel that breaks its promises is found out: no measurement ends as `ok` when a switch, a message or a release got lost.
 */
#include "simulation.h"

/** How the item must end; each is something that the host never takes for a result. */
typedef enum ending {
    INVALID, /**< a check reports the error */
    FAILED,  /**< a call reported the error, or its result was wrong */
    FATAL    /**< no progress is possible: the engine ends */
} ending;

typedef struct fault_case {
    const char *measurement;
    sim_fault fault;
    ending ending;
    const char *check; /**< for INVALID: the check that must fail */
} fault_case;

#define FAULT(fault_kind, fault_call, fault_thread, fault_from, fault_every)                                           \
    {                                                                                                                  \
        .kind = SIM_FAULT_##fault_kind, .call = SIM_##fault_call, .thread = (fault_thread), .from = (fault_from),      \
        .every = (fault_every)                                                                                         \
    }

static const fault_case cases[] = {
#define FAULTS(measurement, kind, call, thread, from, every, ending, check)                                            \
    {measurement, FAULT(kind, call, thread, from, every), ending, check},
#include "expected.def"
};

static void assert_found_out(const fault_case *one, const simulation *sim)
{
    if (one->ending == FATAL) {
        if (sim->outcome.fatal == NULL) {
            fail_msg("%s goes on after what nothing can mend:\n%s", one->measurement, sim->stream);
        }
        assert_int_equal(sim->outcome.exit_code, 3);
        assert_null(record_next(sim, NULL, "bye", -1));
        return;
    }
    if (sim->outcome.fatal != NULL) {
        fail_msg("%s: %s", one->measurement, sim->outcome.fatal);
    }
    const char *skipped = record_next(sim, NULL, "skip", 0);
    const char *end = skipped != NULL ? skipped : series_end(sim, 0, 0);
    if (one->ending == FAILED) {
        if (!record_is(end, skipped != NULL ? "reason" : "status", "failed")) {
            fail_msg("%s does not fail: %.250s", one->measurement, end);
        }
    } else {
        if (!record_is(end, "status", "invalid")) {
            fail_msg("%s is not invalid: %.250s", one->measurement, end);
        }
        const char *check = check_named(sim, 0, one->check);
        const int64_t value = record_number(check, "value");
        assert_true(value < record_number(check, "low") || value > record_number(check, "high"));
    }
    /* The engine goes on with the next item as if nothing had been. */
    assert_true(record_is(series_end(sim, 1, 0), "status", "ok"));
}

static void every_fault_is_found_out(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim_script script = *sim_script_find("steady");
        script.faults[0] = cases[i].fault;
        simulation sim;
        plan_begin(&sim, 2);
        plan_item(&sim, cases[i].measurement, ",\"count\":100");
        /* The second item calls nothing that the fault still befalls. */
        const bool blocks = cases[i].fault.call == SIM_FREE || cases[i].fault.call == SIM_ALLOC;
        plan_item(&sim, blocks ? "semaphore-get-release" : "block-allocate", ",\"count\":1,\"warmup\":0");
        simulation_run(&sim, &script);
        assert_found_out(&cases[i], &sim);
        simulation_free(&sim);
    }
}

static void every_measurement_has_a_fault(void **unused)
{
    (void)unused;
    for (size_t m = 0; m < rts_measurement_count; m++) {
        bool found = false;
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            found = found || strcmp(cases[i].measurement, rts_measurements[m]->name) == 0;
        }
        if (!found) {
            fail_msg("no fault of %s is tried", rts_measurements[m]->name);
        }
    }
}

/* What a lost switch leaves behind is no time of anything: it must not become a sample. */
static void a_switch_that_did_not_happen_is_no_sample(void **unused)
{
    (void)unused;
    sim_script script = *sim_script_find("steady");
    script.faults[0] = (sim_fault)FAULT(LOST, GIVE, "worker", 30, 0);
    simulation sim;
    plan_begin(&sim, 1);
    plan_item(&sim, "task-preemption", ",\"count\":100");
    simulation_run(&sim, &script);
    const char *end = series_end(&sim, 0, 0);
    assert_true(record_number(end, "count") < 100);
    assert_int_equal(record_number(end, "min"), 43 + 107 + 3);
    assert_int_equal(record_number(end, "max"), 43 + 107 + 3);
    simulation_free(&sim);
}

static void a_mutex_that_does_not_inherit_is_found_out(void **unused)
{
    (void)unused;
    sim_script script = *sim_script_find("steady");
    script.no_inheritance = true;
    simulation sim;
    plan_begin(&sim, 1);
    plan_item(&sim, "deadlock-break", ",\"count\":100,\"warmup\":0");
    simulation_run(&sim, &script);
    assert_true(record_is(series_end(&sim, 0, 0), "status", "invalid"));
    assert_int_equal(record_number(check_named(&sim, 0, "inversions"), "value"), 100);
    simulation_free(&sim);
}

static void an_urgent_send_that_does_not_overtake_is_refused(void **unused)
{
    (void)unused;
    sim_script script = *sim_script_find("steady");
    script.faults[0] = (sim_fault)FAULT(REORDER, SEND_URGENT, NULL, 1, 1);
    simulation sim;
    plan_begin(&sim, 1);
    plan_item(&sim, "queue-fill-urgent", "");
    simulation_run(&sim, &script);
    assert_true(record_is(record_next(&sim, NULL, "skip", 0), "reason", "failed"));
    simulation_free(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_is_found_out),
        cmocka_unit_test(every_measurement_has_a_fault),
        cmocka_unit_test(a_switch_that_did_not_happen_is_no_sample),
        cmocka_unit_test(a_mutex_that_does_not_inherit_is_found_out),
        cmocka_unit_test(an_urgent_send_that_does_not_overtake_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
