/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The contract between the engine and a port: the functions and types that a kernel must provide to be measured.
 *
 * The linker resolves every function here: none is called through a table, and only the clock readings are inline. A port's folder has
 * include/rtstone_port.h, which this header includes and which defines:
 *
 *   struct rts_thread, rts_semaphore, rts_mutex, rts_queue, rts_blocks   its objects, complete types; no hidden allocation
 *   static inline rts_ticks rts_clock_read(void)        the run's clock, *ordered*: no measured operation leaks past it
 *   static inline rts_ticks rts_timer_clock_read(void)  the clock on which the measured interrupt is timed (may be the same)
 *   RTS_PORT_NAME            "posix"
 *   RTS_PORT_SUB_BITS        histogram resolution: error at most 2^-(SUB_BITS-1); 11 on hosts, 7 on small boards
 *   RTS_PORT_MAX_BITS        histogram range: values below 2^MAX_BITS ticks
 *   RTS_PORT_NEGATIVE_BITS   range of the negative side
 *   RTS_PORT_COUNT_TYPE      uint64_t, or uint32_t where memory is short
 *   RTS_PORT_STATE_BYTES     room for the state of one measurement
 *   RTS_PORT_EXTREMES        K, how many of the largest samples are kept
 *   RTS_PORT_WINDOWS         how many windows the time plot has (even)
 *   RTS_PORT_ITEMS           how many items of a plan fit
 *   RTS_PORT_DELETION        optional: one sentence: how creating a thread differs from the kernel's usual way, and which part of deleting one
 *                            lies outside of the window of create/delete
 *   RTS_PORT_SLICES          optional: the kernel's tick alternates tasks of equal priority; the port has rts_port_slices
 *   RTS_PORT_SERIES          optional: most series of one of the port's own measurements, if one has more than five
 *   RTS_PORT_LOAD_STATE_BYTES optional: room for a load's state, if one of the port's own loads needs more than 4096 bytes
 *   RTS_PORT_RAW_SAMPLES     optional: raw samples of one series that are held between two slices
 *
 * A port that cannot do a thing returns RTS_UNSUPPORTED, never a plausible zero. A first port needs the [required] hooks. The [optional] ones unlock
 * measurements (docs/how-to/add-a-port.md lists which). If a port leaves an optional hook out, engine/absent provides one that returns
 * RTS_UNSUPPORTED. No function here may be called from an ISR unless its comment allows it.
 */
#ifndef RTSTONE_PORT_H
#define RTSTONE_PORT_H

#include "rtstone/types.h"
#include "rtstone_port.h"

/* ---- the target itself ---------------------------------------------------------------------------------------- */

/** Reports one fact of the target. The callee splits long values. */
typedef void (*rts_fact_fn)(void *arg, const char *key, const char *value);

/** Reports one thing that the target cannot provide: reason (a short id), text (one sentence), remedy (a command or ""). */
typedef void (*rts_degraded_fn)(void *arg, const char *reason, const char *text, const char *remedy);

/** [required] Describes the target: kernel, CPU, compiler, what the run changes in the system. Calls `fact` once for each fact. */
void rts_port_describe(rts_fact_fn fact, void *arg);

/** [required] Acquires the resources of a run (locked memory, no deep idle states …) and reports those that were refused. */
rts_status rts_port_prepare(rts_degraded_fn degraded, void *arg);

/** [required] Releases the resources that rts_port_prepare acquired. */
void rts_port_release(void);

/** A clock's facts. */
typedef struct rts_clock_info {
    const char *name;         /**< "tsc", "monotonic", "cntpct" … */
    const char *source;       /**< how hz is known: "definition", "register", "calibrated against …" */
    uint64_t hz;              /**< ticks a second; never 0: an unknown frequency is RTS_BROKEN */
    uint64_t uncertainty_ppb; /**< of hz */
    uint32_t id;              /**< 0: the run's clock; 1: the timer's clock, if that is a different one */
} rts_clock_info;

/** [required] The run's clock. RTS_BROKEN when its frequency cannot be known. */
rts_status rts_port_clock_info(rts_clock_info *info);

/** [required] The clock of the measured interrupt. If it is the run's clock: the same info, including the id. */
rts_status rts_port_timer_clock_info(rts_clock_info *info);

/** [required] RTS_OK if the service exists here, directly or by a substitute; else RTS_UNSUPPORTED or RTS_DENIED. */
rts_status rts_port_supports(rts_service service);

