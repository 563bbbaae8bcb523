/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A client as a program of its own: signals end it, and it shares its account by a file. The build says which client (RTSTONE_CLIENT).
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <unistd.h>

#include "../../linux/boot_number.h"
#include "channels.h"
#include "loopback.h"

static atomic_int ended;

static void on_end(int signal)
{
    (void)signal;
    atomic_store(&ended, 1);
}

static void end_by_signal(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_end;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

/** Killed when the program that started this one ends: nobody is left to account to, and libca may be waiting for an IOC that has ended too. */
static void end_with_parent(void)
{
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

static int share_account(client *own)
{
    const int file = open(own->options.account, O_RDWR | O_CLOEXEC);
    void *const page =
        file < 0 ? MAP_FAILED : mmap(NULL, sizeof *own->account, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) {
        (void)close(file);
    }
    if (page == MAP_FAILED) {
        (void)fprintf(stderr, "%s: the account %s cannot be shared\n", own->program, own->options.account);
        return 0;
    }
    own->account = page;
    return 1;
}

int main(int count, char *words[])
{
    client own = {.program = RTSTONE_CLIENT.program, .ended = &ended};
    const int code = client_read(&own, count, words, RTSTONE_CLIENT.usage);
    if (code >= 0) {
        return code;
    }
    if (own.options.with_parent != 0) {
        end_with_parent();
    }
    end_by_signal();
    if (own.options.account != NULL && !share_account(&own)) {
        return 3;
    }
    /* A guest that has client and engine needs none, and draws nothing by lot: its runs are the same to the byte. */
    own.machine = own.options.remote != 0 ? rts_boot_number() : 0;
    loopback_defaults();
    return RTSTONE_CLIENT.run(&own);
}
