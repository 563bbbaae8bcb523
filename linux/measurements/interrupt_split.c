/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where in the kernel the time goes from a timer's expiry to the task that it wakes: four stages of each sample, and the cost of tracing them.
 */
#include <stdio.h>
#include <sys/mman.h>

#include "../bpf/split.h"
#include "../files.h"
#include "common/state.h"
#include "common/worker.h"

enum { TOTAL, EXPIRY_TO_HANDLER, SWITCH_DELAY = EXPIRY_TO_HANDLER + RTS_SPLIT_STAGES, UNTRACED, SPLIT_TOTAL };

/* Apart from the samples, one period in so many is measured with the programs off, and one with the programs timed … */
#define UNTRACED_SHARE 4u
#define TIMED_SHARE 8u
/* … and such a turn lasts at least this long, because attaching or detaching programs keeps the kernel busy for milliseconds. */
#define TURN_NS 50000000u

/*
 * Samples without events from the kernel: at most one in so many. With more, the stages do not represent the other samples, and the item is invalid.
 * Some samples have none: a kernel may run no program while some thread of a supervisor is current, so interrupts of that thread are not recorded.
 */
#define UNTOLD_SHARE 20u

/* Samples with a boundary before the one that it follows (the clock was just being corrected): at most one in so many. */
#define DISORDERED_SHARE 1000u

/* How often, and how long, the measured thread sleeps so that the programs can find it. */
#define LEARNING_TRIES 100u
#define LEARNING_NS 100000

/* Steps that are recorded of one sample's event trail, the last ones … */
#define TRAIL_STEPS 512u
/* … and room that no step uses: so many samples are recorded as late even if their trails are dropped. */
#define TRAIL_ENDS 4096u
/* The last room for steps is for samples slower than all earlier ones: the slowest has its trail, however many are late. */
#define TRAIL_RESERVE 1024u

/** What the worker does with the periods of one turn: traced samples, samples without programs, or timing the programs. */
typedef enum turn { TURN_TRACED, TURN_UNTRACED, TURN_TIMED } turn;

typedef struct state {
    rts_worker worker;
    turn turn;
    bool attached;
    bool reversed;  /**< every other time the untraced turn comes before the samples */
    bool compared;  /**< an untraced turn has taken place */
    uint32_t taken; /**< periods of this turn */
    uint32_t owed;  /**< samples since the last untraced turn */
    rts_split_join join;
    rts_ticks over;       /**< samples above this have their event trail recorded; 0: none have */
    rts_ticks told;       /**< the last step that was recorded */
    rts_ticks slowest;    /**< the largest response above the limit so far */
    uint32_t ends;        /**< late samples that were recorded */
    rts_ticks told_from;  /**< when the first of those samples was taken whose trails … */
    rts_ticks told_until; /**< … were being recorded until this time, while periods passed */
    uint32_t reserve;     /**< room for a sample that is slower than all earlier ones */
    uint64_t recorded;    /**< samples so far, without those of the warm-up */
    rts_ticks steal_at;   /**< when the steal was last read */
    uint64_t steal;
    rts_event *steps; /**< of one sample's trail. Not static: a measured fork of the engine would copy their pages. */
} state;

RTS_STATE_FITS(state);