/** [required] The substitute for the service here, one sentence for the table's note. NULL if the kernel has the service itself. */
const char *rts_port_substitute(rts_service service);

/** [required] One sentence why a service is denied or unsupported; NULL when there is nothing to add. */
const char *rts_port_why_not(rts_service service);

/** [required] Number of CPUs that the run may use, at least 1. */
uint32_t rts_port_cpu_count(void);

/** [required] The CPU for the `cpu` of a plan (resolves RTS_CPU_ANY); RTS_INVALID if it does not exist. */
rts_status rts_port_cpu_resolve(int32_t wanted, int32_t *actual);

/** [required] The kernel's own number for a priority, as reported in `begin`. */
int32_t rts_port_priority_native(rts_priority priority, rts_sched sched);

/* ---- bytes in and out, never inside a measured window --------------------------------------------------------- */

/** [required] Writes to the record stream. RTS_FAILED when there is no reader any more: the engine then ends. */
rts_status rts_port_console_write(const char *bytes, size_t count);

/** [required] Next bytes of the plan: > 0 a count, 0 the end (or no plan), < 0 an error. */
long rts_port_plan_read(char *buffer, size_t room);

/** [required] True when the user or the host asked the run to end. The engine checks it between slices. */
bool rts_port_interrupted(void);

/** [required] Prints the reason and ends the engine. Does not return. ISR-safe. */
_Noreturn void rts_port_fatal(const char *why);

/* ---- memory --------------------------------------------------------------------------------------------------- */

/**
 * [required] The block that holds all state of a run: zeroed, at least `bytes` long, aligned for any type, and shared with threads that have an
 * address space of their own. Called once, before the first measurement. NULL when there is not enough memory.
 */
void *rts_port_memory(size_t bytes);

/** [optional] Writes back and invalidates the data caches over the engine's working set. */
rts_status rts_port_cache_flush(void);

/* ---- threads -------------------------------------------------------------------------------------------------- */

/**
 * [required] Creates a thread that runs entry(arg). A return from entry ends it. The object must live until join. The port provides the stack: 4 KiB
 * are enough for all measuring code on a 32-bit target. (The port of a board whose kernel takes stacks from its caller has board_stack_take.)
 */
rts_status rts_port_thread_create(struct rts_thread *thread, const rts_thread_attr *attr, void (*entry)(void *),
                                  void *arg);

/**
 * [required] Waits for the thread's end, completes its deletion and frees its resources. Always outside measured windows. If another thread must
 * delete it on this kernel, that happens here, and RTS_PORT_DELETION states it.
 */
rts_status rts_port_thread_join(struct rts_thread *thread);

/** [optional] Gives the CPU to the next ready thread of the same priority. */
rts_status rts_port_yield(void);

#ifdef RTS_PORT_SLICES
/** [optional] Stops the kernel's tick (false) or lets it run (true), for measurements that count switches: ticks add some. No thread sleeps then. */
void rts_port_slices(bool on);
#endif

/** [optional] Suspends a thread that is not the caller. */
rts_status rts_port_thread_suspend(struct rts_thread *thread);

/** [optional] Suspends the calling thread until it is resumed. */
rts_status rts_port_thread_suspend_self(struct rts_thread *self);

/** [optional] Resumes a suspended thread; if its priority is higher, it runs at once. */
rts_status rts_port_thread_resume(struct rts_thread *thread);

/** [optional] True once the thread is known to be suspended (where suspension takes effect later, as with SIGSTOP). */
bool rts_port_thread_is_suspended(struct rts_thread *thread);

/** [optional] Number of times that the calling thread gave up the CPU voluntarily since it began. */
rts_status rts_port_switch_count(uint64_t *voluntary);

/** [optional] CPU time that a thread has used, in nanoseconds. Valid after its join too, until the object is used again. */
rts_status rts_port_thread_cpu_ns(struct rts_thread *thread, uint64_t *cpu_ns);

/** [required] Sleeps until the run's clock reads `when` or later. */
rts_status rts_port_sleep_until(rts_ticks when);

/**
 * [required] Longest time that measured code may hold a CPU before it must rest, and the length of that rest. Both are in ticks of the run's
 * clock; 0 and 0 when there is no such limit. (Linux stops real-time threads that use more than sched_rt_runtime_us of each period.)
 */
