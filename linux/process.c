/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Processes and threads on Linux: dying with a parent, being stopped, ending, and the count of switches of a thread.
 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"

void *rts_system_shared_memory(size_t bytes)
{
    void *const block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    return block == MAP_FAILED ? NULL : block;
}

void rts_system_shrink(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

rts_status rts_system_die_with(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
        return rts_system_status(errno);
    }
    if (getppid() != parent) { /* it died before the kernel knew of our wish */
        (void)raise(SIGKILL);
    }
    return RTS_OK;
}

rts_status rts_system_process_join(pid_t process)
{
    siginfo_t how;
    int result;
    do {
        result = waitid(P_PID, (id_t)process, &how, WEXITED);
    } while (result != 0 && errno == EINTR);
    if (result != 0) {
        return rts_system_status(errno);
    }
    return how.si_code == CLD_EXITED ? (rts_status)how.si_status : RTS_FAILED;
}

bool rts_system_is_stopped(pid_t process)
{
    char path[48];
    char line[256];
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
    if (!rts_linux_line(path, line, sizeof line)) {
        return false;
    }
    /* "pid (name) state …", and the name may hold anything. */
    const char *const name_end = strrchr(line, ')');
    return name_end != NULL && name_end[1] == ' ' && name_end[2] == 'T';
}

rts_status rts_system_switches(uint64_t *voluntary)
{
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) != 0) {
        return rts_system_status(errno);
    }
    *voluntary = (uint64_t)usage.ru_nvcsw;
    return RTS_OK;
}
