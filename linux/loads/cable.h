/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two network devices of this machine joined by a cable, one of them in a name space of its own: the common part of loads that use them.
 */
#ifndef RTSTONE_CABLE_H
#define RTSTONE_CABLE_H

#include <netinet/in.h>
#include <stdatomic.h>

#include "links.h"
#include "rtstone/load.h"

#define RTS_CABLE_PATIENCE_MS 10 /* a wait on a socket: a stop waits for its end */
#define RTS_CABLE_NEEDS                                                                                                \
    "no network devices are set aside for it on the kernel's command line (rtstone.network=near,far,line), as the "    \
    "boards' are; network-virtual does without"

#define RTS_CABLE_NEAR_ADDRESS 0x0a570001u /* 10.87.0.1 */

enum { RTS_CABLE_NEAR, RTS_CABLE_FAR, RTS_CABLE_LINE, RTS_CABLE_DEVICES };

/** A process of the load. */
typedef struct rts_cable_program {
    struct rts_thread thread;
    bool made;
} rts_cable_program;

/** The state of both ends, shared by all processes of the load. */
typedef struct rts_cable {
    _Atomic bool stop;
    _Atomic bool failed;      /**< a process could not do its part */
    _Atomic int far_process;  /**< its name space is made */
    _Atomic bool far_is_up;   /**< and answers */
    _Atomic int near_process; /**< of a virtual cable: whose name space the near end is in; 0: this machine's own */
    _Atomic bool near_is_up;  /**< of a virtual cable */
    bool is_virtual;
    bool is_outside; /**< the far end is out of the board */
    int terminal;    /**< the other side of the pseudo-terminal that stands in for a line; -1: no pseudo-terminal */
    rts_cable_program near_end;
    rts_cable_program reader;
    link_names names;
    uint64_t interrupts[RTS_CABLE_DEVICES];
    rts_ticks began;
    rts_ticks ended;
} rts_cable;

/** RTS_UNSUPPORTED where nothing is set aside. */
rts_status rts_cable_init(rts_cable *own);

/** In its place where a device leads out of the board: it can only be counted. RTS_UNSUPPORTED where none does. */
rts_status rts_cable_init_outside(rts_cable *own);

/** For a load that keeps the far device beyond its stop: `release` gives it back, and is called when another load wants it. NULL: it is back. */
void rts_cable_keep(void (*release)(void));

/** Makes a process that runs entry(arg) at the load's priority; arg lies in the load's state. */
rts_status rts_cable_make(rts_cable_program *one, void (*entry)(void *), void *arg, int32_t cpu);

/** Waits for its end, if it was made. */
void rts_cable_end(rts_cable_program *one);

bool rts_cable_over(const rts_cable *own);

/** Waits until it holds. RTS_FAILED when it does not in good time, or a process has failed. */
rts_status rts_cable_until(const rts_cable *own, bool (*holds)(const void *arg), const void *arg);

/** Waits until both devices are here: another load's far end may just have ended. */
rts_status rts_cable_free(const rts_cable *own);

/** Gives the far device to the process that calls rts_cable_enter_far(), and waits until both ends are up. */
rts_status rts_cable_connect(rts_cable *own);

/** Parts the two ends, which `far_end`, made here to run entry(arg), takes part in. On RTS_OK both are up. */
rts_status rts_cable_join(rts_cable *own, rts_cable_program *far_end, void (*entry)(void *), void *arg, int32_t cpu);

/**
 * Alternative to rts_cable_init: a cable between two name spaces of processes of the load (veth), and a pseudo-terminal whose reader is as fast as a
 * line of 115200 baud. Both are invisible from outside. rts_cable_close() ends it.
 */
rts_status rts_cable_init_virtual(rts_cable *own, int32_t cpu);

/** The pseudo-terminal by itself, under names.line, and its reader. */
rts_status rts_cable_terminal(rts_cable *own, int32_t cpu);

/** After rts_cable_stop(), when all other processes have ended: `terminal` was -1 before it was opened. */
void rts_cable_close(rts_cable *own);

/** Called by each process of the near end before it makes a socket: takes it to where the near end is. */
bool rts_cable_enter_near(rts_cable *own);

/** Gives the calling process, which is to be the near end of a virtual cable, a network name space that the others can enter. */
bool rts_cable_own_space(void);

/** Called by the far end's process: takes the far device to a name space of its own. False when that fails or all is over. */
bool rts_cable_enter_far(rts_cable *own);

/** All flows: figures count from here on. */
void rts_cable_begin(rts_cable *own);

/** Ends counting, and sets the flag that makes every process end. */
void rts_cable_stop(rts_cable *own);

/** Reports the interrupts of near end, far end and line, the totals and per second, and `elapsed_ns`. */
void rts_cable_achieved(const rts_cable *own, rts_load_fact_fn fact, void *arg);

/** The far end's address, for a port of it. */
struct sockaddr_in rts_cable_far(uint16_t port);

/** Bounds each wait on a socket by RTS_CABLE_PATIENCE_MS. */
void rts_cable_limit_waits(int socket_);

#endif
