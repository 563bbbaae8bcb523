# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Record streams, good and bad."""

from __future__ import annotations

from vectors.collection import Vectors
from vectors.session import EXACT, SWITCH, VALUES, Stream, bucket, frame, good


def good_streams(v: Vectors) -> None:
    v.good("good", "one single pass, nothing wrong", good().data)
    v.good("crlf", "the same with CR LF", good().data.replace(b"\n", b"\r\n"))
    lines = good().lines
    console = [b"[    0.000000] Booting Linux\n", b"\n", b" ~ not a record: it does not begin with a tilde\n"]
    mixed = console[0] + b"".join(lines[:4]) + console[1] + console[2] + b"".join(lines[4:])
    v.good("console", "console text among the records", mixed, console_lines=3)
    wide = [-1023, -33, -1, 0, 31, 32, 33, 2**20 - 1]
    negative = Stream().head(SWITCH).begin().results(wide).bye()
    v.good("negative", "both sides of the histogram, with their first and last buckets", negative.data)
    beyond = Stream().head(SWITCH).begin().results([5, 2**20, 2**30 + 1, -1024, 2**20 - 1]).bye()
    v.good("overflow", "three samples beyond the histogram, counted in all the rest", beyond.data)
    batch = Stream().head(SWITCH | {"pass": "batch"}).begin(mode="batch", ops=1000)
    batch.put("note", item=0, kind="substituted", service="ping-semaphore", text="two semaphores")
    batch.put("check", item=0, name="switches", value="6000", low="6000", high="6000")
    batch.put("batch", item=0, first=0, v=[120000, 119000]).put("batch", item=0, first=2, v=[2**21])
    v.good("batch", "a batch pass: totals, no histogram", batch.end([120000, 119000, 2**21]).bye().data)
    raw = Stream().head(SWITCH | {"raw": 1}).begin()
    raw.put("samples", item=0, series=0, first=0, v=VALUES[:4]).put("samples", item=0, series=0, first=4, v=VALUES[4:])
    v.good("raw", "raw samples in two records", raw.results(VALUES).bye().data)
    dropped = Stream().head(SWITCH | {"raw": 1}).begin().put("samples", item=0, series=0, first=0, v=VALUES[:5])
    dropped.results(VALUES, dropped="2").bye()
    v.good("dropped", "two samples are counted but were not sent raw", dropped.data)
    load = Stream().head(SWITCH | {"load": "cpu", "intensity": 2}).begin()
    load.put("load", item=0, name="cpu", key="intensity", value="2")
    load.put("load", item=0, name="cpu", key="cpu_time_ns", value=str(2**60))
    v.good("load", "a load's stated and achieved intensity", load.results(VALUES).bye().data)
    figures = Stream().head(SWITCH).begin()
    figures.put("figure", item=0, name="bytes", unit="bytes", value=str(2**60))
    figures.put("figure", item=0, name="cpu-time", unit="ns", value="0")
    v.good("figures", "what a measurement counted beside its ticks, since 1.1", figures.results(VALUES).bye().data)
    defined = Stream().head(SWITCH).begin(meaning=2, readings=4, entered="vector")
    trail = Stream().head(SWITCH).begin()
    trail.put("event", item=0, kind="switch a b", at="-7", value="1", task="a b", pid=77, priority=99)
    trail.put("event", item=0, kind="sample split", at="40", value="1", ticks="104", task="t", pid=9, priority=90)
    what = "a step of a trail and the sample that it led to, with who had the CPU, since 1.2"
    v.good("trail", what, trail.results(VALUES).bye().data)
    what = "a begin in parts that tells its definition's number, its readings and its entry, since 1.2"
    v.good("definition", what, defined.results(VALUES).bye().data)
    new = Stream().head(SWITCH).put("weather", sky=[1, {"a": None}], text="\u2600").begin()
    new.put("note", item=0, kind="environment", service="", text="x", colour="blue", more_or_less=1.5)
    what = "a record type and keys that this version does not have"
    v.good("unknown", what, new.results(VALUES).bye().data, unknown_records=1)
    v.good("newer-minor", "version 1.7 is read", Stream().head(SWITCH, v="1.7").begin().results(VALUES).bye().data)
    v.good("counter", "count, sums and times beyond 2^53", counter().data)
    v.good("parts", "an env, a degraded and an end told in parts", parts().data)
    v.good("hostile", "strings that must not become markup, script, terminal control or a path", hostile().data)
    answers = Stream().head(SWITCH, SWITCH, SWITCH)
    text = "no such call"
    answers.put("skip", item=0, measurement="task-switch", reason="unsupported", service="yield", text=text)
    answers.begin(1).put("check", item=1, name="switches", value="9", low="10", high="10")
    answers.results(VALUES, 1, status="invalid").begin(2).put("event", item=2, kind="broken", at="77", value="0")
    answers.end([], 2, status="failed", stop="failed").bye(2, 1)
    what = "an item skipped, one invalid by its check, one failed with nothing counted"
    v.good("answers", what, answers.data, "skipped", "invalid", "failed")


