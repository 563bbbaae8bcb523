/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * INFN Tables 3 to 6: transfers by TCP and UDP on one node, over a link within this machine, and to and from another host.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../system.h"
#include "boot_number.h"
#include "common/state.h"
#include "common/worker.h"
#include "links.h"
#include "network.h"

#define BLOCK 4096u          /* the paper's: FDDI's frame */
#define WINDOW (56u * 1024u) /* the paper's */
#define SMALL_WINDOW (8u * 1024u)
#define TRANSFER_MS 200u
#define WARMING_MS 5u

#define LOOPBACK 0x7f000001u
#define NEAR 0x0a570101u /* 10.87.1.1, seen by the two name spaces alone */
#define FAR 0x0a570102u

typedef enum place { ONE_CPU, TWO_CPUS, LINK, PEER } place;

/** How the measurements differ. */
typedef struct way {
    place place;
    net_protocol protocol;
    uint32_t window;
    bool backwards;
    bool loops;
} way;

typedef struct state {
    rts_worker worker; /**< the near end: a process */
    const way *way;
    struct rts_thread far;
    bool far_made;
    pid_t far_process; /**< written by that process itself, before its first line */
    bool constants_told;
    int ends[2]; /**< of the control stream, near and far; never reset: a far end may begin after the near one's end */
    net_end near_end;
    net_end far_end;
    uint64_t machine; /**< the peer's; 0: not known */
    char why[200];
} state;

RTS_STATE_FITS(state);

/* ---- the far end: a process beside the near one, its child ---------------------------------------------------- */

static void far_main(void *arg)
{
    state *own = arg;
    own->far_process = getpid();
    char line[NET_LINE_BYTES];
    /* The inherited copy of the near end's socket: while it is open, the stream never ends for this process. */
    (void)close(own->ends[0]);
    net_patience(own->ends[1]);
    if (own->way->place == LINK) {
        if (!net_unshare() || !net_line_write(own->ends[1], "apart\n") || !net_line_read(own->ends[1], line) ||
            !link_up("rtstone1", FAR) || !net_line_write(own->ends[1], "up\n")) {
            return;
        }
    }
    /* Any time may pass between two transfers. The near end's death closes the stream. */
    const struct timeval for_ever = {0, 0};
    (void)setsockopt(own->ends[1], SOL_SOCKET, SO_RCVTIMEO, &for_ever, sizeof for_ever);
    net_serve(&own->far_end);
}

static rts_status link_near(rts_run *run, state *own)
{
    char line[NET_LINE_BYTES];
    if (!net_line_write(own->near_end.control, "made\n") || !link_up("rtstone0", NEAR) ||
        !net_line_read(own->near_end.control, line)) {
        rts_run_why(run, "the two ends of the veth pair did not come up");
        return RTS_FAILED;
    }
    for (int i = 0; i < 1000 && !link_runs("rtstone0"); i++) {
        (void)usleep(1000);
    }
    return RTS_OK;
}

static rts_status start_far(rts_run *run, state *own)
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, own->ends) != 0) {
        return rts_system_status(errno);
    }
    own->near_end.control = own->ends[0];
    own->far_end.control = own->ends[1];
    net_patience(own->ends[0]);
    rts_thread_attr attr = rts_run_thread(run, "far end", RTS_PRIORITY_MIDDLE);
    attr.space = RTS_SPACE_OWN;
    attr.cpu = own->far_end.cpu;
    const rts_status status = rts_port_thread_create(&own->far, &attr, far_main, own);
    (void)close(own->ends[1]);
    own->far_made = status == RTS_OK;
    return status;
}

/* ---- the near end, in its own process ------------------------------------------------------------------------- */

static rts_status begin_beside(rts_run *run, state *own)
{
    const bool link = own->way->place == LINK;
    const pid_t engine = getppid();
    if (link && !net_unshare()) {
        rts_run_why(run,
                    "no network name space may be made here (unshare is refused); remedy: sudo sysctl "
                    "kernel.unprivileged_userns_clone=1, or sudo setcap cap_sys_admin,cap_net_admin+p of the engine");
        return RTS_DENIED;
    }
    if (link && rts_system_die_with(engine) != RTS_OK) { /* the change of credentials has undone that request */
        return RTS_FAILED;
    }
    own->near_end.own = link ? NEAR : LOOPBACK;
    own->near_end.other = link ? FAR : LOOPBACK;
    own->far_end.own = own->near_end.other;
    own->far_end.other = own->near_end.own;
    rts_status status = start_far(run, own);
    if (status != RTS_OK || !link) {
        return status;
    }
    char line[NET_LINE_BYTES];
    if (!net_line_read(own->near_end.control, line)) {
        rts_run_why(run, "a second network name space could not be made");
        return RTS_DENIED;
    }
    if (!net_link_make("rtstone0", "rtstone1", (int)own->far_process)) {
        rts_run_why(run, "this kernel makes no veth pair (module veth); remedy: sudo modprobe veth");
        return errno == EPERM ? RTS_DENIED : RTS_UNSUPPORTED;
    }
    return link_near(run, own);
}

