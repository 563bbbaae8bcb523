/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a port asks of the system that it runs on, beside POSIX.1-2008. Linux answers here.
 *
 * Another system gets a room of its own beside linux/, with a system.h that has the same names. Each hook says what to answer where
 * the system has no such thing; a hook never guesses.
 */
#ifndef RTSTONE_SYSTEM_H
#define RTSTONE_SYSTEM_H

#include <sys/types.h>
#include <time.h>

#include "rtstone/port.h"

#define RTS_NS_PER_S 1000000000u

/** Highest real-time priority that a port asks for: its stand-in for an interrupt's handler. The words that help one to the right name it. */
#define RTS_SYSTEM_PRIORITY 95

/** Turns an errno value into a status. */
rts_status rts_system_status(int error);

/** A point of CLOCK_MONOTONIC, or a span, as the system's calls want it. */
static inline struct timespec rts_timespec(rts_ticks ns)
{
    const struct timespec when = {.tv_sec = (time_t)(ns / RTS_NS_PER_S), .tv_nsec = (long)(ns % RTS_NS_PER_S)};
    return when;
}

/** A source of the measured interrupt: a way to sleep until it is due. Used by one thread, which stands in for the handler. */
typedef struct rts_timer_source {
    const char *name;
    /** Takes what it needs; the first expiry is due at `first` and then once a period. */
    rts_status (*open)(rts_ticks first, rts_ticks period);
    /**
     * Waits for the expiry that is due at `due` and stores the timer clock's reading, taken first when it wakes. Returns how many
     * expiries are at hand: 0 when a signal woke it.
     */
    uint64_t (*wait)(rts_ticks due, rts_ticks *entered);
    void (*close)(void);
} rts_timer_source;

/** What the system knows of the CPU's counter. */
typedef struct rts_system_counter {
    bool usable;        /**< constant rate, equal on all CPUs, and the kernel's own clock source; false: never used */
    const char *name;   /**< "tsc" */
    uint64_t stated_hz; /**< a frequency that hardware or hypervisor states; 0: none does */
    const char *stated_by; /**< "CPUID leaf 15h" */
} rts_system_counter;

/** Facts of the CPU's counter. Without one: usable false. */
rts_system_counter rts_system_counter_facts(void);

/** The clock to calibrate the counter against, one that nobody steers; CLOCK_MONOTONIC where there is no other. */
clockid_t rts_system_reference_clock(const char **name);

/**
 * A clock that is a device of its own ("hpet"), made readable: its frequency (Hz), its name, what its frequency is known from, how to read it. 0:
 * there is none here, or it may not be read; then *own is NULL if this system has no device of that name at all.
 */
uint64_t rts_system_clock_device(const char *name, const char **own, const char **source, rts_ticks (**read)(void));

/**
 * Queues of System V, beside POSIX's. One outlives its maker: create removes first what an engine that was killed left behind. A message of a
 * higher priority is received before all others. Messages have at most RTS_MESSAGE_BYTES_MAX bytes.
 */
extern bool
    rts_system_queues; /**< whether a port's queues that are made from now on are these: for the measurements of those alone */
rts_status rts_system_queue_create(int *identifier);
rts_status rts_system_queue_send(int identifier, const void *message, uint32_t bytes, unsigned priority);
/** RTS_BROKEN: a message of another length. */
rts_status rts_system_queue_receive(int identifier, void *message, uint32_t bytes, unsigned *priority);
void rts_system_queue_destroy(int identifier);

/** Number of CPUs that this process may use; 1 where that cannot be known. */
uint32_t rts_system_cpu_count(void);

/** True if a thread can be pinned to that CPU. Without affinity: true for CPU 0 only. */
bool rts_system_cpu_usable(int32_t cpu);

/** The CPU to measure on when the plan leaves it open: an isolated one, else the highest numbered; 0 without affinity. */
int32_t rts_system_cpu_choice(void);

/** Pins the calling thread; RTS_CPU_ANY: lets it go wherever the process may. RTS_UNSUPPORTED without affinity, unless there is only one CPU. */
rts_status rts_system_pin_self(int32_t cpu);

/** Zeroed memory that children of fork share with the engine; NULL when there is not enough. */
void *rts_system_shared_memory(size_t bytes);

/** Gives back what the calling process, just forked, holds of memory and does not use; it locks the rest. */
void rts_system_shrink(void);

/** The privileges of this process as hex digits, bit by bit; "0" where there are none to name. */
const char *rts_system_capabilities(void);

/** Tells, line by line, what the system counts for the whole machine: CPU time, interrupts, load average. Without such: tells nothing. */
typedef void (*rts_counter_fn)(void *arg, const char *when, const char *name, const char *text);
void rts_system_counters(rts_counter_fn line, void *arg, const char *when);

/** Kills the caller when `parent` dies, or at once if it has died. RTS_UNSUPPORTED: only the pipes tell. */
rts_status rts_system_die_with(pid_t parent);