def counter() -> Stream:
    stream = Stream().head(SWITCH).begin()
    values = [100, 104]
    stream.put(
        "hist",
        item=0,
        series=0,
        side="+",
        b=[n for pair in sorted((bucket(x), EXACT) for x in (100, 104)) for n in pair],
    )
    stream.put("extreme", item=0, series=0, value=104, index=str(2**53 + 1), at=str(2**63))
    total = {"count": 2 * EXACT, "sum": EXACT * (100 + 104), "sumsq": EXACT * (100**2 + 104**2), "elapsed": 2**63 + 1}
    return stream.end(values, **{key: str(value) for key, value in total.items()}).bye()


def parts() -> Stream:
    stream = Stream().head(SWITCH)
    for part in ("a" * 150, "b" * 150):
        stream.put("env", key="kernel.cmdline", value=part, more=1)
    stream.put("env", key="kernel.cmdline", value="\U0001f600 end")
    stream.put("degraded", reason="sched-fifo", text="no privilege for SCHED_FIFO; " + "x" * 120, more=1)
    stream.put("degraded", reason="sched-fifo", text="end", remedy="sudo setcap ", more=1)
    stream.put("degraded", reason="sched-fifo", remedy="cap_sys_nice=ep engine")
    stream.begin().put("hist", item=0, series=0, side="+", b=[40, 1]).put(
        "extreme", item=0, series=0, value=48, index="0", at="9"
    )
    return (
        stream.put("end", item=0, series=0, status="ok", stop="count", count="1", overflow="0", dropped="0", more=1)
        .put("end", item=0, series=0, min=48, max=48, sum="48", sumsq="2304", elapsed="10")
        .bye()
    )


def hostile() -> Stream:
    stream = Stream().head(SWITCH)
    for key, value in (
        ("cpu.model", "</script><script>alert(1)</script>"),
        ("kernel.version", '"><img src=x onerror=alert(2)>'),
        ("compiler", "'; DROP TABLE session; --"),
        ("tunable.x", "\x1b[2J\x1b]0;owned\x07\r\n\u202e\u0000"),
        ("path", "../../../etc/passwd"),
        ("template", "{{ 7 * 7 }} ${7*7} %s %n <!-- \\ & -->"),
        ("unicode", "\u00b5s \u2028 \ufeff \U0001f600"),
        ("tilde", "~0 {}"),
    ):
        stream.put("env", key=key, value=value)
    stream.begin().put(
        "note", item=0, kind="substituted", service="queue", text="<b>bold</b> | `code` [x](javascript:alert(3))"
    )
    return stream.results(VALUES).bye()


LINES = good().lines
EXTREME = next(i for i, line in enumerate(LINES) if b'"extreme"' in line)


def with_extreme(*instead: bytes) -> bytes:
    """The good stream with something else in the place of one extreme."""
    return b"".join([*LINES[:EXTREME], *instead, *LINES[EXTREME + 1 :]])