static rts_status begin_with_peer(rts_run *run, state *own)
{
    const rts_status status = net_meet_peer(&own->near_end, &own->machine, own->why, sizeof own->why);
    if (status != RTS_OK) {
        rts_run_why(run, own->why);
    }
    return status;
}

static rts_status begin(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)count;
    (void)total;
    state *own = rts_run_state(run);
    return own->way->place == PEER ? begin_with_peer(run, own) : begin_beside(run, own);
}

static rts_status finish(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)count;
    (void)total;
    state *own = rts_run_state(run);
    if (own->near_end.control > 0) {
        (void)close(own->near_end.control);
        own->near_end.control = -1;
    }
    return own->far_made ? rts_port_thread_join(&own->far) : RTS_OK;
}

static void tell_cpu(rts_run *run, bool sender, const net_account *of)
{
    rts_run_figure(run, sender ? "sender_cpu_ns" : "receiver_cpu_ns", "ns", of->cpu_ns);
    rts_run_figure(run, sender ? "sender_cpu_busy_ns" : "receiver_cpu_busy_ns", "ns", of->busy_ns);
    rts_run_figure(run, sender ? "sender_cpu_irq_ns" : "receiver_cpu_irq_ns", "ns", of->irq_ns);
    rts_run_figure(run, sender ? "sender_cpu_all_ns" : "receiver_cpu_all_ns", "ns", of->all_ns);
}

/** Reports the use of the CPU or CPUs that the two ends on this node had, each counted once. */
static void tell_node(rts_run *run, const state *own, const net_account *sender, const net_account *receiver)
{
    const bool two = own->near_end.cpu != own->far_end.cpu && receiver->all_ns != 0;
    /* The receiver of datagrams waits for a while after the sender's end: its share is scaled to the sender's time. */
    const uint64_t busy = two ? receiver->busy_ns * sender->all_ns / receiver->all_ns : 0u;
    const uint64_t irq = two ? receiver->irq_ns * sender->all_ns / receiver->all_ns : 0u;
    rts_run_figure(run, "node_busy_ns", "ns", sender->busy_ns + busy);
    rts_run_figure(run, "node_irq_ns", "ns", sender->irq_ns + irq);
}

/** Reports, once, the values that are the same for all transfers. Figures are added up, so a second report would be wrong. */
static void tell_constants(rts_run *run, state *own, const net_account *sender, const net_account *receiver)
{
    if (own->constants_told || rts_run_warming(run)) {
        return;
    }
    own->constants_told = true;
    const bool backwards = own->way->backwards;
    rts_run_figure(run, "block_bytes", "bytes", BLOCK);
    rts_run_figure(run, "window_bytes", "bytes", own->way->window);
    rts_run_figure(run, "send_buffer_bytes", "bytes", sender->send_buffer);
    rts_run_figure(run, "receive_buffer_bytes", "bytes", receiver->receive_buffer);
    rts_run_figure(run, backwards ? "receiver_cpu" : "sender_cpu", "number", (uint64_t)own->near_end.cpu);
    if (own->way->place != PEER) {
        rts_run_figure(run, "receiver_cpu", "number", (uint64_t)own->far_end.cpu);
    } else if (own->machine != 0) { /* 0: an older peer, which has no number */
        rts_run_figure(run, "peer_elsewhere", "number", own->machine != rts_boot_number() ? 1u : 0u);
    }
}

static void tell(rts_run *run, state *own, const net_account *sender, const net_account *receiver)
{
    rts_run_figure(run, "transfers", "transfers", 1);
    rts_run_figure(run, "bytes_sent", "bytes", sender->bytes);
    rts_run_figure(run, "bytes_received", "bytes", receiver->bytes);
    rts_run_figure(run, "elapsed_ns", "ns", sender->elapsed_ns);
    tell_cpu(run, true, sender);
    tell_cpu(run, false, receiver);
    if (own->way->place == ONE_CPU || own->way->place == TWO_CPUS) {
        tell_node(run, own, sender, receiver);
    }
    if (own->way->protocol == NET_UDP) {
        rts_run_figure(run, "datagrams_sent", "datagrams", sender->units);
        rts_run_figure(run, "datagrams_received", "datagrams", receiver->units);
        rts_run_figure(run, "datagrams_lost", "datagrams", receiver->lost);
        rts_run_figure(run, "datagrams_reordered", "datagrams", receiver->reordered);
        rts_run_check(run, "datagrams", receiver->units + receiver->lost, sender->units, sender->units);
    } else {
        rts_run_figure(run, "sender_system_ns", "ns", sender->system_ns);
        rts_run_figure(run, "receiver_system_ns", "ns", receiver->system_ns);
        rts_run_check(run, "bytes", receiver->bytes, sender->bytes, sender->bytes);
    }
    tell_constants(run, own, sender, receiver);
}