/** Records the CPU's steps in a sample above the limit, each step once, then the sample's verdict. The value of each event is the sample's number. */
static void tell_trail(rts_run *run, state *own, rts_split_sample sample, rts_split_verdict verdict)
{
    static const char *const words[RTS_SPLIT_VERDICTS] = {
        [RTS_SPLIT_MATCHED] = "split",         [RTS_SPLIT_LATE] = "late",
        [RTS_SPLIT_AWAKE] = "awake",           [RTS_SPLIT_UNMATCHED] = "unmatched",
        [RTS_SPLIT_DISORDERED] = "disordered",
    };
    static rts_event calls[2u * RTS_SPLIT_CALLS];
    rts_event *const steps = own->steps;
    const size_t count = rts_linux_split_steps(sample.due, sample.user, steps, TRAIL_STEPS);
    const size_t called = rts_linux_split_stacks(sample.due, calls);
    const rts_ticks response = sample.user - sample.due;
    const uint32_t room = rts_run_event_room(run);
    const uint32_t ends = own->ends < TRAIL_ENDS ? TRAIL_ENDS - own->ends : 1u;
    const size_t wanted = count + called + ends;
    const bool fits = wanted + own->reserve <= room;
    const bool dropped = !fits && (response <= own->slowest || wanted > room);
    own->slowest = response > own->slowest ? response : own->slowest;
    if (!fits && !dropped) {
        own->reserve -= count + called < own->reserve ? (uint32_t)(count + called) : own->reserve;
    }
    if (dropped && room <= own->reserve) {
        rts_run_figure(run, "events-dropped", "events", 1);
        return;
    }
    own->ends++;
    for (size_t i = 0; i < called && !dropped; i++) {
        calls[i].value = own->recorded;
        rts_run_event(run, &calls[i]);
    }
    for (size_t i = 0; i < count && !dropped; i++) {
        if (steps[i].at > own->told) {
            steps[i].value = own->recorded;
            rts_run_event(run, &steps[i]);
            own->told = steps[i].at;
        }
    }
    rts_event end = {.at = sample.user, .value = own->recorded, .ticks = response};
    (void)snprintf(end.kind, sizeof end.kind, "sample %s%s", words[verdict], dropped ? " dropped" : "");
    rts_linux_split_name(&end);
    rts_run_event(run, &end);
}

static void record(rts_run *run, state *own, rts_split_sample sample)
{
    const rts_latency response = (rts_latency)(sample.user - sample.due);
    if (own->turn == TURN_UNTRACED) {
        rts_run_sample(run, UNTRACED, response, sample.user);
        return;
    }
    rts_split_join_expect(&own->join, sample);
    if (!rts_linux_split_take(&own->join)) {
        rts_port_fatal("the ring of the BPF programs is broken");
    }
    if (own->turn == TURN_TIMED) {
        return; /* timing slows the programs down: no samples */
    }
    rts_run_sample(run, TOTAL, response, sample.user);
    rts_ticks stages[RTS_SPLIT_STAGES];
    const rts_split_event flight = rts_linux_split_flight();
    const rts_split_verdict verdict = rts_split_join_take(&own->join, &flight, stages);
    if (!rts_run_warming(run)) {
        if (own->over != 0 && response > (rts_latency)own->over) {
            tell_trail(run, own, sample, verdict);
            own->told_from = sample.due <= own->told_until ? own->told_from : sample.user;
            own->told_until = rts_timer_clock_read();
            rts_run_figure(run, "samples-over-limit", "samples", 1);
        }
        own->recorded++;
    }
    if (verdict != RTS_SPLIT_MATCHED) {
        return;
    }
    for (uint32_t i = 0; i < RTS_SPLIT_STAGES; i++) {
        rts_run_sample(run, EXPIRY_TO_HANDLER + i, (rts_latency)stages[i], sample.user);
    }
    rts_run_sample(run, SWITCH_DELAY, (rts_latency)(stages[2] + stages[3]), sample.user);
    rts_run_sample(run, SPLIT_TOTAL, response, sample.user);
}

/**
 * Takes the time spent on recording trails out of a period's response. False if the period came while the task recorded a trail: this measurement
 * itself made it late, so it is no sample. A period that had come earlier ends at `told_from`, when the task woke, like all that are late then.
 */
static bool take_out_trail(const state *own, rts_split_sample *sample)
{
    if (sample->due > own->told_until) {
        return true;
    }
    if (sample->due >= own->told_from) {
        return false;
    }
    sample->user = own->told_from;
    sample->ready = sample->user;
    return true;
}

/** Waits for one period, and handles all periods that have passed. Each is a sample, except those that came while a trail was recorded. */
static rts_status take_periods(rts_run *run, state *own, const rts_timer_source *source, rts_ticks period,
                               uint32_t count, rts_ticks *due)
{
    rts_split_sample sample = {.due = *due};
    rts_linux_split_arm(*due);
    sample.ready = rts_timer_clock_read();
    uint64_t at_hand = source->wait(*due, &sample.user);
    if (at_hand == 0 && rts_port_interrupted()) {
        return RTS_INTERRUPTED;
    }
    for (; at_hand > 0 && own->taken < count; at_hand--) {
        if (take_out_trail(own, &sample)) {
            record(run, own, sample);
            own->taken++;
        } else {
            rts_run_figure(run, "periods-of-trails", "periods", 1);
        }
        *due += period;
        sample.due = *due;
        sample.user = rts_timer_clock_read();
        sample.ready = sample.user; /* the periods that follow have passed already: nothing woke the task for them */
    }
    return RTS_OK;
}

