/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The contract between the engine and a measurement: one file in engine/measurements/, one line in its registry.
 *
 * A measurement makes what it needs in `setup`, is called for slices of operations (so that the engine can keep budgets and rest), and takes
 * everything down in `teardown`, which is called whatever setup returned. It names services, not kernels: whether a kernel has them, and what
 * stands in for them, is the port's answer.
 */
#ifndef RTSTONE_MEASUREMENT_H
#define RTSTONE_MEASUREMENT_H

#include "rtstone/port.h"
#include "rtstone/types.h"

/* Most series of one measurement. What every port has needs five; a port with more of its own says so. */
#ifdef RTS_PORT_SERIES
#define RTS_SERIES_MAX RTS_PORT_SERIES
#else
#define RTS_SERIES_MAX 5u
#endif

/** The passes that a measurement can make. */
enum { RTS_PASS_BATCH = 1, RTS_PASS_SINGLE = 2 };

/** Traits of a measurement: the engine acts on the first three, a host plans by the others. `list --json` names them. */
enum {
    RTS_ENTERS = 1,          /**< its samples show when the measured interrupt's handler was entered, or pass by it */
    RTS_ON_TIMER = 2,        /**< its ticks are of the timer's clock */
    RTS_PRIORITIZED = 4,     /**< it means nothing where a more urgent thread does not run at once: skipped there */
    RTS_TRAILS = 8,          /**< it keeps what the kernel did before a late sample where the plan has trace_over_ns */
    RTS_REACHES_WINDOW = 16, /**< it moves data through the window that the plan names */
    RTS_KERNEL_HANDLER = 32  /**< only a handler in the kernel, which a probe module has, makes it possible */
};

/** What makes a measurement wait between its operations, so that slices are not lengthened. */
typedef enum rts_pace_by {
    RTS_UNPACED = 0,       /**< nothing: it goes on at once */
    RTS_PACED_BY_TIMER,    /**< the plan's period, of the measured interrupt */
    RTS_PACED_BY_LENGTH,   /**< each operation lasts one period of the plan */
    RTS_PACED_FROM_OUTSIDE /**< events that come from outside of the target */
} rts_pace_by;

/** A measurement in progress; opaque to measurements, which use the rts_run_* calls. */
typedef struct rts_run rts_run;

/** Longest name of a measurement and its choice, with the NUL: a plan's names have as many. */
#define RTS_MEASUREMENT_NAME_BYTES 32u

/** One of the things that a measurement measures alike: `clock-hpet` is the choice `hpet` of `clock`. */
typedef struct rts_choice {
    const char *name;    /**< behind the measurement's own name and '-' */
    const char *summary; /**< one sentence for `list` */
} rts_choice;

/** What a measurement is. All pointers are to constants. */
typedef struct rts_measurement {
    const char *name;    /**< as in spec/measurements.md */
    uint32_t meaning;    /**< from 1; raised when what a window holds changes (spec/measurements.md, "Meanings") */
    const char *summary; /**< one sentence for `list` */
    /**
     * Names of the quantities that the single pass yields, at most RTS_SERIES_MAX; the batch pass yields the first. Empty where there are choices: one
     * series, named as the measurement with its choice.
     */
    const char *series[RTS_SERIES_MAX];
    uint32_t services;    /**< bits 1u << RTS_SERVICE_… that it cannot do without */
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
    uint8_t whole;    /**< the series, from 1, that is the sum of others of the same sample; 0: no series is */
    /** NULL and 0, or the choices: a plan then names one with the measurement. Measurements that differ in `meaning` or `batch_limit` are no choices of one. */
    const rts_choice *choices;
    uint32_t choice_count;
} rts_measurement;

/** The measurement's own state, RTS_PORT_STATE_BYTES long, zeroed before setup, shared with threads that have their own address space. */
void *rts_run_state(rts_run *run);

/** The choice that this item names: its index in `choices`, 0 for a measurement without. */
uint32_t rts_run_choice(const rts_run *run);

/**
 * Of `setup`: names a series anew for this item, by a constant; NULL: this item has no such series here, and it is not told. The first of a
 * measurement stays.
 */
void rts_run_series(rts_run *run, uint32_t series, const char *name);

