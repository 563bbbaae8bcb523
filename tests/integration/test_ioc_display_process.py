# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The IOC's screen as a process beside the IOC: started, closed, killed, and the message if a library is missing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rtstone.ioc import Ioc, IocSettings
from support import png
from support.before_screen import OFFSCREEN, environment
from support.command import command, rtstone
from support.command import environment as command_environment
from support.images import lasting_cache
from support.ioc import Client, free_port, private, programs

__all__ = ["programs"]  # the fixture

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def served(programs: Path) -> Iterator[IocSettings]:
    """An IOC that runs."""
    settings = private()
    with Ioc(programs, settings):
        yield settings


def screens_of(port: int) -> list[int]:
    """The processes that show the screen of the IOC on this port."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes().split(b"\0")
            variables = (place / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"rtstone.ioc.display" in words and f"EPICS_CA_SERVER_PORT={port}".encode() in variables:
            found.append(int(place.name))
    return found


def wait_for_no_screen(port: int, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while found := screens_of(port):
        assert time.monotonic() < end, f"{found} have not ended"
        time.sleep(0.2)


def wait_for_line(file: Path, line: str, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while line not in (text := file.read_text(encoding="utf-8")).splitlines():
        assert time.monotonic() < end, text
        time.sleep(0.2)


def test_the_command_shows_it_in_a_process_of_its_own(programs: Path, root: Path, tmp_path: Path) -> None:
    """A window that is closed ends no IOC; an IOC that ends closes its window."""
    port = free_port()
    words = command("ioc", "--display", "--port", str(port), "--pva-port", "0", "--scan", "Passive")
    with lasting_cache(root):
        environ = command_environment() | OFFSCREEN
    with (tmp_path / "said").open("w", encoding="utf-8") as said:
        program = subprocess.Popen(words, env=environ, stdout=said, stderr=subprocess.STDOUT)
    try:
        wait_for_line(tmp_path / "said", "the display is open")
        (screen,) = screens_of(port)
        assert int(Path(f"/proc/{screen}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[1]) == program.pid
        client = Client(IocSettings(ca_port=port, pva_port=None))
        try:
            client.until("state", 0)
            os.kill(screen, signal.SIGTERM)
            wait_for_no_screen(port)
            time.sleep(1)
            assert client.get("count") == 0
            assert program.poll() is None
        finally:
            client.end()
        program.terminate()
        assert program.wait(30) == 3  # it was killed, not closed
    finally:
        program.kill()
        program.wait(10)
    text = (tmp_path / "said").read_text(encoding="utf-8")
    assert "the IOC goes on" in text
    assert "Traceback" not in text


def test_another_screen_of_an_ioc_that_runs(served: IocSettings) -> None:
    port = str(served.ca_port)
    words = command("ioc", "--attach", "--port", port, "--duration", "60")
    program = subprocess.Popen(
        words, env=command_environment() | OFFSCREEN, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        assert program.stdout is not None
        assert program.stdout.readline().startswith(f"showing rtstone:* of 127.0.0.1:{port}")
        assert len(screens_of(served.ca_port)) == 1
        program.kill()  # nobody is left to end the screen
        program.wait(10)
        wait_for_no_screen(served.ca_port)
    finally:
        program.kill()
        program.communicate(timeout=10)


def test_a_picture_without_a_hand(served: IocSettings, root: Path, tmp_path: Path) -> None:
    picture = tmp_path / "screen.png"
    words = [sys.executable, "-m", "rtstone.ioc.display", "--after", "3"]
    environ = environment(served, root)
    done = subprocess.run([*words, "--picture", picture], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert png.read(picture.read_bytes()).width == 1320
    nowhere = tmp_path / "no folder" / "screen.png"
    done = subprocess.run([*words, "--picture", nowhere], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr.splitlines()[-1] == f"rtstone-display: {nowhere} cannot be written"


# ---- what can be missing ---------------------------------------------------------------------------------------------


def test_no_ioc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    port = str(free_port())
    done = rtstone("ioc", "--attach", "--port", port, expect=3)
    (line,) = done.stderr.splitlines()
    assert line == (
        f"rtstone: the display did not start: no IOC answers for rtstone:state at 127.0.0.1, port {port}, within 10 s"
    )


def test_no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    for words in (("--display",), ("--attach",)):
        (line,) = rtstone("ioc", *words, expect=3).stderr.splitlines()
        assert line.startswith("rtstone: there is no screen for the display: DISPLAY and WAYLAND_DISPLAY are not set")


def test_a_screen_that_is_not_there(served: IocSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.setenv("DISPLAY", ":7777")
    (line,) = rtstone("ioc", "--attach", "--port", str(served.ca_port), expect=3).stderr.splitlines()
    assert line == "rtstone: the display did not start: xcb: could not connect to display :7777"


def test_no_pydm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A Python in which the package cannot be found."""
    hide = (
        "import importlib.util\n_find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, package=None: None if name == 'pydm' else _find(name, package)\n"
    )
    (tmp_path / "sitecustomize.py").write_text(hide, encoding="utf-8")
    environ = command_environment() | OFFSCREEN
    environ["PYTHONPATH"] = f"{tmp_path}{os.pathsep}{environ['PYTHONPATH']}"
    words = command("ioc", "--display")
    done = subprocess.run(words, env=environ, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 3
    assert done.stderr == "rtstone: the display needs PyDM (no Python package pydm): make display\n"


def test_options_that_exclude_each_other() -> None:
    for words in (("--load", "5"), ("--json",), ("--build",)):
        (line,) = rtstone("ioc", "--attach", *words, expect=2).stderr.splitlines()
        assert "--attach starts no IOC" in line
