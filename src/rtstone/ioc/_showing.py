# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The IOC's screen as a process of its own: its requirements, its start, its end."""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from rtstone.errors import InfrastructureError
from rtstone.ioc._process import ProgramReader
from rtstone.ioc._settings import IocSettings
from rtstone.resources import checkout_root

START_S = 60.0
"""Longest time until the screen appears; Qt's first start reads every font."""

SHOWN = "rtstone-display: shown"
"""Line that its process prints when the window is open."""

_OURS, _QT = "rtstone-display: ", "qt.qpa."
_PACKAGES = ("pydm", "PyQt5", "pyqtgraph", "epics", "epicscorelibs")
_WITHOUT_A_SCREEN = ("offscreen", "minimal", "vnc", "eglfs", "linuxfb")


def check_display() -> None:
    """Raise InfrastructureError, with a remedy, if PyDM is missing or there is no screen to draw on."""
    check_requirements()
    check_screen(os.environ)


def check_requirements() -> None:
    """Raise InfrastructureError, with the command that installs it, if PyDM or one of its requirements is missing."""
    for package in _PACKAGES:
        if importlib.util.find_spec(package) is None:
            command = "make display" if checkout_root() is not None else "pip install 'rtstone[ioc,display]'"
            raise InfrastructureError(f"the display needs PyDM (no Python package {package}): {command}")


def check_screen(environment: Mapping[str, str]) -> None:
    """Raise InfrastructureError if Qt would find no screen to draw on.
    Qt itself would end the process, with a long output."""
    if environment.get("QT_QPA_PLATFORM", "").split(":")[0] in _WITHOUT_A_SCREEN:
        return
    if not environment.get("DISPLAY") and not environment.get("WAYLAND_DISPLAY"):
        raise InfrastructureError(
            "there is no screen for the display: DISPLAY and WAYLAND_DISPLAY are not set (over ssh: ssh -X)"
        )


class Showing:
    """The screen of one IOC, from its start to its end: ``with Showing(settings) as screen:``.

    Entering raises InfrastructureError when PyDM or a screen is missing, or no IOC answers.
    """

    def __init__(self, settings: IocSettings) -> None:
        self._settings = settings
        self._shown = threading.Event()
        self._ended = False
        self._failed = False
        command = (sys.executable, "-m", "rtstone.ioc.display", "--with-parent", "--prefix", settings.prefix)
        self._program = ProgramReader(command, settings.client_environment(), self._hear)

    def poll(self) -> int | None:
        """The exit code of its process, or None while the window is open."""
        return self._program.poll()

    def failed(self) -> bool:
        """Whether its process has ended for another reason than closing the window."""
        return self._failed if self._ended else self.poll() not in (None, 0)

    def said(self) -> str:
        """The most important line of its output: its own words, else Qt's first line, else the last line."""
        lines = [line for line in self._program.lines if line and line != SHOWN]
        ours = [line.removeprefix(_OURS) for line in lines if line.startswith(_OURS)]
        of_qt = [line.removeprefix(_QT) for line in lines if line.startswith(_QT)]
        return [*ours[-1:], *of_qt[:1], *lines[-1:], "it said nothing"][0]

    def _hear(self, line: str) -> None:
        if line == SHOWN:
            self._shown.set()

    def __enter__(self) -> Self:
        check_display()
        self._program.__enter__()
        waited = 0.0
        while not self._shown.wait(0.05):
            waited += 0.05
            if self._program.poll() is not None:
                self._program.end()
                raise InfrastructureError(f"the display did not start: {self.said()}")
            if waited > START_S:
                self._program.end()
                raise InfrastructureError(f"the display did not start within {START_S:.0f} s: {self.said()}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._failed, self._ended = self.failed(), True  # an exit code caused by our ending it is no failure
        self._program.end()
