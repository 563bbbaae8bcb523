/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Makes a program that this library is preloaded into a stranger: its TCP connections come from 127.0.0.2.
 */
#include <dlfcn.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

int connect(int own, const struct sockaddr *to, socklen_t size)
{
    int (*real)(int, const struct sockaddr *, socklen_t) = NULL;
    int kind = 0;
    socklen_t room = sizeof kind;
    *(void **)&real = dlsym(RTLD_NEXT, "connect");
    if (to->sa_family == AF_INET && getsockopt(own, SOL_SOCKET, SO_TYPE, &kind, &room) == 0 && kind == SOCK_STREAM) {
        const struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000002)};
        (void)bind(own, (const struct sockaddr *)&from, sizeof from);
    }
    return real(own, to, size);
}
