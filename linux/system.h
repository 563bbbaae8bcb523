/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The functions that a port needs from its operating system beyond POSIX.1-2008. Linux provides them here.
 *
 * Another system gets a folder of its own next to linux/, with a system.h that has the same names. Each comment states what a hook returns
 * where the system lacks the thing. A hook never guesses.
 */
#ifndef RTSTONE_SYSTEM_H
#define RTSTONE_SYSTEM_H

#include <sys/types.h>
#include <time.h>

#include "rtstone/port.h"

#define RTS_NS_PER_S 1000000000u

/** Highest real-time priority that a port requests: that of the stand-in for an interrupt's handler. Remedies that users read quote it. */
#define RTS_SYSTEM_PRIORITY 95

/** Turns an errno value into a status. */
rts_status rts_system_status(int error);

/** A point of CLOCK_MONOTONIC, or a span, in the type that the system's calls take. */
static inline struct timespec rts_timespec(rts_ticks ns)
{
    const struct timespec when = {.tv_sec = (time_t)(ns / RTS_NS_PER_S), .tv_nsec = (long)(ns % RTS_NS_PER_S)};
    return when;
}

/** Reads a clock of the system, in ns. */
static inline uint64_t rts_system_clock_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * RTS_NS_PER_S + (uint64_t)now.tv_nsec;
}

/** A source of the measured interrupt: a way to sleep until it is due. Used by one thread, which stands in for the handler. */
typedef struct rts_timer_source {
    const char *name;
    /** Acquires the resources of the source. The first expiry is due at `first`, and then one each period. */
    rts_status (*open)(rts_ticks first, rts_ticks period);
    /**
     * Waits for the expiry that is due at `due` and stores the timer clock's reading, its first act after waking. Returns how many
     * expiries have passed: 0 when a signal woke it.
     */
    uint64_t (*wait)(rts_ticks due, rts_ticks *entered);
    void (*close)(void);
} rts_timer_source;

/** Facts of the CPU's counter. */
typedef struct rts_system_counter {
    bool usable;        /**< constant rate, equal on all CPUs, and the kernel's own clock source; false: never used */
    const char *name;   /**< "tsc" */
    uint64_t stated_hz; /**< a frequency that hardware or hypervisor states; 0: neither does */
    const char *stated_by; /**< "CPUID leaf 15h" */
} rts_system_counter;

/** Facts of the CPU's counter. Without one: usable false. */
rts_system_counter rts_system_counter_facts(void);

/** The clock against which the counter is calibrated: one that is never adjusted; CLOCK_MONOTONIC where there is no other. */
clockid_t rts_system_reference_clock(const char **name);

/** A clock that can time a run, but for the CPU's counter. */
typedef struct rts_run_clock {
    const char *name;
    const char *summary;     /**< in a list of clocks */
    const char *source;      /**< of its frequency */
    uint64_t (*open)(void);  /**< makes it readable: its frequency (Hz); 0: it is not here, or there is no permission */
    rts_ticks (*read)(void); /**< only after open was not 0 */
} rts_run_clock;

/** The clocks that are devices of their own, by index; NULL after the last. Whether the machine has one, only its open finds out. */
const rts_run_clock *rts_system_clock_device(size_t index);

/**
 * Queues of System V, beside POSIX's. A queue outlives its creator: create first removes one that a killed engine left behind. A message of a
 * higher priority is received before all others. Messages have at most RTS_MESSAGE_BYTES_MAX bytes.
 */
extern bool
    rts_system_queues; /**< true: queues created from now on are System V's, for the measurements of those alone */
rts_status rts_system_queue_create(int *identifier);
rts_status rts_system_queue_send(int identifier, const void *message, uint32_t bytes, unsigned priority);
/** RTS_BROKEN: a message of another length. */
rts_status rts_system_queue_receive(int identifier, void *message, uint32_t bytes, unsigned *priority);
void rts_system_queue_destroy(int identifier);

/** Number of CPUs that this process may use; 1 where that cannot be known. */
uint32_t rts_system_cpu_count(void);

/** True if a thread can be pinned to that CPU. Without affinity: true for CPU 0 only. */
bool rts_system_cpu_usable(int32_t cpu);

/** The CPU to measure on when the plan leaves it open: an isolated one, else the one with the highest number; 0 without affinity. */
int32_t rts_system_cpu_choice(void);

/** Stores the CPU that a plan names: `wanted`, or the choice above for RTS_CPU_ANY. RTS_INVALID for one that cannot be used. */
rts_status rts_system_cpu_resolve(int32_t wanted, int32_t *actual);

/** Pins the calling thread. RTS_CPU_ANY: unpins it, to all CPUs of the process. RTS_UNSUPPORTED without affinity, unless there is only one CPU. */
rts_status rts_system_pin_self(int32_t cpu);

/** Zeroed memory that children of fork share with the engine; NULL when there is not enough. */
void *rts_system_shared_memory(size_t bytes);

/** Releases the memory that the calling process, just forked, does not use; locks the rest. */
void rts_system_shrink(void);

