# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of the tests' own: a cluster in a temporary folder, on a socket there, and gone at the end."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

START_S = 60


class Server:
    """Speaks on no network. Stopped and started again as tests like it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
        assert programs, "the package postgresql is missing: make setup installs it"
        self._programs = programs[-1].parent
        self._process: subprocess.Popen[bytes] | None = None
        self._databases = 0

    def make(self) -> None:
        """An empty cluster; every user of this machine may speak to it, but the folder lets none in save its own and root."""
        options = ("-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        subprocess.run(
            [*self._as_user(), self._programs / "initdb", "-D", self.folder / "data", *options],
            capture_output=True,
            check=True,
            timeout=START_S,
            cwd="/",
        )

    def start(self) -> None:
        """Starts the server and waits until it answers."""
        given = {"listen_addresses": "", "unix_socket_directories": str(self.folder), "fsync": "off"}
        given |= {"max_connections": "200", "logging_collector": "off"}
        options = [word for key, value in given.items() for word in ("-c", f"{key}={value}")]
        command = [*self._as_user(), str(self._programs / "postgres"), "-D", str(self.folder / "data"), *options]
        give_up = time.monotonic() + START_S
        with (self.folder / "log").open("ab") as log:
            while True:
                if self._process is None or self._process.poll() is not None:  # helpers of a killed one may still live
                    self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/")
                if not subprocess.run(self._ask("SELECT 1"), capture_output=True, check=False, cwd="/").returncode:
                    return
                assert time.monotonic() < give_up, (self.folder / "log").read_text(errors="replace")
                time.sleep(0.1)

    def stop(self) -> None:
        """Ends the server. Statements under way are broken off, as if the server were killed in the middle."""
        if self._process is not None:
            self._process.send_signal(3)  # SIGQUIT: at once
            self._process.wait(timeout=START_S)
            self._process = None

    def kill(self) -> None:
        """Kills the server itself, as a failing machine would; its helpers end by themselves, and until then it cannot be started."""
        assert self._process is not None
        self._process.kill()
        self._process.wait(timeout=START_S)
        self._process = None

    def sql(self, statement: str, database: str = "postgres") -> str:
        """Run a statement. Returns the output of the server's own client."""
        done = subprocess.run(
            self._ask(statement, database), capture_output=True, text=True, check=False, timeout=START_S, cwd="/"
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def try_sql(self, statement: str, database: str, user: str) -> str:
        """Run a statement as another role, which may be refused. Returns the output; empty if it was refused."""
        asked = self._ask(statement, database, user)
        done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=START_S, cwd="/")
        return done.stdout.strip()

    def copy(self, database: str, other: str) -> None:
        """Dumps a database as the how-to says, and restores the dump into another, empty one."""
        connect = ["-h", str(self.folder), "-U", "postgres"]
        dump = subprocess.run(
            [self._programs / "pg_dump", *connect, "-Fc", database], capture_output=True, check=True, timeout=START_S
        )
        subprocess.run(
            [self._programs / "pg_restore", *connect, "--exit-on-error", "-d", other],
            input=dump.stdout,
            check=True,
            timeout=START_S,
        )

    def database(self) -> str:
        """The name of a new, empty database."""
        self._databases += 1
        name = f"archive{self._databases}"
        self.sql(f"CREATE DATABASE {name}")
        return name

    def url(self, database: str, user: str = "postgres") -> str:
        """How an archive in it is named."""
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def _ask(self, statement: str, database: str = "postgres", user: str = "postgres") -> list[str]:
        program = str(self._programs / "psql")
        return [program, "-qAtX", "-h", str(self.folder), "-U", user, "-d", database, "-c", statement]

    @staticmethod
    def _as_user() -> list[str]:
        """The server will not run as root."""
        if os.geteuid() != 0:
            return []
        nobody = pwd.getpwnam("nobody")
        return ["setpriv", "--reuid", str(nobody.pw_uid), "--regid", str(nobody.pw_gid), "--clear-groups", "--"]


@contextmanager
def running() -> Iterator[Server]:
    """A server with an empty cluster. Its folder has a short name: a socket's path has at most 107 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="rtstone-pg-"))
    try:
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        server = Server(folder)
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)