/** Lets the programs learn which thread is measured: they do when this thread gives up the CPU. */
static rts_status be_known(void)
{
    rts_status status = rts_linux_split_watch();
    for (uint32_t tries = 0; status == RTS_OK && !rts_linux_split_watched(); tries++) {
        if (tries == LEARNING_TRIES) {
            return RTS_BROKEN;
        }
        const struct timespec moment = {.tv_sec = 0, .tv_nsec = LEARNING_NS};
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
    }
    return status;
}

static rts_status work_single(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)total;
    state *own = rts_run_state(run);
    const rts_timer_spec spec = rts_run_timer(run);
    const rts_timer_source *const source = rts_timer_source_find(spec.source);
    if (source == NULL) {
        return RTS_INVALID;
    }
    rts_status status = own->turn == TURN_UNTRACED ? RTS_OK : be_known();
    rts_ticks due = rts_timer_clock_read() + spec.phase + spec.period;
    status = status == RTS_OK ? source->open(due, spec.period) : status;
    if (status != RTS_OK) {
        return status;
    }
    while (status == RTS_OK && own->taken < count) {
        status = take_periods(run, own, source, spec.period, count, &due);
    }
    rts_linux_split_disarm();
    source->close();
    return status;
}

static rts_status attach(state *own, bool on)
{
    const rts_status status = own->attached == on ? RTS_OK : rts_linux_split_attach(on);
    own->attached = on && status == RTS_OK;
    return status;
}

/** Runs one turn: `periods` periods, with the programs attached or not. */
static rts_status take_turn(state *own, turn which, uint32_t periods)
{
    own->turn = which;
    own->taken = 0;
    rts_split_join_begin(&own->join, rts_linux_split_flight().sequence);
    const rts_status status = attach(own, which != TURN_UNTRACED);
    return status == RTS_OK ? rts_worker_do(&own->worker, work_single, periods, NULL) : status;
}

static rts_ticks monotonic(void)
{
    return rts_system_clock_ns(CLOCK_MONOTONIC);
}

/** Measures the cost of the programs for the whole system: the kernel times them, in a turn of their own. */
static rts_status take_cost(rts_run *run, state *own, uint32_t periods)
{
    if (rts_linux_split_time(true) != RTS_OK) {
        return RTS_OK; /* timing needs CAP_SYS_ADMIN: without it there are no figures */
    }
    const rts_split_cost before = rts_linux_split_cost();
    const rts_ticks start = monotonic();
    const rts_status status = take_turn(own, TURN_TIMED, periods);
    const rts_ticks elapsed = monotonic() - start;
    const rts_split_cost after = rts_linux_split_cost();
    (void)rts_linux_split_time(false);
    if (status == RTS_OK) {
        rts_run_figure(run, "programs-runs", "runs", after.runs - before.runs);
        rts_run_figure(run, "programs-time", "ns", after.ns - before.ns);
        rts_run_figure(run, "programs-timed-for", "ns", elapsed);
    }
    return status;
}

static void tell_accounts(rts_run *run, const rts_split_join *join, uint32_t samples, uint64_t missed)
{
    static const char *const names[RTS_SPLIT_VERDICTS] = {
        [RTS_SPLIT_MATCHED] = "samples-split",       [RTS_SPLIT_LATE] = "unsplit-late",
        [RTS_SPLIT_AWAKE] = "unsplit-awake",         [RTS_SPLIT_UNMATCHED] = "unsplit-unmatched",
        [RTS_SPLIT_DISORDERED] = "unsplit-disorder",
    };
    uint64_t sum = 0;
    for (uint32_t i = 0; i < RTS_SPLIT_VERDICTS; i++) {
        sum += join->counts[i];
        rts_run_figure(run, names[i], "samples", join->counts[i]);
    }
    rts_run_figure(run, "events-lost", "events", join->lost);
    rts_run_figure(run, "events-repeated", "events", join->repeated);
    rts_run_figure(run, "events-stray", "events", join->stray);
    rts_run_figure(run, "programs-missed", "runs", missed);
    rts_run_check(run, "samples-accounted", sum, samples, samples);
    rts_run_check(run, "samples-unmatched", join->counts[RTS_SPLIT_UNMATCHED], 0, samples / UNTOLD_SHARE + 1u);
    rts_run_check(run, "boundaries-disordered", join->counts[RTS_SPLIT_DISORDERED], 0, samples / DISORDERED_SHARE + 1u);
    rts_run_check(run, "events-lost", join->lost, 0, 0);
}