def losses(v: Vectors) -> None:
    lost = [["incomplete"]]
    line = LINES[EXTREME]
    what = "one character of an extreme is changed"
    flipped = with_extreme(line.replace(b"1999", b"1998"))
    v.stream("corrupt-crc", what, flipped, "incomplete", lost, bad_lines=1, gaps=1, missing_records=1)
    v.stream("lost-line", "an extreme is missing", with_extreme(), "incomplete", lost, gaps=1, missing_records=1)
    cut = b"".join(LINES[:EXTREME]) + line[:40]
    v.stream("truncated", "ends within a line; no bye", cut, "incomplete", lost, bad_lines=1, no_bye=1)
    v.stream("no-bye", "ends after the last end", b"".join(LINES[:-1]), "incomplete", [["ok"]], no_bye=1)
    v.stream("duplicate", "one line comes twice", with_extreme(line, line), "incomplete", [["ok"]], duplicates=1)
    half = len(line) // 2
    torn = line[:half] + b"[   12.345678] usb 1-1: new high-speed USB device number 2\n" + line[half:]
    counts = {"bad_lines": 1, "console_lines": 1, "gaps": 1, "missing_records": 1}
    v.stream("kernel-message", "a kernel's message within a record", with_extreme(torn), "incomplete", lost, **counts)
    again = Stream().head(SWITCH, nonce="fedcba9876543210").begin().results(VALUES).bye()
    what = "a second hello in mid-run: the first session is incomplete, the second complete"
    v.stream("reset", what, b"".join(LINES[:EXTREME]) + again.data, "reset", [["incomplete"], ["ok"]], no_bye=1)
    wrap = Stream(2**32 - 3)
    for number in range(6):
        wrap.put("env", key="wrap", value=str(number))
    what = "a piece of a stream whose seq goes from ffffffff to 0: what is missing is before it, not at the wrap"
    v.stream("sequence-wrap", what, wrap.data, "incomplete", [[]], gaps=1, missing_records=2**32 - 3, no_bye=1)
    shapes = [
        b"~\n",
        b"~0 {}\n",
        frame(0, '{"t":"env"}').replace(b"~0", b"~00"),
        frame(0, '["t"]'),
        frame(0, "{}x"),
        frame(0, " {}"),
        frame(0, '{"t":"' + "x" * 300 + '"}'),
    ]
    what = "lines that begin as records and are none: cut, zero-padded, no object, two spaces, too long"
    v.stream("shapes", what, b"".join(shapes), "incomplete", [[]], bad_lines=7, no_bye=1)


def disagreements(v: Vectors) -> None:
    major = Stream().head(SWITCH, v="2.0").begin().results(VALUES).bye()
    v.stream("newer-major", "version 2.0 is refused", major.data, "refused", [[]])
    counts = Stream().head(SWITCH).begin().results(VALUES, count="8").bye()
    v.good("wrong-count", "the buckets hold 7 samples, end says 8", counts.data, "invalid")
    lied = Stream().head(SWITCH).begin().results(VALUES).bye(more=1)
    v.stream("wrong-bye", "bye counts one record more than came", lied.data, "incomplete", [["ok"]])
    silent = Stream().head(SWITCH, SWITCH).begin().results(VALUES).bye()
    what = "the second item of the plan has no answer"
    v.stream("unanswered", what, silent.data, "incomplete", [["ok", "incomplete"]])
    stopped = Stream().head(SWITCH, SWITCH).begin().results(VALUES, stop="interrupted")
    text = "the run was ended before its turn"
    stopped.put("skip", item=1, measurement="task-switch", reason="interrupted", service="", text=text)
    what = "ended by the user: the first item has what was counted"
    v.stream("interrupted", what, stopped.bye(1, 1, "interrupted").data, "incomplete", [["incomplete", "incomplete"]])
    refused = Stream().put("hello", v="1.2", engine="0.1.0", port="vectors", nonce="0123456789abcdef")
    refused.put("refused", text="plan refused at its record 1: count is out of range")
    refused.put("bye", items=0, measured=0, skipped=0, status="failed", records="3")
    v.stream("refused-plan", "the engine refuses its plan", refused.data, "incomplete", [[]])
