# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium with a profile of its own: makes a page's picture, its document and its console output."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    # Nothing may be reached; every attempt fails at once.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr",
)
_PATIENCE_S = 60


@dataclass(frozen=True)
class Visit:
    """The document and the console output of a page in a browser."""

    document: str
    console: tuple[str, ...]


def visit(page: Path, *flags: str, profile: Path, width: int = 1300, height: int = 900) -> Visit:
    """Load a page and wait (in the page's own time) until its scripts have nothing left to do.

    Raises RuntimeError if there is no Chromium, or if it does not end; its whole family of processes is gone then.
    """
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        raise RuntimeError("no Chromium: run `tools/setup test`")
    command = [
        program,
        *FLAGS,
        f"--user-data-dir={profile}",
        f"--window-size={width},{height}",
        "--virtual-time-budget=30000",
        *flags,
        page.as_uri(),
    ]
    # A session of its own, so that nothing of it outlives the test.
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True) as browser:
        try:
            out, err = browser.communicate(timeout=_PATIENCE_S)
        except subprocess.TimeoutExpired as error:
            os.killpg(browser.pid, signal.SIGKILL)
            raise RuntimeError(f"Chromium did not end within {_PATIENCE_S} s") from error
    said = re.findall(r":CONSOLE[:(]\d+\)?\] (.*)", err.decode(errors="replace"))
    return Visit(out.decode(errors="replace"), tuple(said))


def document(page: Path, *, profile: Path, width: int = 1300, height: int = 900) -> Visit:
    """The document as the scripts left it."""
    return visit(page, "--dump-dom", profile=profile, width=width, height=height)


def picture(page: Path, into: Path, *, profile: Path, height: int) -> Visit:
    """A PNG of the window's upper left part."""
    return visit(page, f"--screenshot={into}", profile=profile, height=height)
