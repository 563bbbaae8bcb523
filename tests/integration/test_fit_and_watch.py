# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone fit`, `tails` and `watch` as a user starts them, on the simulated and the local target."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

import jsonschema
import pytest

from rtstone.archive import open_archive
from rtstone.judge.fit import samples_needed
from rtstone.model import short_id
from rtstone.model.units import counted
from support.command import command, environment
from support.command import rtstone as run
from support.schemas import schema

pytestmark = pytest.mark.usefixtures("engine", "simulated_engine")

LOOSE = ("--period", "1ms", "--deadline", "900ms")
SHARE = ("--exceedance", "1%")


def test_without_a_run_it_measures_keeps_and_judges() -> None:
    done = run("fit", *LOOSE, *SHARE, "--load", "none", "--count", "700", "--json")
    report = json.loads(done.stdout)
    jsonschema.validate(report, schema("fit"))
    assert report["outcome"] == "meets"
    thread = next(level for level in report["levels"] if level["level"] == "thread")
    assert thread["verdict"] == "meets"
    # On a busy machine the kernel's split may be invalid and then shows nothing. A row that meets the level has all its
    # samples.
    shown = [row for way in thread["ways"] for row in way["rows"] if row["verdict"] == "meets"]
    assert len(shown) >= 2
    assert all(row["samples"] >= 700 and row["misses"] == 0 for row in shown)
    assert [one.id for one in open_archive().list()] == report["runs"]
    again = run("fit", *LOOSE, *SHARE, "last", "--json")
    assert json.loads(again.stdout) == report


def test_it_says_how_long_to_measure_or_that_no_level_meets_it() -> None:
    done = run("fit", *LOOSE, "--load", "none", "--count", "300", expect=4)
    report = json.loads(run("fit", *LOOSE, "last", "--json", expect=4).stdout)
    # All rows share the confidence: each has a part of the allowed error.
    needed = samples_needed(0, 1e-6, 1 - 0.05 / report["rows_able"])
    assert report["count_needed"] == needed
    assert f"--count {needed}" in done.stdout
    assert "no level is shown to meet it yet" in done.stdout
    assert "worst" not in done.stdout
    hopeless = run("fit", "--period", "1ms", "--deadline", "1ns", "last", expect=1)
    assert "no level that was measured meets it" in hopeless.stdout
    other = run("fit", "--period", "2ms", "--deadline", "1ms", "last", expect=4)
    assert "measured at 1 ms; this needs 2 ms" in other.stdout


def test_a_simulated_kernel_is_said_to_be_none() -> None:
    done = run("fit", *LOOSE, *SHARE, "-t", "simulated", "--load", "none", "--count", "400")
    assert "a script's figures, of no machine" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--period", "1", "--deadline", "5us", "last"), "--period takes a time with its unit"),
        (("--period", "1us", "--deadline", "5", "last"), "--deadline takes a time with its unit"),
        ((*LOOSE, "--exceedance", "2", "last"), "--exceedance takes a share"),
        ((*LOOSE, "--confidence", "40%", "last"), "shows nothing"),
        ((*LOOSE, "--count", "5", "last"), "--count is for a new measurement"),
        ((*LOOSE, "--exceedance", "1e-12", "last"), "more samples than an item can have"),
    ],
)
def test_refusals_of_fit(arguments: tuple[str, ...], says: str) -> None:
    assert says in run("fit", *arguments, expect=2).stderr


def test_tails_of_a_kept_run_are_refused_with_their_reasons() -> None:
    run("run", "-m", "semaphore-get-release", "--load", "none", "--count", "4000", "--raw", "--sets", "5", "-r", "1")
    done = run("fit", "--tail", "--quantity", "semaphore-get-release", "--once-in", "1e12", "--json", expect=4)
    made = json.loads(done.stdout)
    jsonschema.validate(made, schema("tails"))
    (tail,) = made["tails"]
    assert (tail["once_in"], tail["samples"], tail["value_ns"]) == (1e12, 4000, None)
    assert tail["refused"]
    assert tail["text"]
    assert "they have semaphore-get-release" in run("fit", "--tail", "--quantity", "nothing", expect=2).stderr


