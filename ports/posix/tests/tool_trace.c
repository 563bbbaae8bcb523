/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs a program and writes each system call of it and of all that it makes: tool_trace all|but-stopped FILE PROGRAM WORDS... A process that stops is
 * let alone; `all` takes it up again when it is about to go on, which it then does later than by itself. The kernel's page of functions and the
 * CPU's counter are hidden from the program, so that each clock reading of the engine is a system call as well: they mark its windows. A line of FILE:
 *
 *     <thread> <call> <first argument> <second argument> <page faults of all threads so far; of a clock reading only>
 */
#undef _POSIX_C_SOURCE
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

#define TASKS 64
#define TASK_OPTIONS                                                                                                   \
    (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |     \
     PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL)

static FILE *out;
static pid_t engine;
static bool takes_up;
static pid_t taken_up; /* one that was let alone while it stood still, and is about to go on */
static pid_t task[TASKS];
static unsigned long gone; /* faults of tasks that have ended */

static _Noreturn void give_up(const char *what)
{
    perror(what);
    exit(3);
}

/* Minor and major faults of one task; 0 once it is gone. */
static unsigned long faults_of(pid_t id)
{
    char path[48];
    char text[512];
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)id, (int)id);
    FILE *const file = fopen(path, "r");
    if (file == NULL) {
        return 0;
    }
    const size_t length = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[length] = '\0';
    const char *const rest = strrchr(text, ')');
    unsigned long minor = 0;
    unsigned long major = 0;
    if (rest == NULL || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %lu %*u %lu", &minor, &major) != 2) {
        return 0;
    }
    return minor + major;
}

static unsigned long all_faults(void)
{
    unsigned long sum = gone;
    for (size_t i = 0; i < TASKS; i++) {
        sum += task[i] != 0 ? faults_of(task[i]) : 0;
    }
    return sum;
}

static void note_task(pid_t id)
{
    size_t room = TASKS;
    for (size_t i = 0; i < TASKS; i++) {
        if (task[i] == id) {
            return;
        }
        room = task[i] == 0 ? i : room;
    }
    if (room < TASKS) {
        task[room] = id;
    }
}

static void forget_task(pid_t id)
{
    for (size_t i = 0; i < TASKS; i++) {
        task[i] = task[i] == id ? 0 : task[i];
    }
}

/* A text of the traced program, cut at `room`. By words, which its tracer may read of another user's program too, as process_vm_readv may not. */
static void text_of(pid_t id, unsigned long long at, char *text, size_t room)
{
    size_t got = 0;
    while (got + 1u < room) {
        const size_t before = (size_t)((at + got) % sizeof(long));
        errno = 0;
        const long word = ptrace(PTRACE_PEEKDATA, id, at + got - before, 0);
        if (errno != 0) {
            break;
        }
        const size_t left = sizeof word - before;
        const size_t part = left < room - 1u - got ? left : room - 1u - got;
        memcpy(text + got, (const char *)&word + before, part);
        got += part;
    }
    text[got] = '\0';
}

/* The kernel's page of functions is named in the vector behind the environment: it is called nothing there. */
static void hide_functions(pid_t id)
{
    struct ptrace_syscall_info info;
    (void)ptrace(PTRACE_GET_SYSCALL_INFO, id, sizeof info, &info);
    unsigned long at = (unsigned long)info.stack_pointer;
    const unsigned long count = (unsigned long)ptrace(PTRACE_PEEKDATA, id, at, 0);
    at += (count + 2) * sizeof(long);
    while (ptrace(PTRACE_PEEKDATA, id, at, 0) != 0) {
        at += sizeof(long);
    }
    at += sizeof(long);
    for (long kind = 1; kind != AT_NULL; at += 2 * sizeof(long)) {
        kind = ptrace(PTRACE_PEEKDATA, id, at, 0);
        if (kind == AT_SYSINFO_EHDR && ptrace(PTRACE_POKEDATA, id, at, AT_IGNORE) != 0) {
            give_up("tool_trace: the vector cannot be written to");
        }
    }
}

/* The engine asks a file whether the counter may be used: it finds none. */
static void hide_counter(pid_t id, unsigned long long path)
{
    char text[96];
    text_of(id, path, text, sizeof text);
    if (strstr(text, "current_clocksource") != NULL) {
        (void)ptrace(PTRACE_POKEDATA, id, (unsigned long)path, 0L);
    }
}

static const char *name_of(unsigned long long number)
{
    static const struct {
        long number;
        const char *name;
    } names[] = {
#define CALL(name) {SYS_##name, #name},
        CALL(clock_gettime) CALL(futex) CALL(kill) CALL(getpid) CALL(gettid) CALL(tgkill) CALL(sched_yield)
            CALL(mq_timedsend) CALL(mq_timedreceive) CALL(msgsnd) CALL(msgrcv) CALL(clone) CALL(clone3) CALL(execve)
                CALL(exit) CALL(exit_group) CALL(wait4) CALL(mmap) CALL(munmap) CALL(mprotect) CALL(madvise) CALL(brk)
                    CALL(rt_sigprocmask) CALL(rt_sigaction) CALL(rt_sigreturn) CALL(set_robust_list) CALL(rseq)
                        CALL(clock_nanosleep) CALL(write) CALL(read) CALL(openat) CALL(close) CALL(sched_setscheduler)
                            CALL(getrusage) CALL(gettimeofday) CALL(sched_setaffinity) CALL(sched_getaffinity)
                                CALL(prlimit64)
#if defined(SYS_vfork)
                                    CALL(vfork) CALL(fork)
#endif
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].number == (long)number) {
            return names[i].name;
        }
    }
    return NULL;
}

