# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An engine that misbehaves as its plan's first measurement says: hang, die, exit, chatter, refuse, newer, degraded, stubborn."""

from __future__ import annotations

import os
import signal
import sys
import time

from rtstone.stream import plan
from support.stream_writer import StreamWriter
from support.streams import single

STOP: list[int] = []


def _say(*lines: bytes) -> None:
    sys.stdout.buffer.write(b"".join(lines))
    sys.stdout.buffer.flush()


def _preamble(writer: StreamWriter, asked: plan.Plan, version: str) -> None:
    _say(
        writer.record("hello", v=version, engine="fake", port="fake", nonce=f"{os.getpid():016x}"),
        writer.record("plan", v="1.0", seed=str(asked.seed), repetition=asked.repetition, items=len(asked.items)),
        *(writer.record("item", item=i.item, measurement=i.measurement, load=i.load) for i in asked.items),
        writer.record("clock", id=0, name="fake", hz="1000000000", source="definition"),
    )


def main() -> int:
    """Reads the plan, then does as its first measurement says; others are measured as they should be."""
    asked = plan.decode(sys.stdin.buffer.read())
    way = asked.items[0].measurement
    writer = StreamWriter()
    if way == "refuse":
        _say(
            writer.record("hello", v="1.0", engine="fake", port="fake", nonce="0" * 16),
            writer.record("refused", text="this plan cannot be"),
            writer.bye(0, status="failed"),
        )
        return 2
    if way == "mute":
        _say(b"no records here\n")
        return 0
    _preamble(writer, asked, "2.0" if way == "newer" else "1.0")
    if way == "degraded":
        _say(writer.record("degraded", reason="sched", text="no SCHED_FIFO", remedy="setcap cap_sys_nice+ep engine"))
    if way == "chatter":
        sys.stderr.write("a word of warning\n")
        sys.stderr.flush()
        time.sleep(0.05)
    for item in asked.items:
        if item.measurement in ("hang", "stubborn"):
            if item.measurement == "stubborn":
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            _say(b"about to hang\n")
            time.sleep(600)
        if item.measurement == "die":
            _say(b"Oops: kernel NULL pointer dereference\n")
            os.kill(os.getpid(), signal.SIGSEGV)
        if item.measurement == "exit":
            sys.stderr.write("cannot go on\n")
            return 3
        if item.measurement == "wait":
            signal.signal(signal.SIGINT, lambda number, _: STOP.append(number))
            _say(b"waiting\n")
            while not STOP:
                time.sleep(0.01)
            _say(
                writer.record("skip", item=item.item, measurement="wait", reason="interrupted"),
                writer.bye(item.item, 1, status="interrupted"),
            )
            return 130
        _say(*single(writer, item.item, [5, 6, 7], measurement=item.measurement, cpu=0))
    _say(writer.bye(len(asked.items)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