/** True if the process is stopped by a signal, whoever its parent is. Without a way to know: false. */
bool rts_system_is_stopped(pid_t process);

/** How often the calling thread gave up the CPU of its own accord. RTS_UNSUPPORTED where that is not counted a thread. */
rts_status rts_system_switches(uint64_t *voluntary);

/** Makes those privileges effective that this program's file grants (setcap …+p). Called first of all, before there are threads. */
void rts_system_claim_granted(void);

/** How much of each period real-time threads may run, both in ns. No limit: 0 and 0. */
void rts_system_realtime_limit(uint64_t *runtime_ns, uint64_t *period_ns);

/**
 * How long measured code may hold a CPU below such a limit, and its rest after that, both in ns. A slice is short beside the period over which the
 * kernel keeps its account. All slices stay below 90 % of the CPU, and below the limit: an engine's threads run a little beside the slice.
 */
static inline void rts_system_duty(uint64_t runtime_ns, uint64_t period_ns, uint64_t *run_ns, uint64_t *rest_ns)
{
    const uint64_t slice_most_ns = 50000000u;
    const uint64_t permille_most = 900u;
    uint64_t permille = runtime_ns / (period_ns / 1000u + 1u) * 19u / 20u;
    permille = permille > permille_most ? permille_most : permille;
    permille = permille < 1u ? 1u : permille;
    *run_ns = runtime_ns / 4u < slice_most_ns ? runtime_ns / 4u : slice_most_ns;
    *rest_ns = *run_ns * (1000u - permille) / permille + 1u;
}

/** Keeps the CPUs out of deep idle states until release. What it cannot get it tells by degraded. */
void rts_system_take(void);
void rts_system_degraded(rts_degraded_fn degraded, void *arg);
void rts_system_release(void);

/** Why SCHED_FIFO is refused and the command that grants it, as text for the user. */
void rts_system_realtime_refused(char *text, size_t text_bytes, char *remedy, size_t remedy_bytes);

/** Why memory cannot be locked, likewise. */
void rts_system_lock_refused(char *text, size_t text_bytes, char *remedy, size_t remedy_bytes);

/** Tells every fact that only this system knows. */
void rts_system_describe(rts_fact_fn fact, void *arg);

/**
 * Opens a probe module's device, whose handler answers the measured interrupt from then on (source "probe", the default), and tells
 * whether its interrupts are due on the CPU's counter. RTS_UNSUPPORTED where there are no such modules; why: a constant.
 */
rts_status rts_system_probe_open(const char *path, bool *counter, const char **why);
/** Gives it back, so that another program may use it. */
void rts_system_probe_close(void);
/**
 * Starts and stops a source of which rts_port_timer_answer, which is the system's to provide, does not say RTS_TIMER_ENGINE. So are
 * rts_port_timer_raise, rts_port_timer_wait and rts_port_timer_why_not; a system without such modules says RTS_TIMER_ENGINE of all sources.
 */
rts_status rts_system_probe_start(const rts_timer_spec *spec);
rts_status rts_system_probe_stop(void);

/**
 * Whether there are interrupts for a load: RTS_UNSUPPORTED where no such module is loaded. A system that has them provides
 * rts_port_traffic_start, _wait and _stop too; one that never does returns RTS_UNSUPPORTED from them.
 */
rts_status rts_system_traffic(void);

/**
 * Whether the kernel stamps the boundaries of a wake-up itself: RTS_UNSUPPORTED where it cannot, RTS_DENIED where it may not, and then one
 * sentence why. A system that never does answers RTS_UNSUPPORTED.
 */
rts_status rts_system_split(void);
const char *rts_system_split_why_not(void);

/**
 * Opens a window (window.h) on a device, as rts_window_open (measurements/open_window.h) does. RTS_UNSUPPORTED with an empty name: the
 * spec is of no such kind. A system without any answers that.
 */
struct rts_window;
rts_status rts_system_window_open(struct rts_window *window, const char *spec, uint32_t bits);

/* What a source begins with whose events come from outside, for the measurements of those alone: datagrams, a line, pulses. A place follows. */
#define RTS_SYSTEM_NET_SOURCE "net:"
#define RTS_SYSTEM_GPIO_SOURCE "gpio:"
#define RTS_SYSTEM_PPS_SOURCE "pps:"

/** Whether it is such a source. */
bool rts_system_timer_outside(const char *source);

/** A further source of the measured interrupt: index 0, 1 … until it returns NULL. */
const rts_timer_source *rts_system_timer_source(size_t index);

/**
 * What a room asks of a port that lists `interrupt-split`: the source of that name ("default" is one), the port's own or one of those above;
 * NULL if there is none, or if its handler is in the kernel.
 */
const rts_timer_source *rts_timer_source_find(const char *name);

#endif
