/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Process 1 of a Linux guest: readies the system, runs the engine on the plan, and powers the board off, whatever happens.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "bind.h"
#include "command_line.h"
#include "enter_ioc.h"
#include "kept.h"
#include "vme_slaves.h"
#include "wire.h"

#define ENGINE "/rtstone-engine"
#define PLAN "/plan"
#define CLOCK_TRIES 500

static char command_line[4096];

/** Says one line on the kernel's console: console text to the host. */
static void say(const char *what, const char *name)
{
    (void)fprintf(stderr, "rtstone-init: %s %s: %s\n", what, name, strerror(errno));
}

static void make_and_mount(const char *type, const char *place)
{
    (void)mkdir(place, 0755);
    if (mount(type, place, type, 0, NULL) != 0 && errno != EBUSY) {
        say("cannot mount", place);
    }
}

static size_t read_text(const char *path, char *text, size_t room)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? -1 : read(file, text, room - 1u);
    if (file >= 0) {
        (void)close(file);
    }
    text[got > 0 ? got : 0] = '\0';
    return got > 0 ? (size_t)got : 0u;
}

static void load_module(const guest_module *module)
{
    char path[128];
    (void)snprintf(path, sizeof path, "/modules/%s.ko", module->name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || syscall(SYS_finit_module, file, module->parameters, 0) != 0) {
        say("cannot load", path);
    }
    if (file >= 0) {
        (void)close(file);
    }
}

/**
 * Waits until the kernel has finished looking for a better clock. While x86 still measures its counter's rate, the kernel uses a
 * first guess for times, and the change to the measured rate would fall into a measurement.
 */
static void wait_for_clock(void)
{
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = 10000000};
    for (int tries = 0; tries < CLOCK_TRIES; tries++) {
        char name[64];
        (void)read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource", name, sizeof name);
        if (strstr(name, "-early") == NULL) {
            return;
        }
        (void)nanosleep(&moment, NULL);
    }
    errno = ETIMEDOUT;
    say("no final clock", "clocksource0");
}

/** Opens the line for records: bytes go out as they are. */
static int open_records(const char *path)
{
    const int file = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    struct termios line;
    if (file < 0 || tcgetattr(file, &line) != 0) {
        say("cannot open", path);
        return -1;
    }
    line.c_iflag = 0;
    line.c_oflag = 0;
    line.c_lflag = 0;
    line.c_cflag = CS8 | CREAD | CLOCAL;
    (void)cfsetspeed(&line, B115200);
    if (tcsetattr(file, TCSANOW, &line) != 0) {
        say("cannot set", path);
    }
    return file;
}

static void run_engine(const char *records, const char *probe, const char *plan)
{
    const int line = open_records(records);
    if (line < 0) {
        return;
    }
    const pid_t engine = fork();
    if (engine == 0) {
        if (guest_has_ioc()) {
            guest_enter_ioc(records, probe, plan);
            say("cannot start", "the IOC");
            _exit(127);
        }
        (void)dup2(line, STDOUT_FILENO);
        char *const with_probe[] = {ENGINE,        "run",    "--derive-nonce", "--probe",
                                    (char *)probe, "--plan", (char *)plan,     NULL};
        char *const without[] = {ENGINE, "run", "--derive-nonce", "--plan", (char *)plan, NULL};
        (void)execv(ENGINE, probe == NULL ? without : with_probe);
        say("cannot run", ENGINE);
        _exit(127);
    }
    int status = 0;
    if (engine < 0 || waitpid(engine, &status, 0) != engine) {
        say("cannot wait for", ENGINE);
    } else if (WIFSIGNALED(status)) {
        (void)fprintf(stderr, "rtstone-init: the engine was killed by signal %d\n", WTERMSIG(status));
    } else if (WEXITSTATUS(status) != 0) {
        (void)fprintf(stderr, "rtstone-init: the engine ended with %d\n", WEXITSTATUS(status));
    }
    (void)tcdrain(line);
    (void)close(line);
}

