/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * An event from outside: from the kernel's own stamp of it to the task that waited for it. Either an edge of a signal that another machine or a
 * generator makes: a line of a GPIO chip by the kernel's character device, or a source of pulses (PPS), which a serial line's modem signal can be. A
 * GPIO line may answer. Or an interrupt by which a device announces itself to a task (UIO), whose due time is not known.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <linux/pps.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../numbers.h"
#include "common/state.h"
#include "common/worker.h"
#include "stamps.h"
#include "uio_device.h"

#define LOOK_MS 100            /* a task that waits looks up this often */
#define FIRST_NS 20000000000u  /* for the first edge to come */
#define SILENCE_NS 5000000000u /* and four periods: a signal that ended */
#define DOUBT_MOST 100u        /* so many stamps in doubt, and half of all: the item ends */

typedef struct edge {
    uint64_t stamp;  /**< the kernel's (ns); 0: it is not known */
    uint64_t number; /**< the kernel's count of them */
} edge;

typedef enum outcome { CAME, NOTHING, GONE } outcome;

typedef struct state {
    rts_worker worker;
    const struct source *source;
    int in;
    int out; /**< the line that answers; -1: none */
    rts_uio uio;
    rts_stamps stamps;
    bool known; /**< an edge has come */
    uint64_t first;
    uint64_t last;
    uint64_t taken;   /**< edges that the task waited for */
    uint64_t between; /**< that came while it did not wait: between two slices */
    uint64_t missed;  /**< that the kernel counted and did not hand over */
    uint64_t unanswered;
    uint64_t in_doubt; /**< without a sample: the clock of the stamps was set, or which stamp it has is not known */
    bool silent;
    bool strange; /**< many stamps are in doubt */
    char what[160];
    char why[480];
} state;

RTS_STATE_FITS(state);

/** One kind of source: `wait` waits so long for an event, and reads the clock as its first act after that. */
typedef struct source {
    const char *prefix;
    const char *unit; /**< what the events are */
    const char *noun; /**< the same, for people */
    rts_status (*open)(rts_run *run, state *own, const char *place);
    outcome (*wait)(state *own, int ms, edge *event, rts_ticks *resumed);
    bool (*enable)(state *own); /**< lets the next event come; NULL: it comes by itself */
    bool realtime;              /**< stamps are of CLOCK_REALTIME, otherwise of CLOCK_MONOTONIC */
    const char *stamped;
} source;

static rts_status refuse(rts_run *run, rts_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static rts_status refuse(rts_run *run, rts_status status, const char *format, ...)
{
    state *const own = rts_run_state(run);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(own->why, sizeof own->why, format, arguments);
    va_end(arguments);
    rts_run_why(run, own->why);
    return status;
}

/* ---- a line of a GPIO chip ------------------------------------------------------------------------------------- */

/** A line's descriptor; -1: errno says why. */
static int request(int chip, uint32_t line, uint64_t flags)
{
    struct gpio_v2_line_request asked = {.num_lines = 1, .config.flags = flags, .consumer = "rtstone"};
    asked.offsets[0] = line;
    return ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &asked) == 0 ? asked.fd : -1;
}

static bool set_line(int line, bool high)
{
    struct gpio_v2_line_values values = {.bits = high ? 1u : 0u, .mask = 1u};
    return ioctl(line, GPIO_V2_LINE_SET_VALUES_IOCTL, &values) == 0;
}