/** Records the time stolen from the measured CPU since the last call, next to the trails of that time. */
static void tell_steal(rts_run *run, state *own)
{
    if (own->over == 0 || rts_run_warming(run)) {
        return;
    }
    const rts_ticks now = monotonic();
    const uint64_t steal = rts_linux_steal();
    if (own->steal_at != 0 && steal > own->steal) {
        const rts_event event = {.kind = "steal", .at = now, .value = steal - own->steal, .ticks = now - own->steal_at};
        rts_run_event(run, &event);
    }
    own->steal_at = now;
    own->steal = steal;
}

static rts_status take_samples(rts_run *run, state *own, uint32_t samples)
{
    const uint64_t missed = rts_linux_split_missed();
    tell_steal(run, own);
    const rts_status status = take_turn(own, TURN_TRACED, samples);
    tell_steal(run, own);
    if (status == RTS_OK) {
        tell_accounts(run, &own->join, samples, rts_linux_split_missed() - missed);
    }
    return status;
}

/** The turns that yield no samples of the measured response: the response without the programs, and the cost of the programs. */
static rts_status take_comparison(rts_run *run, state *own)
{
    const uint32_t owed = own->owed;
    own->owed = 0;
    own->compared = true;
    own->reversed = !own->reversed;
    const rts_status status = take_turn(own, TURN_UNTRACED, owed / UNTRACED_SHARE + 1u);
    return status == RTS_OK ? take_cost(run, own, owed / TIMED_SHARE + 1u) : status;
}

static rts_status single(rts_run *run, uint32_t samples)
{
    state *own = rts_run_state(run);
    own->owed += rts_run_warming(run) ? 0 : samples;
    const uint64_t untraced_ns = (uint64_t)own->owed / UNTRACED_SHARE * rts_run_timer(run).period;
    const bool compares = own->owed > 0 && (!own->compared || untraced_ns >= TURN_NS);
    rts_status status = RTS_OK;
    if (compares && own->reversed) {
        status = take_comparison(run, own);
        return status == RTS_OK ? take_samples(run, own, samples) : status;
    }
    status = take_samples(run, own, samples);
    return status == RTS_OK && compares ? take_comparison(run, own) : status;
}

static rts_status setup(rts_run *run)
{
    state *own = rts_run_state(run);
    if (rts_timer_source_find(rts_run_timer(run).source) == NULL) {
        rts_run_why(run, "the measured task itself waits for the timer: --timer nanosleep or timerfd");
        return RTS_UNSUPPORTED;
    }
    own->over = rts_run_trace_over_ns(run);
    own->reserve = TRAIL_RESERVE;
    if (own->over != 0) {
        void *const made = mmap(NULL, TRAIL_STEPS * sizeof *own->steps, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (made == MAP_FAILED) {
            return RTS_NO_MEMORY;
        }
        own->steps = made;
    }
    rts_linux_split_trail(own->over != 0 ? rts_run_timer(run).cpu : -1, own->over);
    return rts_worker_create(&own->worker, run, RTS_PRIORITY_TOP);
}

static void teardown(rts_run *run)
{
    state *own = rts_run_state(run);
    rts_worker_destroy(&own->worker);
    if (own->attached) {
        (void)rts_linux_split_attach(false);
    }
    rts_linux_split_trail(-1, 0);
    if (own->steps != NULL) {
        (void)munmap(own->steps, TRAIL_STEPS * sizeof *own->steps);
    }
}

const rts_measurement rts_measurement_interrupt_split = {
    .name = "interrupt-split",
    .meaning = 2,
    .summary = "from a timer's expiry to the task that it wakes, in four stages that the kernel itself stamps",
    .series = {"interrupt-task-response", "expiry-to-handler", "handler-to-waking", "waking-to-switch",
               "switch-to-user", "context-switch-delay", "untraced-task-response", "split-task-response"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_KERNEL_SPLIT,
    .passes = RTS_PASS_SINGLE,
    .traits = RTS_ON_TIMER | RTS_TRAILS,
    .paced_by = RTS_PACED_BY_TIMER,
    .setup = setup,
    .single = single,
    .teardown = teardown,
    .whole = 8,
};
