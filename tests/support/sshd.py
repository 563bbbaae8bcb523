# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""An ssh server of the tests' own on the loopback interface: its own port, keys and configuration; nothing of the machine's service."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

START_S = 20


class Sshd:
    """Serves the user who runs the tests, whose home there is a folder of the tests', by its key. `ssh` is what the tool finds on PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home with spaces"
        self.programs = folder / "bin"
        self.far_programs = folder / "far-bin"
        self.user = pwd.getpwuid(os.geteuid()).pw_name
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.port: int = taken.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Process id of the server itself, not of a connection's process."""
        assert self._process is not None
        return self._process.pid

    def start(self, *, answering: str = "") -> None:
        """Start the server. `answering`: the command that answers instead of the requested one."""
        program = shutil.which("sshd", path="/usr/sbin:/usr/local/sbin")
        assert program, "the package openssh-server is missing: make setup installs it"
        for folder in (self.home, self.programs, self.far_programs):
            folder.mkdir(exist_ok=True)
        self.folder.chmod(0o711)
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        make_keys(self.folder)
        lines = [
            *("ListenAddress 127.0.0.1", f"Port {self.port}", f"HostKey {self.folder}/host", "PidFile none"),
            *("StrictModes no", "PasswordAuthentication no", "KbdInteractiveAuthentication no", "LogLevel VERBOSE"),
            *(f"UsePAM {'yes' if os.geteuid() == 0 else 'no'}", f"AuthorizedKeysFile {self.folder}/key.pub"),
            f'SetEnv "HOME={self.home}" "XDG_CACHE_HOME={self.home}/.cache" "PATH={self.far_programs}:/usr/bin:/bin"',
            *([f"ForceCommand {answering}"] if answering else []),
        ]
        (self.folder / "sshd.conf").write_text("".join(f"{line}\n" for line in lines))
        self._process = subprocess.Popen(
            [program, "-D", "-f", f"{self.folder}/sshd.conf", "-E", f"{self.folder}/log"], stdin=subprocess.DEVNULL
        )
        give_up = time.monotonic() + START_S
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                break
            assert self._process.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < give_up
            time.sleep(0.05)
        self.client(self.port)

    def client(self, port: int, *, known: bool = True) -> None:
        """Set up the client of `far`. `known`: whether its host key is."""
        client(self.folder, self.programs, port, self.user, known=known)

    def stop(self) -> None:
        """Ends the server; connections that it has go on."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=START_S)
            self._process = None

    @property
    def kept(self) -> Path:
        """Where engines are kept on the far side."""
        return self.home / ".cache" / "rtstone" / "far"

    def engines(self) -> dict[int, str]:
        """Processes of the engines that were copied here, by their ids: none may be left by a test."""
        found = {}
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if (place / "exe").readlink().is_relative_to(self.folder):
                    found[int(place.name)] = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        return found

    def gone(self, within_s: float) -> dict[int, str]:
        """The engines that still live after this time; empty if all have ended."""
        until = time.monotonic() + within_s
        while (left := self.engines()) and time.monotonic() < until:
            time.sleep(0.02)
        return left


def make_keys(folder: Path) -> None:
    """Make the keys `host` (the server's) and `key` (the user's) in a folder, if they are not there yet."""
    for name in ("host", "key"):
        if not (folder / name).is_file():
            make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "rtstone-test", "-f", str(folder / name)]
            subprocess.run(make, check=True, capture_output=True, timeout=START_S)


def client(folder: Path, programs: Path, port: int, user: str, *, known: bool) -> None:
    """Write the configuration of `far`, and a program `ssh` that reads it alone, for the keys in `folder`.

    `known`: whether the host's key is.
    """
    key = " ".join((folder / "host.pub").read_text().split()[:2])
    (folder / "known").write_text(f"[127.0.0.1]:{port} {key}\n" if known else "")
    lines = ["Host far", "HostName 127.0.0.1", f"Port {port}", f"IdentityFile {folder}/key", "IdentitiesOnly yes"]
    lines += [f"UserKnownHostsFile {folder}/known", f"User {user}"]
    (folder / "ssh.conf").write_text("".join(f"{line}\n" for line in lines))
    ssh = shutil.which("ssh", path="/usr/bin:/bin:/usr/local/bin")
    assert ssh, "the package openssh-client is missing: make setup installs it"
    script = programs / "ssh"
    script.write_text(f'#!/bin/sh\nexec {ssh} -F {folder}/ssh.conf "$@"\n')
    script.chmod(0o755)


@contextmanager
def running() -> Iterator[Sshd]:
    """A server that runs until this context ends."""
    folder = Path(tempfile.mkdtemp(prefix="rtstone-sshd-"))
    server = Sshd(folder)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        left = server.gone(5)
        shutil.rmtree(folder)
        assert left == {}, left
