/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Transfers from memory to memory by TCP and UDP between two ends, and what each end accounts for: bytes, datagrams, CPU time.
 *
 * The near end measures; the far end, a process beside it or a peer on another host, does what it is told over a control stream, one line of
 * text a message (network_control.c). Data go between sockets that are bound to the two ends' own addresses and to nothing else.
 */
#ifndef RTSTONE_NETWORK_H
#define RTSTONE_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rtstone/types.h"

#define NET_PORT 5741u       /**< on which a peer waits, unless told otherwise */
#define NET_BLOCK_MAX 65507u /**< what a datagram over IPv4 holds */
#define NET_WINDOW_MAX (16u << 20)
#define NET_MS_MAX 10000u
#define NET_PATIENCE_S 5  /**< what waits longer has failed */
#define NET_SILENCE_MS 20 /**< after the sender's last datagram: what has not come by then is lost */
#define NET_LINE_BYTES 256u
/** Buffers of the load's characters: few, since what is in them at a stop is thrown away; with fewer TCP over a loopback device comes to a stand. */
#define NET_STREAM_BYTES (56u << 10)
#define NET_PINGS 8u /**< most of a flood at a time */

typedef enum net_protocol { NET_TCP = 0, NET_UDP = 1 } net_protocol;

/** A transfer as the near end asks for it. */
typedef struct net_spec {
    net_protocol protocol;
    bool backwards;  /**< from the far end to the near one */
    bool loops;      /**< both ends of a stream are event loops (network_loops.c) */
    uint32_t block;  /**< bytes of one send */
    uint32_t window; /**< bytes asked for as send and receive buffer */
    uint32_t ms;     /**< how long the sender sends */
    uint64_t cookie; /**< of this transfer's datagrams */
} net_spec;

/** One of the two ends. Addresses are IPv4 in host order. */
typedef struct net_end {
    int control;
    uint32_t own;
    uint32_t other;
    int32_t cpu; /**< that it is pinned to */
} net_end;

/** What one end did in one transfer. */
typedef struct net_account {
    uint64_t bytes;
    uint64_t units; /**< blocks or datagrams */
    uint64_t lost;  /**< receiver of datagrams: numbers that never came, found without the count of those that did */
    uint64_t reordered;  /**< receiver of datagrams: that came after a later one */
    uint64_t elapsed_ns; /**< sender: from its first block to the end of the last, which over TCP has then arrived */
    uint64_t cpu_ns;     /**< of this end's process, user and system */
    uint64_t system_ns;  /**< of them in the kernel, as it tells the two apart; not told of datagrams */
    uint64_t busy_ns;    /**< of the whole CPU: all but idle */
    uint64_t irq_ns;     /**< of the whole CPU: in interrupts, hard and soft */
    uint64_t all_ns;     /**< of the whole CPU: that the kernel accounted for */
    uint64_t send_buffer;
    uint64_t receive_buffer;
} net_account;

/** Times of a whole CPU since the machine started, from /proc/stat; all zero where that does not tell. */
typedef struct net_cpu {
    uint64_t busy_ns;
    uint64_t irq_ns;
    uint64_t all_ns;
} net_cpu;

net_cpu net_cpu_read(int32_t cpu);
uint64_t net_process_cpu_ns(void);
uint64_t net_process_system_ns(void);
uint64_t net_now_ns(void);

/** Sends blocks for as long as the spec says; true if all of it went well. */
bool net_source(int data, int control, const net_spec *spec, net_account *account);
/** Takes blocks until there are no more; over UDP, `control` tells how many were sent. */
bool net_sink(int data, int control, const net_spec *spec, net_account *account, uint64_t *sent);
/** A stream's part of the two, as event loops have it: `block` sent over and over, or received into until the stream ends. */
bool net_loop_send(int data, int control, const net_spec *spec, const unsigned char *block, net_account *account);
bool net_loop_receive(int data, int control, const net_spec *spec, unsigned char *block, net_account *account);

/** True if the sockets that this process opens next are such as select takes: descriptors below FD_SETSIZE. */
bool net_loops_possible(void);

/** A socket of the spec's protocol with its buffers, bound to `own` and a port of the kernel's choice, which is stored. -1: errno says why. */
int net_socket(const net_spec *spec, uint32_t own, uint16_t *port);
/** The near end's connection to a socket that listens; -1: none came, or it was somebody else's. */
int net_accept(int waiting, const net_end *end);
bool net_connect(int socket, uint32_t address, uint16_t port);
void net_patience(int socket);
void net_buffers(int socket, net_account *account);

/** One line of the control stream, without its LF. */
bool net_line_read(int control, char line[NET_LINE_BYTES]);
bool net_line_write(int control, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** The near end's part of one transfer: `sender` and `receiver` are whichever end was which. */
bool net_transfer(const net_end *near_end, const net_spec *spec, net_account *sender, net_account *receiver);
/** Connects to the peer of `--peer`, and asks on which machine it is; 0: it is an older one. Otherwise than RTS_OK `why` has the sentence. */
rts_status net_meet_peer(net_end *near_end, uint64_t *machine, char *why, size_t room);
/** The far end's part of the load `network-peer`, from its first line to its account. */
void net_serve_load(const net_end *far_end, const char *line);
/** The far end: does what it is told until the control stream ends. */
void net_serve(const net_end *far_end);

/** "192.0.2.1" or "192.0.2.1:5741". */
bool net_parse(const char *text, uint32_t *address, uint16_t *port);

/** Gives the calling process a network name space of its own; by a user name space where it lacks the privilege. False: errno says why. */
bool net_unshare(void);
/** Makes two joined interfaces, one here and one in the name space of a process; both are down. */
bool net_link_make(const char *here, const char *there, int process);

#endif
