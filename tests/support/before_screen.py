# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An operator before the IOC's screen: clicks, types, looks. The screen is a process of its own, drawn without a display."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rtstone.ioc import IocSettings
from support.ioc import end_of_input, free_port

OFFSCREEN = {"QT_QPA_PLATFORM": "offscreen"}


def environment(settings: IocSettings, root: Path) -> dict[str, str]:
    """Of a screen of one IOC: no display, and a repeater's port of its own."""
    sources = {"PYTHONPATH": str(root / "src"), "EPICS_CA_REPEATER_PORT": str(free_port())}
    return os.environ | settings.client_environment() | OFFSCREEN | sources


class Operator:
    """Requests to support/display_screen.py."""

    def __init__(self, settings: IocSettings, root: Path, errors: Path) -> None:
        self._errors = errors
        with errors.open("w", encoding="utf-8") as said:
            self._program = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("display_screen.py")), settings.prefix],
                env=environment(settings, root),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
            )

    def do(self, what: str, **request: Any) -> Any:
        """Send a request to the screen's process. Returns its answer."""
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        self._program.stdin.write(json.dumps({"do": what, **request}) + "\n")
        self._program.stdin.flush()
        line = self._program.stdout.readline()
        assert line, self.said()
        found = json.loads(line)
        assert not (isinstance(found, dict) and "error" in found), (what, request, found)
        return found

    def text(self, name: str) -> str:
        """The text of a field."""
        return str(self.do("look", name=name)["text"])

    def until(self, look: Callable[[], Any], wanted: Any, seconds: float = 30) -> None:
        """Wait until something is seen."""
        end = time.monotonic() + seconds
        while (now := look()) != wanted:
            assert time.monotonic() < end, f"{now!r}, not {wanted!r}, after {seconds} s: {self.said()}"
            time.sleep(0.1)

    def until_text(self, name: str, wanted: str) -> None:
        """Wait until a field shows a text."""
        self.until(lambda: self.text(name), wanted)

    def values(self, name: str) -> list[float]:
        """The values that a plot has drawn."""
        return list(self.do("look", name=name)["values"])

    def said(self) -> str:
        """Everything that the screen's process wrote on standard error."""
        return self._errors.read_text(encoding="utf-8")

    def end(self) -> None:
        """Close the screen."""
        end_of_input(self._program)