static void tell_call(pid_t id)
{
    struct ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, id, sizeof info, &info) <= 0 || info.op != PTRACE_SYSCALL_INFO_ENTRY) {
        return;
    }
    const unsigned long long number = info.entry.nr;
    const unsigned long long *const words = info.entry.args;
    const char *const name = name_of(number);
    if (number == SYS_kill && words[1] == SIGCONT && takes_up) {
        const pid_t other = (pid_t)words[0];
        taken_up = ptrace(PTRACE_SEIZE, other, 0, TASK_OPTIONS) == 0 ? other : taken_up;
    }
    if (number == SYS_openat) {
        hide_counter(id, words[1]);
    }
    if (number == SYS_write && words[0] == 1) { /* the engine's output: shows where an item begins and ends */
        char line[400];
        text_of(id, words[1], line, words[2] < sizeof line ? (size_t)words[2] + 1u : sizeof line);
        (void)fprintf(out, "%d says %s", (int)id, line);
        return;
    }
    if (name != NULL) {
        (void)fprintf(out, "%d %s %llu %llu", (int)id, name, words[0], words[1]);
    } else {
        (void)fprintf(out, "%d call-%llu %llu %llu", (int)id, number, words[0], words[1]);
    }
    if (number == SYS_clock_gettime && id != engine) {
        (void)fprintf(out, " %lu", all_faults());
    }
    (void)fputc('\n', out);
}

/* One stop of a task, and on. */
static void serve(pid_t id, int how, bool *begun)
{
    const int signal = WSTOPSIG(how);
    const int event = how >> 16;
    long pass = 0;
    if (event == PTRACE_EVENT_EXIT) {
        gone += faults_of(id);
        forget_task(id);
        (void)ptrace(PTRACE_CONT, id, 0, 0);
        return;
    }
    note_task(id);
    if (signal == (SIGTRAP | 0x80)) {
        tell_call(id);
    } else if (event == PTRACE_EVENT_EXEC) {
        if (id == engine) {
            hide_functions(id);
        }
        *begun = true;
    } else if (event == PTRACE_EVENT_STOP && signal == SIGSTOP) {
        /* The engine looks whether a process stands still, and one that is traced never seems to. */
        const bool goes_on = !*begun || id == taken_up;
        (void)ptrace(goes_on ? PTRACE_LISTEN : PTRACE_DETACH, id, 0, 0);
        return;
    } else if (event == 0) {
        pass = signal;
    }
    (void)ptrace(PTRACE_SYSCALL, id, 0, pass);
}

/* Runs on the measured CPU, the last, above all measured threads: while it inspects one party, the others do not run on. */
static void stand_above(void)
{
    const struct sched_param highest = {.sched_priority = sched_get_priority_max(SCHED_FIFO)};
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable) != 0) {
        give_up("tool_trace: sched_getaffinity");
    }
    for (unsigned cpu = CPU_SETSIZE; cpu-- > 0;) {
        if (CPU_ISSET(cpu, &usable)) {
            CPU_ZERO(&usable);
            CPU_SET(cpu, &usable);
            break;
        }
    }
    (void)sched_setaffinity(0, sizeof usable, &usable);
    (void)sched_setscheduler(0, SCHED_FIFO, &highest); /* without the permission, the trace is not in order */
}

int main(int count, char *words[])
{
    if (count < 4) {
        (void)fprintf(stderr, "tool_trace: all|but-stopped FILE PROGRAM WORDS...\n");
        return 2;
    }
    takes_up = strcmp(words[1], "all") == 0;
    engine = fork();
    if (engine == 0) {
        (void)raise(SIGSTOP);
        (void)execvp(words[3], words + 3);
        give_up("tool_trace: execvp");
    }
    int how = 0;
    out = fopen(words[2], "we");
    if (engine < 0 || out == NULL || waitpid(engine, &how, WUNTRACED) != engine ||
        ptrace(PTRACE_SEIZE, engine, 0, TASK_OPTIONS) != 0 || kill(engine, SIGCONT) != 0) {
        give_up("tool_trace");
    }
    stand_above();
    bool begun = false;
    int code = 3;
    for (pid_t id; (id = waitpid(-1, &how, __WALL)) > 0 || errno == EINTR;) {
        if (id > 0 && WIFSTOPPED(how)) {
            serve(id, how, &begun);
        } else if (id > 0) {
            forget_task(id);
            code = id == engine ? (WIFEXITED(how) ? WEXITSTATUS(how) : 3) : code;
        }
    }
    return fclose(out) == 0 ? code : 3;
}
