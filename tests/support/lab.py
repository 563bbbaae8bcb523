# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A lab of the tests' own: labgrid's coordinator and an exporter on the loopback interface, killed as tests like it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

ENVIRONMENT = Path(__file__).resolve().parents[2] / ".venv" / "labgrid" / "bin"
START_S = 60


class Lab:
    """Places and their contents: name -> (tags, resources as an exporter's file has them)."""

    def __init__(self, folder: Path, places: Mapping[str, tuple[Mapping[str, str], Mapping[str, object]]]) -> None:
        assert (ENVIRONMENT / "labgrid-coordinator").exists(), "labgrid is missing: tools/setup test installs it"
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.address = f"127.0.0.1:{taken.getsockname()[1]}"
        known = {
            name: {"tags": dict(tags), "matches": [{"exporter": "bench", "group": name, "cls": "*"}]}
            for name, (tags, _) in places.items()
        }
        # JSON is YAML.
        (folder / "places.yaml").write_bytes(msgspec.json.encode(known))
        (folder / "exporter.yaml").write_bytes(msgspec.json.encode({name: has for name, (_, has) in places.items()}))
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._sessions: list[int] = []

    @property
    def python(self) -> str:
        """Labgrid's own."""
        return str(ENVIRONMENT / "python")

    def start(self) -> None:
        """Both, where they do not run."""
        exporter = ("-c", self.address, "-n", "bench", "--hostname", "127.0.0.1", str(self.folder / "exporter.yaml"))
        for name, words in (("coordinator", ("-l", self.address)), ("exporter", exporter)):
            process = self._running.get(name)
            if process is None or process.poll() is not None:
                with (self.folder / f"{name}.log").open("ab") as log:
                    self._running[name] = subprocess.Popen(
                        [str(ENVIRONMENT / f"labgrid-{name}"), *words],
                        cwd=self.folder,
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=log,
                        start_new_session=True,
                    )
                    self._sessions.append(self._running[name].pid)
            until = time.monotonic() + START_S
            while name == "coordinator":
                with suppress(OSError), socket.create_connection(self.address.rsplit(":", 1), 1):  # type: ignore[arg-type]
                    break
                assert time.monotonic() < until, (self.folder / "coordinator.log").read_text()
                time.sleep(0.05)

    def kill(self, name: str) -> None:
        """As a crash would: `coordinator` or `exporter`."""
        self._running[name].kill()
        self._running[name].wait()

    def client(self, *words: str) -> str:
        """The output of labgrid's own client."""
        asked = [str(ENVIRONMENT / "labgrid-client"), "-x", self.address, *words]
        done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=START_S)
        return done.stdout + done.stderr

    def stop(self) -> None:
        """Ends both, and the processes that killed exporters have left behind."""
        for session in self._sessions:
            with suppress(ProcessLookupError):
                os.killpg(session, signal.SIGKILL)
        for process in self._running.values():
            process.wait()


@contextmanager
def running(places: Mapping[str, tuple[Mapping[str, str], Mapping[str, object]]]) -> Iterator[Lab]:
    """A lab that runs until this context ends."""
    folder = Path(tempfile.mkdtemp(prefix="rtstone-lab-"))
    lab = Lab(folder, places)
    try:
        lab.start()
        yield lab
    finally:
        lab.stop()
        shutil.rmtree(folder)