/** Records one sample of a series. `at` is the same clock's reading at its end. Not from an ISR, not inside a window. */
void rts_run_sample(rts_run *run, uint32_t series, rts_latency ticks, rts_ticks at);

/** Called before each operation of a single pass, outside the window: flushes caches when the variant says so. */
void rts_run_before(rts_run *run);

/**
 * States that a count must lie in [low, high], or the item is invalid. Checks of one name are added up over the slices (value, low and high
 * alike) and told once. Every ping says its switches here. `name` is a constant of at most 31 characters.
 */
void rts_run_check(rts_run *run, const char *name, uint64_t value, uint64_t low, uint64_t high);

/**
 * States a quantity that this measurement counted beside its ticks: bytes moved, the CPU time of one end, datagrams lost. Figures of one name are
 * added up over the slices and told once; those of a warm-up are passed over. `name` and `unit` ("bytes", "ns", "datagrams") are constants of at
 * most 31 characters. Not inside a window.
 */
void rts_run_figure(rts_run *run, const char *name, const char *unit, uint64_t value);

/**
 * Why `setup` is about to fail, and what mends it: one sentence for the skip, plain ASCII without quotes, a constant or within rts_run_state. The
 * status that setup returns stays the reason: RTS_UNSUPPORTED, RTS_DENIED, RTS_INVALID, or anything else as `failed`.
 */
void rts_run_why(rts_run *run, const char *text);

/**
 * One sentence that belongs to this measurement's cell: what it was measured on, where that is not the same everywhere (`environment` in a `note`).
 * Plain ASCII without quotes, a constant or within rts_run_state. The last one said counts.
 */
void rts_run_remark(rts_run *run, const char *text);

/** Something that happened in mid-measurement. */
typedef struct rts_event {
    char kind[48];
    rts_ticks at; /**< a reading of the item's clock */
    uint64_t value;
    rts_ticks ticks;  /**< how long it had been going on; 0: not told */
    char task[17];    /**< who had the CPU from then on; empty: not told, nor are the next two */
    int32_t pid;      /**< its number on the target */
    int32_t priority; /**< 1 to 99 as POSIX has them, 100: a deadline; 0: not real-time */
} rts_event;

/** Tells it. What there is no room for is dropped, and counted as the figure `events-dropped`. Not inside a window. */
void rts_run_event(rts_run *run, const rts_event *event);

/** How many more events there is room for. */
uint32_t rts_run_event_room(const rts_run *run);

/** Thread attributes of this run: its class and CPU, the given priority, the engine's address space. */
rts_thread_attr rts_run_thread(rts_run *run, const char *name, rts_priority priority);

/** The measured interrupt as this item's plan asks for it. */
rts_timer_spec rts_run_timer(const rts_run *run);

/** The window that this item's plan names for data transfers, "default" unless it names one. */
const char *rts_run_window(const rts_run *run);

/** Samples above this (ns) have the kernel's trail kept, by measurements that can; 0: none is. */
uint32_t rts_run_trace_over_ns(const rts_run *run);

/** A repeatable pseudo-random number from the plan's seed, the repetition and the item (splitmix64). */
uint64_t rts_run_random(rts_run *run);

/** True while `warmup` operations are being done: samples of them are passed over by rts_run_sample. */
bool rts_run_warming(const rts_run *run);

/**
 * For the calibration: what the accounts of a ping cost in its batch pass. Each of `count` values is the ticks of `rounds` rounds of both parties whose
 * hand-overs do nothing, in one window. `state` is RTS_PORT_STATE_BYTES of zeros.
 */
void rts_measurement_ping_account(void *state, uint32_t rounds, int64_t *values, size_t count);

/** All measurements. */
extern const rts_measurement *const rts_measurements[];
extern const size_t rts_measurement_count;

/** The measurement that a name stands for, and which of its choices (NULL: not wanted). NULL: none is called so. */
const rts_measurement *rts_measurement_find(const char *name, uint32_t *choice);

/** How many names a measurement has: one, or one for each choice. */
uint32_t rts_measurement_names(const rts_measurement *measurement);

/** The name of a measurement with one of its choices, which is less than rts_measurement_names. */
void rts_measurement_name(const rts_measurement *measurement, uint32_t choice, char name[RTS_MEASUREMENT_NAME_BYTES]);

#endif