/** "/dev/gpiochip0/17", or "/dev/gpiochip0/17+27" with the line that answers. */
static rts_status open_gpio(rts_run *run, state *own, const char *place)
{
    char path[64];
    const char *const slash = strrchr(place, '/');
    uint64_t lines[2] = {0, 0};
    const char *at = slash == NULL ? NULL : rts_linux_number(slash + 1, 10, &lines[0]);
    const bool answers = at != NULL && *at == '+';
    if (answers) {
        at = rts_linux_number(at + 1, 10, &lines[1]);
    }
    if (at == NULL || *at != '\0' || lines[0] > UINT32_MAX || lines[1] > UINT32_MAX ||
        (size_t)(slash - place) >= sizeof path) {
        return refuse(run, RTS_INVALID, "%s is no line of a GPIO chip, as in gpio:/dev/gpiochip0/17", place);
    }
    (void)snprintf(path, sizeof path, "%.*s", (int)(slash - place), place);
    const int chip = open(path, O_RDWR | O_CLOEXEC);
    if (chip < 0) {
        return refuse(run, errno == EACCES || errno == EPERM ? RTS_DENIED : RTS_UNSUPPORTED, "cannot open %s: %s", path,
                      strerror(errno));
    }
    own->in = request(chip, (uint32_t)lines[0], GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING);
    int error = errno;
    if (own->in >= 0 && answers) {
        own->out = request(chip, (uint32_t)lines[1], GPIO_V2_LINE_FLAG_OUTPUT);
        error = errno;
    }
    (void)close(chip);
    if (own->in < 0 || (answers && own->out < 0)) {
        return refuse(run, RTS_UNSUPPORTED, "line %ju of %s cannot be used: %s%s",
                      (uintmax_t)lines[own->in < 0 ? 0 : 1], path, strerror(error),
                      error == EBUSY ? ", another program or driver has it" : "");
    }
    (void)snprintf(own->what, sizeof own->what, "line %ju of %.60s", (uintmax_t)lines[0], path);
    return RTS_OK;
}

static outcome wait_gpio(state *own, int ms, edge *event, rts_ticks *resumed)
{
    struct pollfd one = {.fd = own->in, .events = POLLIN};
    struct gpio_v2_line_event got;
    const int ready = poll(&one, 1, ms);
    *resumed = rts_timer_clock_read();
    if (ready <= 0) {
        return ready < 0 && errno != EINTR ? GONE : NOTHING;
    }
    if (read(own->in, &got, sizeof got) != (ssize_t)sizeof got) {
        return GONE;
    }
    *event = (edge){.stamp = got.timestamp_ns, .number = got.line_seqno};
    return CAME;
}

/* ---- a source of pulses ---------------------------------------------------------------------------------------- */

static rts_status open_pps(rts_run *run, state *own, const char *place)
{
    struct pps_kparams has;
    own->in = open(place, O_RDONLY | O_CLOEXEC);
    if (own->in < 0) {
        return refuse(run, errno == EACCES || errno == EPERM ? RTS_DENIED : RTS_UNSUPPORTED, "cannot open %.64s: %s",
                      place, strerror(errno));
    }
    if (ioctl(own->in, PPS_GETPARAMS, &has) != 0) {
        return refuse(run, RTS_INVALID, "%.64s is no source of pulses, as /dev/pps0 is one", place);
    }
    if ((has.mode & PPS_CAPTUREASSERT) == 0 || has.assert_off_tu.sec != 0 || has.assert_off_tu.nsec != 0) {
        return refuse(run, RTS_UNSUPPORTED, "%.64s does not stamp rising edges, or adds an offset to their stamps",
                      place);
    }
    (void)snprintf(own->what, sizeof own->what, "%.80s", place);
    return RTS_OK;
}

static outcome wait_pps(state *own, int ms, edge *event, rts_ticks *resumed)
{
    struct pps_fdata got = {.timeout = {.nsec = ms * 1000000}};
    const int failed = ioctl(own->in, PPS_FETCH, &got);
    *resumed = rts_timer_clock_read();
    if (failed != 0) {
        return errno == ETIMEDOUT || errno == EINTR ? NOTHING : GONE;
    }
    if (got.info.assert_sequence == own->last) { /* a falling edge, or none since */
        return NOTHING;
    }
    *event = (edge){.stamp = (uint64_t)got.info.assert_tu.sec * RTS_NS_PER_S + (uint64_t)got.info.assert_tu.nsec,
                    .number = got.info.assert_sequence};
    return CAME;
}

/* ---- a device's interrupt -------------------------------------------------------------------------------------- */

static rts_status open_uio(rts_run *run, state *own, const char *place)
{
    const rts_status status = rts_uio_open(&own->uio, place);
    if (status != RTS_OK) {
        rts_run_why(run, own->uio.why);
        return status;
    }
    (void)snprintf(own->what, sizeof own->what, "%s", own->uio.name);
    return RTS_OK;
}

static outcome wait_uio(state *own, int ms, edge *event, rts_ticks *resumed)
{
    const rts_uio_outcome got = rts_uio_wait(&own->uio, ms, resumed, &event->number, &event->stamp);
    return got == RTS_UIO_CAME ? CAME : got == RTS_UIO_NOTHING ? NOTHING : GONE;
}