void rts_port_duty(rts_ticks *run, rts_ticks *rest);

/*
 * ---- semaphores, mutexes, queues, memory blocks ---------------------------------------------------------------
 *
 * An object must be destroyed before its memory is used for anything else: a kernel may keep lists of its objects.
 */

/**
 * [required] Creates a counting semaphore for threads of one address space. No measurement gives more than `maximum`; a port need not report what its
 * kernel does with a give beyond it.
 */
rts_status rts_port_semaphore_create(struct rts_semaphore *semaphore, uint32_t initial, uint32_t maximum);
/** The kind that processes can share. A port whose kernel has two kinds defines RTS_PORT_SHARED_SEMAPHORES and this function. */
#ifdef RTS_PORT_SHARED_SEMAPHORES
rts_status rts_port_semaphore_create_shared(struct rts_semaphore *semaphore, uint32_t initial, uint32_t maximum);
#else
static inline rts_status rts_port_semaphore_create_shared(struct rts_semaphore *semaphore, uint32_t initial,
                                                          uint32_t maximum)
{
    return rts_port_semaphore_create(semaphore, initial, maximum);
}
#endif
rts_status rts_port_semaphore_take(struct rts_semaphore *semaphore);     /**< [required] blocks until it has one */
rts_status rts_port_semaphore_give(struct rts_semaphore *semaphore);     /**< [required] */
rts_status rts_port_semaphore_give_isr(struct rts_semaphore *semaphore); /**< [optional] from the measured ISR */
void rts_port_semaphore_destroy(struct rts_semaphore *semaphore);        /**< [required] */

rts_status rts_port_mutex_create(struct rts_mutex *mutex, rts_protocol protocol); /**< [optional] */
rts_status rts_port_mutex_lock(struct rts_mutex *mutex);                          /**< [optional] */
rts_status rts_port_mutex_unlock(struct rts_mutex *mutex);                        /**< [optional] */
void rts_port_mutex_destroy(struct rts_mutex *mutex);                             /**< [optional] */

/**
 * [optional] Creates a queue of `depth` messages of `message_bytes` each (at most RTS_MESSAGE_BYTES_MAX, a multiple of RTS_MESSAGE_ALIGNMENT).
 * Messages are copied. Sender and receiver align their buffers to RTS_MESSAGE_ALIGNMENT, because some kernels copy words.
 */
rts_status rts_port_queue_create(struct rts_queue *queue, uint32_t depth, uint32_t message_bytes);
rts_status rts_port_queue_send(struct rts_queue *queue, const void *message);        /**< [optional] to the tail */
rts_status rts_port_queue_send_urgent(struct rts_queue *queue, const void *message); /**< [optional] to the head */
rts_status rts_port_queue_receive(struct rts_queue *queue, void *message); /**< [optional] blocks while empty */
void rts_port_queue_destroy(struct rts_queue *queue);                      /**< [optional] */

#define RTS_MESSAGE_BYTES_MAX 16u
#define RTS_MESSAGE_ALIGNMENT 4u
#define RTS_QUEUE_DEPTH 8u /**< depth that every queue measurement uses, so that kernels compare */

/** [optional] Creates a partition of `count` blocks of `bytes` each. */
rts_status rts_port_blocks_create(struct rts_blocks *blocks, uint32_t count, uint32_t bytes);
rts_status rts_port_block_alloc(struct rts_blocks *blocks, void **block); /**< [optional] */
rts_status rts_port_block_free(struct rts_blocks *blocks, void *block);   /**< [optional] */
void rts_port_blocks_destroy(struct rts_blocks *blocks);                  /**< [optional] */

#define RTS_BLOCK_COUNT 16u /**< blocks of every partition that is measured, so that kernels compare */
#define RTS_BLOCK_BYTES 64u

/* ---- the measured interrupt ----------------------------------------------------------------------------------- */

/**
 * The port's interrupt handler (or its stand-in) calls this at each expiry, at the target's highest interrupt priority.
 * asserted: the timer clock's value at which the expiry was due. entered: its value in the handler's first instruction, so that
 * entered − asserted is the interrupt latency. A late handler calls it once for every period, each time with that period's `asserted`.
 */
typedef void (*rts_isr)(void *arg, rts_ticks asserted, rts_ticks entered);