/** The sender's time in ticks of the run's clock. Cut to whole microseconds, so that the product fits 64 bits for seconds. */
static rts_ticks ticks_of(uint64_t ns)
{
    rts_clock_info clock;
    return rts_port_clock_info(&clock) == RTS_OK ? ns / 1000u * (clock.hz / 1000u) / 1000u : 0u;
}

/** How long a transfer takes: the item's period, but long enough for the steps of /proc/stat. */
static uint32_t transfer_ms(const rts_run *run)
{
    rts_clock_info clock;
    if (rts_port_timer_clock_info(&clock) != RTS_OK) {
        return TRANSFER_MS;
    }
    const uint64_t ms = rts_run_timer(run).period * 1000u / clock.hz;
    return ms < TRANSFER_MS ? TRANSFER_MS : ms > NET_MS_MAX ? NET_MS_MAX : (uint32_t)ms;
}

static rts_status work(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)total;
    state *own = rts_run_state(run);
    net_spec spec = {
        .protocol = own->way->protocol,
        .backwards = own->way->backwards,
        .loops = own->way->loops,
        .block = BLOCK,
        .window = own->way->window,
        .ms = rts_run_warming(run) ? WARMING_MS : transfer_ms(run),
    };
    for (uint32_t i = 0; i < count; i++) {
        net_account sender;
        net_account receiver;
        spec.cookie = rts_run_random(run);
        if (!net_transfer(&own->near_end, &spec, &sender, &receiver)) {
            return RTS_FAILED;
        }
        if (sender.units == 0) {
            return RTS_BROKEN;
        }
        tell(run, own, &sender, &receiver);
        rts_run_sample(run, 0, (rts_latency)(ticks_of(sender.elapsed_ns) / sender.units), rts_clock_read());
    }
    return RTS_OK;
}

/* ---- the engine's side ---------------------------------------------------------------------------------------- */

/** A usable CPU other than `than`; RTS_CPU_ANY if there is no other. */
static int32_t another_cpu(int32_t than)
{
    for (int32_t cpu = 0; cpu < 1024; cpu++) {
        if (cpu != than && rts_system_cpu_usable(cpu)) {
            return cpu;
        }
    }
    return RTS_CPU_ANY;
}

static rts_status set_up(rts_run *run, const way *way)
{
    state *own = rts_run_state(run);
    const rts_thread_attr attr = rts_run_thread(run, "near end", RTS_PRIORITY_MIDDLE);
    own->way = way;
    if (attr.sched != RTS_SCHED_TS) {
        rts_run_why(run,
                    "both ends are ordinary programs, as in the paper: in the real-time class a sender of datagrams "
                    "would keep its receiver from the CPU; remedy: --sched ts");
        return RTS_INVALID;
    }
    if (way->loops && !net_loops_possible()) {
        rts_run_why(run,
                    "select takes file descriptors below 1024, and this process has so many open; remedy: close some");
        return RTS_UNSUPPORTED;
    }
    own->near_end.cpu = attr.cpu;
    own->far_end.cpu = way->place == ONE_CPU ? attr.cpu : another_cpu(attr.cpu);
    if (own->far_end.cpu == RTS_CPU_ANY && way->place == TWO_CPUS) {
        rts_run_why(run, "it needs two CPUs, and this process has one");
        return RTS_UNSUPPORTED;
    }
    if (own->far_end.cpu == RTS_CPU_ANY) {
        own->far_end.cpu = attr.cpu;
    }
    const rts_status status = rts_worker_create_process(&own->worker, run, RTS_PRIORITY_MIDDLE);
    return status != RTS_OK ? status : rts_worker_do(&own->worker, begin, 0, NULL);
}

static rts_status single(rts_run *run, uint32_t samples)
{
    state *own = rts_run_state(run);
    return rts_worker_do(&own->worker, work, samples, NULL);
}