static bool enable_uio(state *own)
{
    return rts_uio_enable(&own->uio);
}

/* ---- all ------------------------------------------------------------------------------------------------------- */

static const source edge_sources[] = {
    {RTS_SYSTEM_GPIO_SOURCE, "edges", "rising edges", open_gpio, wait_gpio, NULL, false,
     "its interrupt handler, by CLOCK_MONOTONIC, not from the edge"},
    {RTS_SYSTEM_PPS_SOURCE, "edges", "rising edges", open_pps, wait_pps, NULL, true,
     "its driver, by CLOCK_REALTIME, not from the edge"},
};

static const source device_sources[] = {
    {RTS_SYSTEM_UIO_SOURCE, "interrupts", "interrupts", open_uio, wait_uio, enable_uio, false,
     "front of its handler (irq_handler_entry), not from the device's request; when one was due is not known"},
};

static rts_status setup(rts_run *run, const source *sources, size_t count, const char *remedy)
{
    state *const own = rts_run_state(run);
    const rts_timer_spec timer = rts_run_timer(run);
    rts_clock_info clock;
    own->in = -1;
    own->out = -1;
    own->uio.file = -1;
    for (size_t i = 0; i < count; i++) {
        const size_t prefix = strlen(sources[i].prefix);
        if (strncmp(timer.source, sources[i].prefix, prefix) != 0) {
            continue;
        }
        own->source = &sources[i];
        if (rts_port_timer_clock_info(&clock) != RTS_OK || clock.hz != RTS_NS_PER_S) {
            return refuse(run, RTS_UNSUPPORTED, "%s are stamped on CLOCK_MONOTONIC; remedy: leave --probe out",
                          sources[i].unit);
        }
        const rts_status status = own->source->open(run, own, timer.source + prefix);
        return status == RTS_OK ? rts_worker_create(&own->worker, run, RTS_PRIORITY_TOP) : status;
    }
    return refuse(run, RTS_UNSUPPORTED, "%s", remedy);
}

static rts_status setup_edge(rts_run *run)
{
    return setup(run, edge_sources, sizeof edge_sources / sizeof edge_sources[0],
                 "no signal is given; remedy: --timer gpio:/dev/gpiochip0/17 or --timer pps:/dev/pps0");
}

static rts_status setup_uio(rts_run *run)
{
    return setup(run, device_sources, sizeof device_sources / sizeof device_sources[0],
                 "no device is given; remedy: --timer uio:/dev/uio0");
}

/** Takes note of an edge in the kernel's own count. */
static void note(state *own, const edge *event)
{
    if (!own->known) {
        own->known = true;
        own->first = event->number;
    } else {
        own->missed += event->number - own->last - 1u;
    }
    own->last = event->number;
}

/** The stamp on the timer's clock. False: that clock was set, or there is no stamp. */
static bool convert(state *own, const edge *event, rts_ticks *stamp)
{
    *stamp = event->stamp;
    if (!own->source->realtime) {
        return event->stamp != 0;
    }
    const bool steady = rts_stamps_read(&own->stamps);
    *stamp = rts_stamps_convert(&own->stamps, event->stamp);
    return steady;
}

/** The task. It ignores events from before its wait: nobody waited for them. */
static rts_status respond(rts_run *run, uint32_t count, rts_ticks *total)
{
    state *const own = rts_run_state(run);
    const rts_ticks patience = SILENCE_NS + 4u * rts_run_timer(run).period;
    edge event;
    rts_ticks resumed = 0;
    outcome got;
    (void)total;
    while ((got = own->source->wait(own, 0, &event, &resumed)) == CAME) {
        note(own, &event);
        own->between++;
    }
    if (got != GONE && own->source->enable != NULL && !own->source->enable(own)) {
        got = GONE;
    }
    rts_ticks last = resumed;
    for (uint32_t taken = 0; taken < count && got != GONE;) {
        got = own->source->wait(own, LOOK_MS, &event, &resumed);
        if (got == CAME) {
            rts_ticks stamp;
            const bool answered = own->out >= 0 && set_line(own->out, true);
            const rts_ticks after = rts_timer_clock_read();
            note(own, &event);
            own->taken++;
            own->unanswered += own->out >= 0 && !answered ? 1u : 0u;
            last = resumed;
            if (convert(own, &event, &stamp)) {
                rts_run_sample(run, 0, (rts_latency)(resumed - stamp), resumed);
                taken++;
            } else {
                own->in_doubt++;
            }
            if (answered) {
                rts_run_sample(run, 1, (rts_latency)(after - stamp), after);
                (void)set_line(own->out, false);
            }
            own->strange = !own->source->realtime && own->in_doubt > DOUBT_MOST + own->taken / 2u;
            if (own->strange || (own->source->enable != NULL && !own->source->enable(own))) {
                got = GONE;
            }
        } else if (rts_port_interrupted()) {
            return RTS_INTERRUPTED;
        } else if (resumed - last > (own->known ? patience : FIRST_NS)) {
            got = GONE;
        }
    }
    own->silent = got == GONE;
    return own->silent ? RTS_FAILED : RTS_OK;
}

