/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two network devices joined by a cable: parted into two name spaces, brought up, and their interrupts counted.
 */
#include "cable.h"

#include <arpa/inet.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "programs.h"

#define FAR 0x0a570002u
#define SET_UP_S 20u

bool rts_cable_over(const rts_cable *own)
{
    return atomic_load_explicit(&own->stop, memory_order_relaxed);
}

struct sockaddr_in rts_cable_far(uint16_t port)
{
    const struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(FAR)};
    return address;
}

void rts_cable_limit_waits(int socket_)
{
    const struct timeval patience = {.tv_sec = 0, .tv_usec = RTS_CABLE_PATIENCE_MS * 1000L};
    (void)setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

/* ---- processes ------------------------------------------------------------------------------------------------- */

rts_status rts_cable_make(rts_cable_program *one, void (*entry)(void *), void *arg, int32_t cpu)
{
    const rts_status status = rts_programs_make(&one->thread, entry, arg, cpu);
    one->made = status == RTS_OK;
    return status;
}

void rts_cable_end(rts_cable_program *one)
{
    if (one->made && rts_port_thread_join(&one->thread) != RTS_OK) {
        rts_port_fatal("a program of the load cannot be ended");
    }
    one->made = false;
}

rts_status rts_cable_until(const rts_cable *own, bool (*holds)(const void *arg), const void *arg)
{
    rts_clock_info clock;
    if (rts_port_clock_info(&clock) != RTS_OK) {
        return RTS_BROKEN;
    }
    for (uint32_t tries = 0; tries < SET_UP_S * 100u; tries++) {
        if (holds(arg)) {
            return RTS_OK;
        }
        if (atomic_load(&own->failed)) {
            return RTS_FAILED;
        }
        (void)rts_port_sleep_until(rts_clock_read() + clock.hz / 100u);
    }
    return RTS_FAILED;
}

/* ---- the two ends ---------------------------------------------------------------------------------------------- */

/** Gives the devices back; NULL: nobody has kept them. */
static void (*give_back)(void);

void rts_cable_keep(void (*release)(void))
{
    give_back = release;
}

rts_status rts_cable_init(rts_cable *own)
{
    return link_names_read(&own->names) ? RTS_OK : RTS_UNSUPPORTED;
}

rts_status rts_cable_init_outside(rts_cable *own)
{
    own->is_outside = link_outside_read(&own->names);
    return own->is_outside ? RTS_OK : RTS_UNSUPPORTED;
}

static bool both_are_here(const void *arg)
{
    const rts_cable *own = arg;
    /* When a far end is gone, its device comes back; that takes the kernel a while. */
    return link_exists(own->names.far_name) && link_exists(own->names.near_name);
}

static bool far_is_made(const void *arg)
{
    const rts_cable *own = arg;
    return atomic_load(&own->far_process) != 0;
}

static bool far_is_up(const void *arg)
{
    const rts_cable *own = arg;
    const bool near_runs = own->is_virtual ? atomic_load(&own->near_is_up) : link_runs(own->names.near_name);
    return atomic_load(&own->far_is_up) && near_runs;
}

rts_status rts_cable_free(const rts_cable *own)
{
    return rts_cable_until(own, both_are_here, own);
}

rts_status rts_cable_connect(rts_cable *own)
{
    const rts_status status = rts_cable_until(own, far_is_made, own);
    if (status != RTS_OK) {
        return status;
    }
    if (!own->is_virtual && (!link_move(own->names.far_name, (pid_t)atomic_load(&own->far_process)) ||
                             !link_up(own->names.near_name, RTS_CABLE_NEAR_ADDRESS))) {
        return RTS_FAILED;
    }
    return rts_cable_until(own, far_is_up, own);
}

rts_status rts_cable_join(rts_cable *own, rts_cable_program *far_end, void (*entry)(void *), void *arg, int32_t cpu)
{
    if (give_back != NULL && !own->is_virtual) {
        give_back();
    }
    rts_status status = own->is_virtual ? RTS_OK : rts_cable_free(own);
    if (status == RTS_OK) {
        status = rts_cable_make(far_end, entry, arg, cpu);
    }
    return status == RTS_OK ? rts_cable_connect(own) : status;
}

bool rts_cable_enter_far(rts_cable *own)
{
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = 1000000};
    if ((own->is_virtual && !rts_cable_enter_near(own)) || unshare(CLONE_NEWNET) != 0) {
        return false;
    }
    atomic_store(&own->far_process, (int)getpid());
    while (!rts_cable_over(own) && !link_exists(own->names.far_name)) {
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
    }
    return !rts_cable_over(own) && link_up(own->names.far_name, FAR);
}

/* ---- figures --------------------------------------------------------------------------------------------------- */

static void read_interrupts(const rts_cable *own, uint64_t *counts)
{
    const char *const line = strrchr(own->names.line, '/');
    counts[RTS_CABLE_NEAR] = link_interrupts(own->names.near_name);
    counts[RTS_CABLE_FAR] = link_interrupts(own->names.far_name);
    counts[RTS_CABLE_LINE] = link_interrupts(line == NULL ? own->names.line : line + 1);
}

void rts_cable_begin(rts_cable *own)
{
    read_interrupts(own, own->interrupts);
    own->began = rts_clock_read();
}

void rts_cable_stop(rts_cable *own)
{
    uint64_t now[RTS_CABLE_DEVICES];
    own->ended = rts_clock_read();
    read_interrupts(own, now);
    for (size_t i = 0; i < RTS_CABLE_DEVICES; i++) {
        own->interrupts[i] = now[i] - own->interrupts[i];
    }
    atomic_store(&own->stop, true);
}

void rts_cable_achieved(const rts_cable *own, rts_load_fact_fn fact, void *arg)
{
    static const char *const names[RTS_CABLE_DEVICES][2] = {
        [RTS_CABLE_NEAR] = {"near_interrupts", "near_interrupts_per_s"},
        [RTS_CABLE_FAR] = {"far_interrupts", "far_interrupts_per_s"},
        [RTS_CABLE_LINE] = {"line_interrupts", "line_interrupts_per_s"},
    };
    const uint64_t elapsed_ns = rts_load_ns(own->ended - own->began);
    /* A virtual cable interrupts nobody, and of one that leads out of the board only the near end is seen. */
    const size_t devices = own->is_virtual ? 0u : own->is_outside ? RTS_CABLE_NEAR + 1u : RTS_CABLE_DEVICES;
    for (size_t i = 0; i < devices; i++) {
        fact(arg, names[i][0], own->interrupts[i]);
    }
    for (size_t i = 0; i < devices; i++) {
        fact(arg, names[i][1], rts_load_per_s(own->interrupts[i], elapsed_ns));
    }
    if (own->is_outside && own->names.line[0] != '\0') { /* the line is here, though */
        fact(arg, names[RTS_CABLE_LINE][0], own->interrupts[RTS_CABLE_LINE]);
        fact(arg, names[RTS_CABLE_LINE][1], rts_load_per_s(own->interrupts[RTS_CABLE_LINE], elapsed_ns));
    }
    fact(arg, "elapsed_ns", elapsed_ns);
}
