/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The contract between the engine and a measurement: one file in engine/measurements/, one line in its registry.
 *
 * A measurement creates its objects in `setup`. The engine then calls it for slices of operations, so that it can keep budgets and rest. `teardown`
 * destroys everything, and is called whatever status setup returned. A measurement names services, not kernels: the port reports whether its kernel
 * has a service, and names its substitute.
 */
#ifndef RTSTONE_MEASUREMENT_H
#define RTSTONE_MEASUREMENT_H

#include "rtstone/port.h"
#include "rtstone/types.h"

/* Most series of one measurement. The measurements of all ports need five; a port whose own ones need more defines RTS_PORT_SERIES. */
#ifdef RTS_PORT_SERIES
#define RTS_SERIES_MAX RTS_PORT_SERIES
#else
#define RTS_SERIES_MAX 5u
#endif

/** The passes that a measurement can make. */
enum { RTS_PASS_BATCH = 1, RTS_PASS_SINGLE = 2 };

/** Traits of a measurement. The engine acts on the first three; a host plans by the others. `list --json` names them. */
enum {
    RTS_ENTERS = 1,          /**< its samples show when the measured interrupt's handler was entered, or span it */
    RTS_ON_TIMER = 2,        /**< its ticks are of the timer's clock */
    RTS_PRIORITIZED = 4,     /**< it is meaningless, and skipped, where a more urgent thread does not run at once */
    RTS_TRAILS = 8,          /**< it records the kernel's steps before a late sample if the plan has trace_over_ns */
    RTS_REACHES_WINDOW = 16, /**< it moves data through the window that the plan names */
    RTS_KERNEL_HANDLER = 32  /**< it needs a handler in the kernel, which a probe module provides */
};

/** What makes a measurement wait between its operations; the engine then does not lengthen the slices. */
typedef enum rts_pace_by {
    RTS_UNPACED = 0,       /**< nothing: the next operation follows at once */
    RTS_PACED_BY_TIMER,    /**< the measured interrupt, with the plan's period */
    RTS_PACED_BY_LENGTH,   /**< each operation lasts one period of the plan */
    RTS_PACED_FROM_OUTSIDE /**< events that come from outside of the target */
} rts_pace_by;

/** A measurement in progress; opaque to measurements, which use the rts_run_* calls. */
typedef struct rts_run rts_run;

/** Longest name of a measurement with its choice, including the NUL. Names in a plan have the same room. */
#define RTS_MEASUREMENT_NAME_BYTES 32u

/** One variant of a measurement: `clock-hpet` is the choice `hpet` of `clock`. */
typedef struct rts_choice {
    const char *name;    /**< follows the measurement's own name and '-' */
    const char *summary; /**< one sentence for `list` */
} rts_choice;

/** What a measurement is. All pointers are to constants. */
typedef struct rts_measurement {
    const char *name; /**< as in spec/measurements.md */
    uint32_t meaning; /**< definition version, from 1; raised by the rules of spec/measurements.md under "Meanings" */
    const char *summary; /**< one sentence for `list` */
    /**
     * Names of the quantities that the single pass yields, at most RTS_SERIES_MAX; the batch pass yields the first. Empty if there are choices: then
     * there is one series, with the name of the measurement and its choice.
     */
    const char *series[RTS_SERIES_MAX];
    uint32_t services;    /**< bits 1u << RTS_SERVICE_… of the services that it needs */
    uint32_t passes;      /**< RTS_PASS_BATCH | RTS_PASS_SINGLE */
    uint32_t batch_limit; /**< most operations of one window; a batch set has one for each refill. 0: no limit */
    uint32_t traits;      /**< RTS_ENTERS | RTS_ON_TIMER | … */
    rts_status (*setup)(rts_run *run);
    /** Does `ops` operations and stores the ticks that they took together. */
    rts_status (*batch)(rts_run *run, uint32_t ops, rts_ticks *total);
    /** Does `samples` operations and hands each one's ticks to rts_run_sample. */
    rts_status (*single)(rts_run *run, uint32_t samples);
    void (*teardown)(rts_run *run);
    uint8_t paced_by; /**< an rts_pace_by */
    uint8_t whole;    /**< number, from 1, of the series that is the sum of others of the same sample; 0: none */
    /** NULL and 0, or the choices; a plan then names one of them. Measurements that differ in `meaning` or `batch_limit` cannot be choices of one. */
    const rts_choice *choices;
    uint32_t choice_count;
} rts_measurement;

/** The state of the measurement: RTS_PORT_STATE_BYTES long, zeroed before setup, shared with threads that have their own address space. */
void *rts_run_state(rts_run *run);

