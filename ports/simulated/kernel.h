/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Inside the simulated kernel: tasks, virtual time and the scheduler, for the files of this port only.
 */
#ifndef RTSTONE_SIMULATED_KERNEL_H
#define RTSTONE_SIMULATED_KERNEL_H

#include "rtstone/port.h"
#include "simulated.h"

/** The script's decision on one call, from sim_enter. */
typedef struct sim_verdict {
    rts_status status; /**< not RTS_OK: return it at once */
    bool lost;         /**< do nothing and return RTS_OK */
    bool no_switch;    /**< do not give up the CPU; sim_enter already keeps it from more urgent tasks */
    bool reorder;
} sim_verdict;

extern const sim_script *sim_active;
extern const sim_io *sim_active_io;

/** Counts the call, lets its time pass and says what is to go wrong with it. */
sim_verdict sim_enter(sim_call call);

/** Lets time pass: interrupts and ends of sleep that fall into it happen at their time. */
void sim_advance(rts_ticks ticks);
rts_ticks sim_now(void);

/** The service's status by the script: RTS_OK, RTS_UNSUPPORTED or RTS_DENIED. */
rts_status sim_service(rts_service service);

struct sim_task *sim_current(void);
/** Lets the most urgent ready task run if it is more urgent than the caller. */
void sim_preempt(void);
/** Makes the caller wait in `waiters` until sim_wake_first takes it out. */
void sim_block(struct sim_waiters *waiters);
/** Makes the first waiter ready and returns it; NULL when nobody waits. */
struct sim_task *sim_wake_first(struct sim_waiters *waiters);
/** Raises a task to the level of the caller, if that is higher, wherever it is queued. */
void sim_inherit(struct sim_task *task);
/** Takes a raised task back to its own level. */
void sim_disinherit(struct sim_task *task);

/** Next interrupt of the timer, UINT64_MAX when it is off; and its delivery, at that time. */
rts_ticks sim_timer_due(void);
void sim_timer_deliver(void);
void sim_timer_reset(void);

/** The same for a load's interrupts. */
rts_ticks sim_traffic_due(void);
void sim_traffic_deliver(void);
void sim_traffic_reset(void);

void *sim_memory_take(size_t bytes);
void sim_memory_release(void);

#endif