static void teardown(rts_run *run)
{
    state *own = rts_run_state(run);
    if (own->worker.made > 2) {
        (void)rts_worker_do(&own->worker, finish, 0, NULL);
    }
    rts_worker_destroy(&own->worker);
}

#define LINUX "Linux only: "

/* The choices of each measurement, and their ways in the same order. */
static const rts_choice tcp_choices[] = {
    {"local", LINUX "TCP from memory to memory on this node, both ends on one CPU"},
    {"local-8k", LINUX "the same with a window of 8 kB"},
    {"local-select", LINUX "the same, each end waiting by select as event loops do"},
    {"local-two-cpus", LINUX "TCP on this node, each end on a CPU of its own"},
    {"link", LINUX "TCP between two network name spaces joined by veth"},
    {"link-8k", LINUX "the same with a window of 8 kB"},
    {"link-16k", LINUX "the same with a window of 16 kB"},
    {"link-24k", LINUX "the same with a window of 24 kB"},
    {"link-32k", LINUX "the same with a window of 32 kB"},
    {"link-40k", LINUX "the same with a window of 40 kB"},
    {"link-48k", LINUX "the same with a window of 48 kB"},
    {"to-peer", LINUX "TCP to another host (--peer)"},
    {"from-peer", LINUX "TCP from another host (--peer)"},
};

static const way tcp_ways[] = {
    {ONE_CPU, NET_TCP, WINDOW, false, false},   {ONE_CPU, NET_TCP, SMALL_WINDOW, false, false},
    {ONE_CPU, NET_TCP, WINDOW, false, true},    {TWO_CPUS, NET_TCP, WINDOW, false, false},
    {LINK, NET_TCP, WINDOW, false, false},      {LINK, NET_TCP, SMALL_WINDOW, false, false},
    {LINK, NET_TCP, 16u * 1024u, false, false}, {LINK, NET_TCP, 24u * 1024u, false, false},
    {LINK, NET_TCP, 32u * 1024u, false, false}, {LINK, NET_TCP, 40u * 1024u, false, false},
    {LINK, NET_TCP, 48u * 1024u, false, false}, {PEER, NET_TCP, WINDOW, false, false},
    {PEER, NET_TCP, WINDOW, true, false},
};

_Static_assert(sizeof tcp_ways / sizeof tcp_ways[0] == sizeof tcp_choices / sizeof tcp_choices[0], "a choice is a way");

static rts_status setup_tcp(rts_run *run)
{
    return set_up(run, &tcp_ways[rts_run_choice(run)]);
}

const rts_measurement rts_measurement_tcp = {
    .name = "tcp",
    .meaning = 1,
    .summary = LINUX "TCP from memory to memory, in blocks of 4096 bytes",
    .services = 1u << RTS_SERVICE_PROCESSES | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_SINGLE,
    .setup = setup_tcp,
    .single = single,
    .teardown = teardown,
    .paced_by = RTS_PACED_BY_LENGTH,
    .choices = tcp_choices,
    .choice_count = sizeof tcp_choices / sizeof tcp_choices[0],
};

static const rts_choice udp_choices[] = {
    {"local", LINUX "UDP from memory to memory on this node, both ends on one CPU"},
    {"local-two-cpus", LINUX "UDP on this node, each end on a CPU of its own"},
    {"link", LINUX "UDP between two network name spaces joined by veth"},
    {"to-peer", LINUX "UDP to another host (--peer)"},
    {"from-peer", LINUX "UDP from another host (--peer)"},
};

static const way udp_ways[] = {
    {ONE_CPU, NET_UDP, WINDOW, false, false}, {TWO_CPUS, NET_UDP, WINDOW, false, false},
    {LINK, NET_UDP, WINDOW, false, false},    {PEER, NET_UDP, WINDOW, false, false},
    {PEER, NET_UDP, WINDOW, true, false},
};

_Static_assert(sizeof udp_ways / sizeof udp_ways[0] == sizeof udp_choices / sizeof udp_choices[0], "a choice is a way");

static rts_status setup_udp(rts_run *run)
{
    return set_up(run, &udp_ways[rts_run_choice(run)]);
}

const rts_measurement rts_measurement_udp = {
    .name = "udp",
    .meaning = 1,
    .summary = LINUX "UDP from memory to memory, in blocks of 4096 bytes",
    .services = 1u << RTS_SERVICE_PROCESSES | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_SINGLE,
    .setup = setup_udp,
    .single = single,
    .teardown = teardown,
    .paced_by = RTS_PACED_BY_LENGTH,
    .choices = udp_choices,
    .choice_count = sizeof udp_choices / sizeof udp_choices[0],
};