/** The privileges of this process as hex digits of a bit mask; "0" on a system without names for them. */
const char *rts_system_capabilities(void);

/** Reports, line by line, the system's counts for the whole machine: CPU time, interrupts, load average. Without such counts: no line. */
typedef void (*rts_counter_fn)(void *arg, const char *when, const char *name, const char *text);
void rts_system_counters(rts_counter_fn line, void *arg, const char *when);

/** Kills the caller when `parent` dies, or at once if it has died. RTS_UNSUPPORTED: only the pipes show that death. */
rts_status rts_system_die_with(pid_t parent);

/** Waits until a child of the caller ends. Returns the status that it exits with; RTS_FAILED if a signal ends it. */
rts_status rts_system_process_join(pid_t process);

/** True if a signal has stopped the process, which need not be a child of the caller. On a system that cannot know: false. */
bool rts_system_is_stopped(pid_t process);

/** Number of times that the calling thread gave up the CPU voluntarily. RTS_UNSUPPORTED where the system does not count it per thread. */
rts_status rts_system_switches(uint64_t *voluntary);

/** Makes the privileges effective that this program's file grants (setcap …+p). Called first of all, before any thread is created. */
void rts_system_claim_granted(void);

/** How much of each period real-time threads may run, both in ns. No limit: 0 and 0. */
void rts_system_realtime_limit(uint64_t *runtime_ns, uint64_t *period_ns);

/**
 * How long measured code may hold a CPU below such a limit, and its rest after that, both in ns. A slice is short compared with the period of the
 * kernel's account. All slices stay below 90 % of the CPU, and below the limit: an engine's threads also run a little outside the slice.
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

/** Keeps the CPUs out of deep idle states until release. rts_system_degraded reports a refusal. */
void rts_system_block_deep_idle(void);
void rts_system_degraded(rts_degraded_fn degraded, void *arg);
void rts_system_release(void);

/** Why SCHED_FIFO is refused and the command that grants it, as text for the user. */
void rts_system_realtime_refused(char *text, size_t text_bytes, char *remedy, size_t remedy_bytes);

/** Why memory cannot be locked and the command that allows it, as text for the user. */
void rts_system_lock_refused(char *text, size_t text_bytes, char *remedy, size_t remedy_bytes);

/** Reports every fact that only this system can provide. */
void rts_system_describe(rts_fact_fn fact, void *arg);

/**
 * Opens the device of a probe module, whose handler answers the measured interrupt from then on (source "probe", the default). Stores
 * whether its interrupts are due on the CPU's counter. RTS_UNSUPPORTED where there are no such modules; why: a constant.
 */
rts_status rts_system_probe_open(const char *path, bool *counter, const char **why);
/** Closes the probe module's device, so that another program may use it. */
void rts_system_probe_close(void);
/**
 * Starts and stops a source for which rts_port_timer_answer is not RTS_TIMER_ENGINE. The system provides rts_port_timer_answer, rts_port_timer_raise,
 * rts_port_timer_wait and rts_port_timer_why_not too. On a system without such modules the answer for all sources is RTS_TIMER_ENGINE.
 */
rts_status rts_system_probe_start(const rts_timer_spec *spec);
rts_status rts_system_probe_stop(void);

/**
 * Whether there are interrupts for a load: RTS_UNSUPPORTED where no such module is loaded. A system that has them also provides
 * rts_port_traffic_start, _wait and _stop. On a system that never has them, these return RTS_UNSUPPORTED.
 */
rts_status rts_system_traffic(void);

/**
 * Whether the kernel itself stamps the boundaries of a wake-up. RTS_UNSUPPORTED where it cannot, RTS_DENIED where the engine lacks the permission;
 * rts_system_split_why_not then has one sentence why. A system that never can returns RTS_UNSUPPORTED.
 */
rts_status rts_system_split(void);
const char *rts_system_split_why_not(void);

/**
 * Opens a window (window.h) on a device, as rts_window_open (measurements/open_window.h) does. RTS_UNSUPPORTED with an empty name: the
 * spec names no window of this kind. A system without such windows always returns that.
 */
struct rts_window;
rts_status rts_system_window_open(struct rts_window *window, const char *spec, uint32_t bits);

/* First part of a source's name whose events come from outside (datagrams, a line, pulses, a device), for the measurements of those alone. A place follows. */
#define RTS_SYSTEM_NET_SOURCE "net:"
#define RTS_SYSTEM_GPIO_SOURCE "gpio:"
#define RTS_SYSTEM_PPS_SOURCE "pps:"
#define RTS_SYSTEM_UIO_SOURCE "uio:"

/** Whether the source's events come from outside: its name begins with one of these. */
bool rts_system_timer_outside(const char *source);

/** A further source of the measured interrupt: index 0, 1 … until it returns NULL. */
const rts_timer_source *rts_system_timer_source(size_t index);

/**
 * A port that lists `interrupt-split` provides this: the source of that name ("default" is one), the port's own or one of those above.
 * NULL if there is no such source, or if its handler is in the kernel.
 */
const rts_timer_source *rts_timer_source_find(const char *name);

#endif