/** Waits for the other guest, and passes its address to the engine. If no guest answers, the engine's transfers report it. */
static void find_peer(const char *address)
{
    if (address != NULL && !guest_wire_answers(address)) {
        say("no peer answers at", address);
    }
    if (address != NULL && setenv("RTSTONE_PEER", address, 1) != 0) {
        say("cannot tell of the peer at", address);
    }
}

/** Brings up the network to clients outside of the board, and passes to the IOC the port on which they expect it. */
static bool join_outside(char *device_address_port)
{
    char *const port = strrchr(device_address_port, ',');
    if (port == NULL) {
        errno = EINVAL;
        return false;
    }
    *port = '\0';
    return guest_wire_up(device_address_port) && setenv("EPICS_CAS_SERVER_PORT", port + 1, 1) == 0 &&
           setenv("RTSTONE_IOC_OUTSIDE", "", 1) == 0;
}

/** Is the far end of another guest's transfers until the board is switched off. */
static void serve(const char *address)
{
    int status = 0;
    const pid_t peer = fork();
    if (peer == 0) {
        char *const words[] = {ENGINE, "peer", "--bind", (char *)address, NULL};
        (void)execv(ENGINE, words);
        say("cannot run", ENGINE);
        _exit(127);
    }
    if (peer < 0 || waitpid(peer, &status, 0) != peer) {
        say("cannot wait for", ENGINE);
    } else {
        (void)fprintf(stderr, "rtstone-init: the peer has ended\n");
    }
}

/** Stops the machine, and takes the seed that it is gone on with. */
static void go_on_from(const char *stop)
{
    if (!guest_stop(stop)) {
        say("cannot stop at", stop);
    }
    load_module(&(guest_module){.name = "qemu_fw_cfg", .parameters = ""});
    if (!guest_stir()) {
        say("cannot stir", "the random pool");
    }
    if (!guest_take_plan(PLAN)) {
        say("cannot copy", "the plan");
    }
}

int main(void)
{
    make_and_mount("proc", "/proc");
    make_and_mount("sysfs", "/sys");
    make_and_mount("devtmpfs", "/dev");
    make_and_mount("tmpfs", "/tmp");
    make_and_mount("tmpfs", "/dev/shm");
    make_and_mount("debugfs", "/sys/kernel/debug");
    const int console = open("/dev/console", O_RDWR);
    if (console >= 0) {
        (void)dup2(console, STDIN_FILENO);
        (void)dup2(console, STDOUT_FILENO);
        (void)dup2(console, STDERR_FILENO);
    }

    (void)read_text("/proc/cmdline", command_line, sizeof command_line);
    const guest_options options = guest_parse(command_line);
    if (options.wrong != NULL) {
        errno = EINVAL;
        say("the command line has", options.wrong);
    }
    for (unsigned i = 0; i < options.modules; i++) {
        load_module(&options.module[i]);
    }
    if (options.driven != NULL && !guest_bind(options.driven, options.driver)) {
        say("cannot bind to its driver", options.driven);
    }
    if (options.vme_slaves != NULL && guest_vme_open_slaves(options.vme_slaves, GUEST_VME_SLAVES) < 0) {
        say("cannot open slave windows at", options.vme_slaves);
    }
    if (!guest_loopback_up()) {
        say("cannot bring up", "lo");
    }
    if (options.wire != NULL && !guest_wire_up(options.wire)) {
        say("cannot bring up the wire at", options.wire);
    }
    if (options.outside != NULL && !join_outside(options.outside)) {
        say("cannot bring up the way outside at", options.outside);
    }
    wait_for_clock();
    if (options.serve != NULL) {
        serve(options.serve);
    } else if (options.records == NULL) {
        errno = EINVAL;
        say("the command line names no", "rtstone.records");
    } else {
        find_peer(options.peer);
        if (options.stop != NULL) {
            go_on_from(options.stop);
        }
        run_engine(options.records, options.probe, PLAN);
    }
    (void)fflush(stderr);
    (void)tcdrain(STDERR_FILENO);
    sync();
    /* The emulator is started so that a restart ends it: every board can restart, not every one can power off. */
    (void)reboot(RB_AUTOBOOT);
    for (;;) {
        (void)pause();
    }
}