/** How a kernel's own handler passes the interrupt on. */
typedef enum rts_timer_path {
    RTS_TIMER_DIRECT = 0, /**< the handler releases the semaphore */
    RTS_TIMER_DEFERRED,   /**< the handler leaves that to a bottom half; the source's name contains the kind of it */
    RTS_TIMER_SIGNALLED   /**< the bottom half sends a signal; its handler in user space releases the semaphore */
} rts_timer_path;

/** Settings of the measured interrupt. */
typedef struct rts_timer_spec {
    rts_ticks period;    /**< in ticks of the timer's clock, at least 1 */
    rts_ticks phase;     /**< from start to the first expiry, in addition to one period */
    const char *source;  /**< "default" or a name that the port knows */
    int32_t cpu;         /**< resolved CPU */
    rts_sched sched;     /**< class of the stand-in for the handler, where it is a thread */
    rts_timer_path path; /**< only for a handler in the kernel; elsewhere the engine's own threads are the path */
    bool unstamped;      /**< likewise: no clock is read between the handler's first reading and the task's own */
} rts_timer_spec;

rts_status rts_port_timer_start(const rts_timer_spec *spec, rts_isr isr, void *arg); /**< [optional] */
rts_status rts_port_timer_stop(void); /**< [optional] after it returns, isr is not called again */

/*
 * A thread that stands in for the handler may never catch up, and would then keep other threads off the CPU. Such a thread may have to rest. A port
 * whose stand-in rests defines RTS_PORT_TIMER_RESTS and reports the number of rests.
 */
#ifdef RTS_PORT_TIMER_RESTS
/** [optional] True if that thread arms the timer of the next period after it has released the task, before this can run. */
bool rts_port_timer_arms(const char *source);

/**
 * [optional] Rests since rts_port_timer_start; call it after the stop. The latencies of the periods that a rest delayed include it. rest_us: intended
 * length of one rest, in microseconds.
 */
uint64_t rts_port_timer_rests(uint32_t *rest_us);
#endif

/** For a handler that times how long it is behind: true if it was entered when the next period was due already. An early entry is not behind. */
static inline bool rts_behind(rts_ticks due, rts_ticks entered, rts_ticks period)
{
    return entered >= due + period;
}

/* Where `entered` is read. Reports compare only measurements that read it at the same place. */
#define RTS_ENTERED_VECTOR "vector"   /**< at the processor's vector, before any dispatch code */
#define RTS_ENTERED_HANDLER "handler" /**< first in the handler that the dispatch calls */
#define RTS_ENTERED_THREAD "thread"   /**< no handler of ours: first in a thread that the kernel's handler woke */

/** [required] Where `entered` is read for that source: one of RTS_ENTERED_…. */
const char *rts_port_timer_entered(const char *source);

/*
 * A port whose `entered` is not read at the vector, but that reads the clock there too, defines RTS_PORT_TIMER_VECTOR and
 *   static inline rts_ticks rts_port_timer_vector(void)   of the interrupt whose isr is being called
 */

/** All clock readings of one interrupt on its way, on the timer's clock. 0: it does not pass there, or the clock is not read there. */
typedef struct rts_timer_stamps {
    rts_ticks asserted;
    rts_ticks entered;  /**< the handler's first reading */
    rts_ticks deferred; /**< the bottom half's */
    rts_ticks routine;  /**< that of a user-level interrupt service routine */
    rts_ticks released; /**< just before the semaphore was released, by the last of these three */
    rts_ticks resumed;  /**< the waiting task's, its first act after its wait */
    uint64_t lost;      /**< interrupts since start for which there was no room */
} rts_timer_stamps;

/*
 * Sources whose handler is part of a kernel that does not contain the engine (a probe module). A port with such a source defines
 * RTS_PORT_TIMER_WAITS in rtstone_port.h and provides these three functions. For such a source isr is never called: the kernel's handler stamps each
 * interrupt and releases a semaphore of the kernel, on which the caller of rts_port_timer_wait sleeps. The code of the operating system below the
 * port (linux/) may provide them for the port.
 */

/** Who handles the interrupts of a source, and who raises them. */
typedef enum rts_timer_answer {
    RTS_TIMER_ENGINE = 0,   /**< the engine handles them, with the function given to rts_port_timer_start */
    RTS_TIMER_KERNEL,       /**< the kernel handles them */
    RTS_TIMER_KERNEL_RAISED /**< the kernel handles them, and an interrupt comes only when the measuring task raises it */
} rts_timer_answer;