/** The choice that this item names: its index in `choices`; 0 for a measurement without choices. */
uint32_t rts_run_choice(const rts_run *run);

/**
 * For `setup`: renames a series for this item; the name is a constant. NULL: this item has no such series here, and the record omits it. The first
 * series of a measurement cannot be left out.
 */
void rts_run_series(rts_run *run, uint32_t series, const char *name);

/** Records one sample of a series. `at` is a reading of the same clock at the sample's end. Not from an ISR, not inside a window. */
void rts_run_sample(rts_run *run, uint32_t series, rts_latency ticks, rts_ticks at);

/** Called before each operation of a single pass, outside the window: flushes caches if the variant requires it. */
void rts_run_before(rts_run *run);

/**
 * Checks a count: if it is not in [low, high], the item is invalid. Checks of one name are added up over the slices (value, low and high
 * alike) and reported once. Every ping reports its switches here. `name` is a constant of at most 31 characters.
 */
void rts_run_check(rts_run *run, const char *name, uint64_t value, uint64_t low, uint64_t high);

/**
 * Reports a quantity other than ticks that this measurement counted: bytes moved, the CPU time of one end, datagrams lost. Figures of one name are
 * added up over the slices and reported once; those of a warm-up are ignored. `name` and `unit` ("bytes", "ns", "datagrams") are constants of at
 * most 31 characters. Not inside a window.
 */
void rts_run_figure(rts_run *run, const char *name, const char *unit, uint64_t value);

/**
 * Why `setup` is about to fail, and the remedy: one sentence for the skip, plain ASCII without quotes, a constant or within rts_run_state. The
 * status that setup returns stays the reason: RTS_UNSUPPORTED, RTS_DENIED, RTS_INVALID, or any other status as `failed`.
 */
void rts_run_why(rts_run *run, const char *text);

/**
 * One sentence for this measurement's cell: the object or the conditions of the measurement, if they are not the same everywhere (`environment` in
 * a `note`).
 * Plain ASCII without quotes, a constant or within rts_run_state. A later call replaces the sentence.
 */
void rts_run_remark(rts_run *run, const char *text);

/** Something that happened during a measurement. */
typedef struct rts_event {
    char kind[48];
    rts_ticks at; /**< a reading of the item's clock */
    uint64_t value;
    rts_ticks ticks;  /**< how long it had lasted; 0: not known */
    char task[17];    /**< the task that had the CPU from then on; empty: not known, like the next two */
    int32_t pid;      /**< its number on the target */
    int32_t priority; /**< 1 to 99 as POSIX has them, 100: a deadline; 0: not real-time */
} rts_event;

/** Records the event. An event without room is dropped and counted as the figure `events-dropped`. Not inside a window. */
void rts_run_event(rts_run *run, const rts_event *event);

/** Number of events for which there is still room. */
uint32_t rts_run_event_room(const rts_run *run);

/** Thread attributes of this run: its class and CPU, the given priority, the engine's address space. */
rts_thread_attr rts_run_thread(rts_run *run, const char *name, rts_priority priority);

/** The measured interrupt as this item's plan asks for it. */
rts_timer_spec rts_run_timer(const rts_run *run);

/** The window that this item's plan names for data transfers, "default" unless it names one. */
const char *rts_run_window(const rts_run *run);

/** The limit (ns) above which a sample has the kernel's event trail saved, by measurements that have one. 0: trails are off. */
uint32_t rts_run_trace_over_ns(const rts_run *run);

/** A repeatable pseudo-random number from the plan's seed, the repetition and the item (splitmix64). */
uint64_t rts_run_random(rts_run *run);

/** True during the `warmup` operations: rts_run_sample ignores their samples. */
bool rts_run_warming(const rts_run *run);

/**
 * For the calibration: the cost of a ping's own accounts in its batch pass. Each of `count` values is the ticks of `rounds` rounds of both parties,
 * in one window, with hand-overs that do nothing. `state` is RTS_PORT_STATE_BYTES of zeros.
 */
void rts_measurement_ping_account(void *state, uint32_t rounds, int64_t *values, size_t count);

/** All measurements. */
extern const rts_measurement *const rts_measurements[];
extern const size_t rts_measurement_count;

/** The measurement with that name, and the index of its choice (NULL: not wanted). NULL: there is no such measurement. */
const rts_measurement *rts_measurement_find(const char *name, uint32_t *choice);

/** Number of names of a measurement: one, or one for each choice. */
uint32_t rts_measurement_names(const rts_measurement *measurement);

/** The name of a measurement with one of its choices; choice < rts_measurement_names. */
void rts_measurement_name(const rts_measurement *measurement, uint32_t choice, char name[RTS_MEASUREMENT_NAME_BYTES]);

#endif