def test_watch_without_a_terminal_prints_lines_ends_in_time_and_keeps_a_complete_run() -> None:
    begun = time.monotonic()
    done = run("watch", "-m", "interrupt-response", "--load", "cpu", "--duration", "3s", expect=None)
    # If the machine is taken away for longer than the engine can be behind, a slice is doubtful. The command then
    # reports this and does not succeed.
    assert done.returncode == (4 if " doubtful result" in done.stderr else 0), done.stderr
    assert time.monotonic() - begun < 60
    last = done.stdout.strip().splitlines()[-1]
    kept = open_archive().load("last")
    results = [r for r in kept.results() if r.quantity == "interrupt-task-response"]
    assert kept.status == "complete"
    assert len(results) == len(kept.sessions) >= 2
    assert f"interrupt-task-response: {counted(sum(r.count for r in results), 'sample')}" in last
    assert all(r.variant.load == "cpu" and r.load for r in results)
    assert [s.repetition for s in kept.sessions] == list(range(len(kept.sessions)))
    assert len(open_archive().raw_logs("last")) == len(kept.sessions)


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        ("| head -1 > /dev/null; exit ${PIPESTATUS[0]}", 0),
        ("> /dev/full", 3),
        ("> $said & until test -s $said; do sleep 0.1; done; kill -HUP $!; wait $!", 0),
    ],
)
def test_watch_keeps_what_it_measured_when_its_output_or_terminal_goes(ending: str, code: int) -> None:
    words = command("watch", "-m", "semaphore-ping", "--duration", "60s")
    begun = time.monotonic()
    done = subprocess.run(
        ["/bin/bash", "-c", f'said=$(mktemp); trap "rm $said" EXIT; "$@" {ending}', "sh", *words],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert (done.returncode, time.monotonic() - begun < 55) == (code, True), done.stderr
    (kept,) = open_archive().list()
    assert kept.measured >= 1
    assert f"saved as {short_id(kept.id)} in " in done.stderr


def test_run_keeps_what_is_complete_when_its_terminal_goes() -> None:
    words = command("run", "-m", "semaphore-ping", "--load", "none", "--count", "2000", "--repetitions", "200")
    waits = "while kill -0 $! && ! ls $HOME/.local/share/rtstone/archive.sqlite; do sleep 0.1; done; sleep 0.3; kill -HUP $!; wait $!"
    done = subprocess.run(
        ["/bin/bash", "-c", f'"$@" & {waits}', "sh", *words],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 130, done.stderr
    (kept,) = open_archive().list()
    assert (kept.status, kept.measured >= 2) == ("interrupted", True)
    asked = re.search(r"rtstone run --resume ([0-9a-f]+) measures the rest", done.stderr)
    assert asked is not None
    assert asked[1] in kept.id


def test_watch_of_another_target_and_of_what_has_no_period() -> None:
    done = run("watch", "-t", "simulated", "-m", "semaphore-ping", "--duration", "1s", "--no-archive")
    assert "semaphore-ping" in done.stdout
    assert not open_archive().list()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--duration", "soon"), "--duration takes a time"),
        (("-m", "nothing"), "nothing"),
        (("--load", "nothing"), "unknown load"),
        (("-t", "nowhere"), "unknown kind of target 'nowhere'"),
    ],
)
def test_refusals_of_watch(arguments: tuple[str, ...], says: str) -> None:
    assert says in run("watch", *arguments, expect=2).stderr


def test_watch_of_a_skipped_measurement_ends_and_says_why() -> None:
    done = run("watch", "-t", "simulated", "-m", "user-isr-total", "--duration", "30s", expect=4)
    assert "nothing was measured: user-isr-total" in done.stderr


def _in_terminal(*arguments: str, until: bytes, then: int) -> tuple[int, bytes]:
    """The command in a terminal of 80 by 24, sent a signal once it has shown something."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        command(*arguments),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**environment(), "TERM": "xterm", "NO_COLOR": "1"},
    )
    os.close(slave)
    shown, sent, deadline = b"", False, time.monotonic() + 90
    while time.monotonic() < deadline:
        if not select.select([master], [], [], 0.2)[0]:
            if process.poll() is not None:
                break
            continue
        try:
            shown += os.read(master, 65536)
        except OSError:
            break
        if until in shown and not sent:
            sent = True
            process.send_signal(then)
    os.close(master)
    return process.wait(30), shown


def test_in_a_terminal_ctrl_c_ends_it_orderly_and_no_colour_is_used(tmp_path: Path) -> None:
    code, shown = _in_terminal("watch", "-m", "interrupt-response", until=b"largest so far", then=signal.SIGINT)
    assert code == 0, shown[-2000:]
    assert "█".encode() in shown
    assert b"\x1b[3" not in shown
    assert b"\x1b[?25h" in shown, "the cursor is back"
    assert open_archive().load("last").status == "complete"


def test_watch_that_is_killed_keeps_every_slice_that_was_complete() -> None:
    watching = subprocess.Popen(
        command("watch", "-m", "semaphore-ping", "--label", "killed"),
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + 60
        while sum(one.measured for one in open_archive().list()) < 3:
            assert watching.poll() is None, "it ended by itself"
            assert time.monotonic() < until
            time.sleep(0.1)
    finally:
        os.kill(watching.pid, signal.SIGKILL)
        watching.wait(timeout=30)
    kept = open_archive().load("last")
    assert (kept.label, kept.status, kept.planned) == ("killed", "incomplete", len(kept.sessions) + 1)
    assert len(kept.sessions) >= 3
    assert sum(result.count for result in kept.results()) > 0
    assert len(open_archive().raw_logs("last")) == len(kept.sessions)