/** [optional] Who handles that source. Called only if RTS_PORT_TIMER_WAITS is defined, like the next two functions. */
rts_timer_answer rts_port_timer_answer(const char *source);

/** [optional] Raises one interrupt of an RTS_TIMER_KERNEL_RAISED source; `asserted` is the moment at which the source raises it. */
rts_status rts_port_timer_raise(void);

/**
 * [optional] Waits for the next interrupt since rts_port_timer_start, reads the clock (`resumed`), and only then fetches the other readings of that
 * interrupt. No interrupt is left out, however late the caller is.
 */
rts_status rts_port_timer_wait(rts_timer_stamps *stamps);

/**
 * [optional] Why the source and the path in `spec` are not possible here, and the remedy: one sentence, a constant. NULL: they are possible.
 * in_kernel: only a kernel's handler is acceptable.
 */
const char *rts_port_timer_why_not(const rts_timer_spec *spec, bool in_kernel);

/* ---- what the system counted meanwhile ------------------------------------------------------------------------- */

/*
 * A port whose system keeps counts that can explain a bad sample (interrupts, steal, page faults …) defines RTS_PORT_WATCHES and provides these two.
 * The engine calls them before an item's first operation and after its last, never between.
 */
#ifdef RTS_PORT_WATCHES
/** One count: `name` and `unit` are constants. A value above `most` makes the item invalid (UINT64_MAX: no bound). */
typedef void (*rts_watch_fn)(void *arg, const char *name, const char *unit, uint64_t value, uint64_t most);

/** [optional] Reads all counts at the start of an item; cpu: resolved. */
void rts_port_watch_begin(int32_t cpu);

/** [optional] Reports what was counted since rts_port_watch_begin, and values of the moment (a frequency, a limit). */
void rts_port_watch_end(rts_watch_fn tell, void *arg);
#endif

/* ---- a host that is elsewhere ------------------------------------------------------------------------------------ */

#ifdef RTS_PORT_GATES
/** [optional] Called before each item; returns when it may begin. A port whose host is never reached by network leaves RTS_PORT_GATES undefined. */
void rts_port_gate(uint32_t item);
#endif

/* ---- interrupts beside the measured one, for a load ------------------------------------------------------------ */

/** Source of a load's interrupts. Both are below the measured interrupt if the target has interrupt priorities. */
typedef enum rts_traffic_source {
    RTS_TRAFFIC_TIMER = 0, /**< a second timer; its handler writes one byte to a serial line */
    RTS_TRAFFIC_LINE,      /**< that line's receiver, which gets the byte back */
    RTS_TRAFFIC_SOURCES
} rts_traffic_source;

/** Settings of a load's interrupts. probe/rtstone_traffic.h draws the timer's intervals from seed, the same on every kernel. */
typedef struct rts_traffic_spec {
    uint32_t rate_hz; /**< interrupts of the timer a second, on average; at least 1 */
    uint64_t seed;
    int32_t cpu; /**< resolved CPU */
    /** NULL for threads that wait. On a target without threads: called in the interrupt with each event; no thread waits then. */
    void (*consume)(void *arg, rts_traffic_source source, uint8_t byte);
    void *arg;
} rts_traffic_spec;

/** The result of a load's interrupts. An event is an expiry of the timer, or a byte that came back. */
typedef struct rts_traffic_counts {
    uint64_t interrupts[RTS_TRAFFIC_SOURCES]; /**< handlers that ran; the receiver's may take several bytes at once */
    uint64_t events[RTS_TRAFFIC_SOURCES];     /**< waited for, or lost */
    uint64_t lost[RTS_TRAFFIC_SOURCES]; /**< events for which there was no room: their consumer was too far behind */
    uint64_t sent;                      /**< bytes written; those that never came back overran the receiver */
} rts_traffic_counts;

rts_status rts_port_traffic_start(const rts_traffic_spec *spec); /**< [optional] */
/**
 * [optional] Waits until the source's handler has released the semaphore of its next event; one thread per source. After stop it returns the
 * remaining events, then RTS_INTERRUPTED once.
 */
rts_status rts_port_traffic_wait(rts_traffic_source source, uint8_t *byte);
rts_status rts_port_traffic_stop(rts_traffic_counts *counts); /**< [optional] no handler runs once it returns */

#endif
