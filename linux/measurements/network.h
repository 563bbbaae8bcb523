/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Transfers from memory to memory by TCP and UDP between two ends, and the account of each end: bytes, datagrams, CPU time.
 *
 * The near end measures. The far end is another process on this host, or a peer on another host. It obeys commands on a control stream, one line of
 * text per message (network_control.c). Data sockets are bound to the two ends' own addresses and to nothing else.
 */
#ifndef RTSTONE_NETWORK_H
#define RTSTONE_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rtstone/types.h"

#define NET_PORT 5741u       /**< default port on which a peer listens */
#define NET_BLOCK_MAX 65507u /**< largest payload of a datagram over IPv4 */
#define NET_WINDOW_MAX (16u << 20)
#define NET_MS_MAX 10000u
#define NET_PATIENCE_S 5  /**< an operation that waits longer has failed */
#define NET_SILENCE_MS 20 /**< after the sender's last datagram: a datagram that has not come by then is lost */
#define NET_LINE_BYTES 256u
/** Buffers of the load's characters. Small, because their contents are thrown away at a stop; with smaller ones TCP over a loopback device stalls. */
#define NET_STREAM_BYTES (56u << 10)
#define NET_PINGS 8u /**< most pings of a flood that are in flight */

typedef enum net_protocol { NET_TCP = 0, NET_UDP = 1 } net_protocol;

/** A transfer that the near end requests. */
typedef struct net_spec {
    net_protocol protocol;
    bool backwards;  /**< from the far end to the near one */
    bool loops;      /**< both ends of a stream are event loops (network_loops.c) */
    uint32_t block;  /**< bytes of one send */
    uint32_t window; /**< bytes requested for the send and the receive buffer */
    uint32_t ms;     /**< how long the sender sends */
    uint64_t cookie; /**< of this transfer's datagrams */
} net_spec;

/** One of the two ends. Addresses are IPv4 in host order. */
typedef struct net_end {
    int control;
    uint32_t own;
    uint32_t other;
    int32_t cpu; /**< the CPU that it is pinned to */
} net_end;

/** What one end did in one transfer. */
typedef struct net_account {
    uint64_t bytes;
    uint64_t units;      /**< blocks or datagrams */
    uint64_t lost;       /**< receiver of datagrams: numbers that never came, counted independently of those that did */
    uint64_t reordered;  /**< receiver of datagrams: those that came after a later one */
    uint64_t elapsed_ns; /**< sender: from its first block to the end of the last, which over TCP has then arrived */
    uint64_t cpu_ns;     /**< of this end's process, user and system */
    uint64_t system_ns;  /**< the part of cpu_ns in the kernel, as the kernel divides it; not reported for datagrams */
    uint64_t busy_ns;    /**< of the whole CPU: all but idle */
    uint64_t irq_ns;     /**< of the whole CPU: in interrupts, hard and soft */
    uint64_t all_ns;     /**< of the whole CPU: all time that the kernel accounted for */
    uint64_t send_buffer;
    uint64_t receive_buffer;
} net_account;

/** Times of a whole CPU since the machine started, from /proc/stat; all zero if that file does not have them. */
typedef struct net_cpu {
    uint64_t busy_ns;
    uint64_t irq_ns;
    uint64_t all_ns;
} net_cpu;

net_cpu net_cpu_read(int32_t cpu);
uint64_t net_process_cpu_ns(void);
uint64_t net_process_system_ns(void);
uint64_t net_now_ns(void);

/** Sends blocks for the time in the spec; true if there was no error. */
bool net_source(int data, int control, const net_spec *spec, net_account *account);
/** Receives blocks until there are no more; over UDP, `control` carries the number of blocks sent. */
bool net_sink(int data, int control, const net_spec *spec, net_account *account, uint64_t *sent);
/** A stream's part of the two, for event loops: sends `block` repeatedly, or receives into it until the stream ends. */
bool net_loop_send(int data, int control, const net_spec *spec, const unsigned char *block, net_account *account);
bool net_loop_receive(int data, int control, const net_spec *spec, unsigned char *block, net_account *account);

/** True if select accepts the sockets that this process opens next: their descriptors are below FD_SETSIZE. */
bool net_loops_possible(void);

/** A socket of the spec's protocol with its buffers, bound to `own` and a port that the kernel chooses and that is stored. -1: see errno. */
int net_socket(const net_spec *spec, uint32_t own, uint16_t *port);
/** Accepts the near end's connection on a listening socket; -1: none came, or it came from another address. */
int net_accept(int waiting, const net_end *end);
bool net_connect(int socket, uint32_t address, uint16_t port);
void net_patience(int socket);
void net_buffers(int socket, net_account *account);

/** One line of the control stream, without its LF. */
bool net_line_read(int control, char line[NET_LINE_BYTES]);
bool net_line_write(int control, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** The near end's part of one transfer; fills in the accounts of the sending and of the receiving end. */
bool net_transfer(const net_end *near_end, const net_spec *spec, net_account *sender, net_account *receiver);
/** Connects to the peer of `--peer` and stores its machine's number (0: an older peer, which has none). If not RTS_OK, `why` has the reason. */
rts_status net_meet_peer(net_end *near_end, uint64_t *machine, char *why, size_t room);
/** The far end's part of the load `network-peer`, from its first line to its account. */
void net_serve_load(const net_end *far_end, const char *line);
/** The far end: obeys commands until the control stream ends. */
void net_serve(const net_end *far_end);

/** "192.0.2.1" or "192.0.2.1:5741". */
bool net_parse(const char *text, uint32_t *address, uint16_t *port);

/** Gives the calling process a network name space of its own; by a user name space where it lacks the privilege. False: errno says why. */
bool net_unshare(void);
/** Makes two joined interfaces, one here and one in the name space of a process; both are down. */
bool net_link_make(const char *here, const char *there, int process);

#endif