static rts_status single(rts_run *run, uint32_t samples)
{
    state *const own = rts_run_state(run);
    return rts_worker_do(&own->worker, respond, samples, NULL);
}

/** Why the events ended before the samples were complete; empty: they did not. */
static const char *ended(const state *own)
{
    return own->strange      ? "the stamps do not match the device's count: another device shares its interrupt; "
           : own->uio.jumped ? "the device's count went backwards; "
           : own->silent     ? "the signal ended or did not come; "
                             : "";
}

/** Checks the balance: every event that the kernel counted was waited for, came between two slices, or is missed. */
static void tell(rts_run *run, state *own)
{
    const char *const unit = own->source->unit;
    const uint64_t all = own->known ? own->last - own->first + 1u : 0u;
    rts_run_check(run, unit, own->taken + own->between + own->missed, all, all);
    rts_run_check(run, "unanswered", own->unanswered, 0, 0);
    rts_run_figure(run, unit, unit, all);
    rts_run_figure(run, "waited-for", unit, own->taken);
    rts_run_figure(run, "between-slices", unit, own->between);
    rts_run_figure(run, "missed", unit, own->missed);
    rts_run_figure(run, "stamps-in-doubt", unit, own->in_doubt);
    if (own->source->realtime) {
        rts_run_figure(run, "stamp-error-most", "ns", own->stamps.widest);
    }
    if (own->uio.most != 0) {
        rts_run_figure(run, "interval-least", "ns", own->uio.least);
        rts_run_figure(run, "interval-most", "ns", own->uio.most);
    }
    (void)snprintf(own->why, sizeof own->why,
                   "%s%ju %s of %s, %ju waited for, %ju between slices, %ju missed; from the kernel's stamp in %s",
                   ended(own), (uintmax_t)all, own->source->noun, own->what, (uintmax_t)own->taken,
                   (uintmax_t)own->between, (uintmax_t)own->missed, own->source->stamped);
    rts_run_remark(run, own->why);
}

static void teardown(rts_run *run)
{
    state *const own = rts_run_state(run);
    rts_worker_destroy(&own->worker);
    if (own->what[0] != '\0') {
        tell(run, own);
    }
    if (own->out >= 0) {
        (void)close(own->out);
    }
    if (own->in >= 0) {
        (void)close(own->in);
    }
    rts_uio_close(&own->uio);
}

const rts_measurement rts_measurement_edge_response = {
    .name = "edge-response",
    .meaning = 1,
    .summary =
        "Linux only: from the kernel's stamp of a signal's edge to the task that waits for it (--timer gpio: or pps:)",
    .series = {"edge-task-response", "edge-answered"},
    .services = 1u << RTS_SERVICE_THREADS,
    .passes = RTS_PASS_SINGLE,
    .traits = RTS_ON_TIMER,
    .paced_by = RTS_PACED_FROM_OUTSIDE,
    .setup = setup_edge,
    .single = single,
    .teardown = teardown,
};

const rts_measurement rts_measurement_uio_response = {
    .name = "uio-response",
    .meaning = 1,
    .summary =
        "Linux only: from the kernel's entry into a device's interrupt handler to the task that reads its UIO device "
        "(--timer uio:)",
    .series = {"uio-task-response"},
    .services = 1u << RTS_SERVICE_THREADS,
    .passes = RTS_PASS_SINGLE,
    .traits = RTS_ON_TIMER,
    .paced_by = RTS_PACED_FROM_OUTSIDE,
    .setup = setup_uio,
    .single = single,
    .teardown = teardown,
};
