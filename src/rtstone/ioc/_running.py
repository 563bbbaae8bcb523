# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A running IOC, in which the engine may be a library, and its load."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from rtstone.errors import InfrastructureError, UsageError
from rtstone.ioc._base import find_base
from rtstone.ioc._build import build_inside, sources_root
from rtstone.ioc._process import ProgramReader
from rtstone.ioc._settings import IocSettings

START_S = 60.0
"""Longest time from an IOC's start to its last initialisation. A million records take half of it."""

WATCHED_S = 60.0
"""Longest time for the load's monitor to connect. After that, puts begin even without it."""

_LOCAL = 'HAG(local) { "127.0.0.1", "$(INTERFACE)" }'
_RUNNING = "rtstone-ioc: running"
_FIGURES = "rtstone-figures: "
_WRONG = re.compile(r"error|cannot|could not|no such|not find|failed|in use|served|there is|from \d", re.IGNORECASE)
_BREAK = "iocsh Error: Break"
_ECHO = re.compile(r"^\s*(#|on error|var |as[A-Z]\w+\(|iocInit|\w+\()")


class Ioc:
    """An IOC from its start to its end: ``with Ioc(folder, settings) as ioc:``.

    `folder` has the programs (`build`). `on_line` receives the output of the running IOC. Entering raises UsageError
    for an invalid setting, and InfrastructureError with the IOC's own words when it does not start.
    """

    def __init__(self, folder: Path, settings: IocSettings, on_line: Callable[[str], None] | None = None) -> None:
        self._folder = folder
        self.settings = settings
        self._on_line = on_line
        self._running = threading.Event()
        self._stack = ExitStack()
        self._program: ProgramReader | None = None
        self.figures: dict[str, Any] = {}
        """Its port's figures of all delays since Clear,
        once the context has ended: as the line `samplerFigures` of its shell."""

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables with which a client finds this IOC: a display, camonitor, a test."""
        return self.settings.client_environment()

    @property
    def pid(self) -> int:
        """The process that measures and serves."""
        return self._beside.pid

    @property
    def lines(self) -> list[str]:
        """The last lines of its output."""
        return list(self._beside.lines)

    def poll(self) -> int | None:
        """Its exit code, or None while it runs."""
        return self._beside.poll()

    @property
    def _beside(self) -> ProgramReader:
        assert self._program is not None  # noqa: S101 - used within the context only
        return self._program

    def __enter__(self) -> Self:
        try:
            environment, files = self._stack.enter_context(served(self._folder, self.settings))
            environment["RTSTONE_IOC_FIGURES"] = "1"
            command = (self._folder / "rtstone-ioc", "--no-shell", "--with-parent", start_script(self.settings))
            self._program = self._stack.enter_context(ProgramReader(command, environment, self._hear, files=files))
            self._wait_until_running()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _hear(self, line: str) -> None:
        if line.startswith(_FIGURES):
            self.figures = json.loads(line.removeprefix(_FIGURES))
        elif self._running.is_set():
            if self._on_line is not None and line:
                self._on_line(line)
        elif line == _RUNNING:
            self._running.set()

    def _wait_until_running(self) -> None:
        waited = 0.0
        while not self._running.wait(0.05):
            waited += 0.05
            if self._beside.poll() is not None:
                code = self._beside.wait(1.0)
                if self._running.is_set():
                    return
                raise InfrastructureError(f"the IOC did not start (exit code {code}): {said_wrong(self.lines)}")
            if waited > START_S:
                raise InfrastructureError(f"the IOC did not start within {START_S:.0f} s: {said_wrong(self.lines)}")


@contextmanager
def served(
    folder: Path, settings: IocSettings, process: int | str = "self"
) -> Iterator[tuple[dict[str, str], tuple[int, ...]]]:
    """The environment of an IOC of these settings, and the files that it names. Both are valid until the context ends.

    `process`: the process whose /proc folder names the files for the IOC; its own, if it inherits them.
    """
    settings.check()
    settings.check_here()
    # Files without a name: nothing remains of them, however this ends.
    with (
        tempfile.TemporaryFile(prefix="rtstone-ioc-") as database,
        tempfile.TemporaryFile("w+", prefix="rtstone-ioc-") as rules,
    ):
        if settings.load:
            write_load_database(folder, settings, database)
        rules.write(access_rules(settings))
        rules.flush()
        files = (database.fileno(), rules.fileno())
        load, access = (f"/proc/{process}/fd/{file}" for file in files)
        yield by_hand(folder, settings, load) | {"RTSTONE_IOC_ACF": access}, files


def access_rules(settings: IocSettings) -> str:
    """The complete rules of write access with which the IOC begins, in EPICS's own words, without comments.

    They are those of ioc/database/access.acf, for this machine and the user's hosts.
    """
    file = sources_root() / "ioc" / "database" / "access.acf"
    text = "".join(
        line for line in file.read_text(encoding="utf-8").splitlines(keepends=True) if not line.startswith("#")
    )
    if _LOCAL not in text:
        raise InfrastructureError(f"{file}: there is no line {_LOCAL}")
    hosts = ", ".join(f'"{host}"' for host in ("127.0.0.1", settings.interface, *settings.allow))
    return text.replace(_LOCAL, f"HAG(local) {{ {hosts} }}")


def by_hand(folder: Path, settings: IocSettings, load_database: str) -> dict[str, str]:
    """All environment variables that the start-up script requires."""
    return settings.server_environment() | places(settings, load_database) | {"RTSTONE_IOC_PLACE": str(folder)}


def start_script(settings: IocSettings) -> Path:
    """The user's start-up script, or ours."""
    return settings.script or sources_root() / "ioc" / "program" / "st.cmd"


def run_shell(folder: Path, settings: IocSettings, stdin: IO[str] | None = None) -> int:
    """Runs an IOC whose shell has this terminal (or reads `stdin`), until the user types `exit`; returns its exit code.
    Raises as `Ioc` does."""
    with served(folder, settings) as (environment, files):
        command = (folder / "rtstone-ioc", "--with-parent", start_script(settings))
        program = subprocess.Popen(command, env=os.environ | environment, pass_fds=files, stdin=stdin)
        while True:
            try:
                return program.wait()
            except KeyboardInterrupt:  # the IOC received it too
                continue


@dataclass(frozen=True)
class Inside:
    """A command that serves, measures the plan from its standard input, prints the record stream, and ends."""

    command: tuple[str, ...]
    environment: dict[str, str]
    """Variables added to the environment that it inherits."""
    folder: Path
    """Folder of the programs, which include the load's clients."""


@contextmanager
def engine_inside(settings: IocSettings, *, probe: str = "", network: str = "") -> Iterator[Inside]:
    """The start command of an IOC with these settings and the engine in its process.
    Its files are valid until the context ends.

    `probe`: the module's device, if it is to be used;
    `network`: the device through which clients come, as named in /proc/interrupts.
    Raises InfrastructureError when it cannot be built, UsageError for an invalid setting.
    """
    settings = replace(settings, pva_port=None, scan="Passive")
    settings.check()  # before anything is built
    settings.check_here()
    folder = build_inside()
    program = sources_root() / "ioc"
    with served(folder, settings, os.getpid()) as (environment, _):
        own = {
            "RTSTONE_IOC_OUTSIDE": "",
            "RTSTONE_IOC_RECORDS": "/proc/self/fd/1",
            "RTSTONE_IOC_PLAN": "-",
            "RTSTONE_IOC_PROBE_DEVICE": probe,
            "RTSTONE_IOC_NETWORK": network,
        }
        yield Inside(
            command=(
                str(folder / "rtstone-ioc"),
                "--with-parent",
                str(program / "program" / "st.cmd"),
                str(program / "inside" / "engine.cmd"),
            ),
            environment=environment | own,
            folder=folder,
        )


def write_boot(folder: Path, settings: IocSettings, where: Path) -> Path:
    """Fill the folder `where` with the files that start this IOC by hand: envPaths, access rules, the load's records.
    Return the script.

    Raises UsageError for a folder that cannot be written, or whose name a script's first line cannot contain.
    """
    settings.check()
    where = where.absolute()
    if re.search(r"[\s\"$\\]", f"{where}{folder}"):
        raise UsageError(f"--boot: a folder without blanks, quotes and $ in its name, not '{where}'")
    script = where / "st.cmd"
    try:
        where.mkdir(parents=True, exist_ok=True)
        if settings.load:
            with (where / "load.db").open("wb") as database:
                write_load_database(folder, settings, database)
        (where / "access.acf").write_text(access_rules(settings), encoding="utf-8")
        environment = by_hand(folder, settings, str(where / "load.db"))
        environment |= {"RTSTONE_IOC_ACF": str(where / "access.acf"), "TOP": str(where)}
        lines = (f'epicsEnvSet("{name}", "{value}")\n' for name, value in sorted(environment.items()))
        (where / "envPaths").write_text("".join(lines), encoding="utf-8")
        text = start_script(settings).read_text(encoding="utf-8")
        script.write_text(
            f"#!{folder / 'rtstone-ioc'}\non error break\n< {where / 'envPaths'}\n{text}", encoding="utf-8"
        )
        script.chmod(0o755)
    except OSError as error:
        raise UsageError(f"--boot: {where} cannot be written: {error.strerror}") from None
    return script


def places(settings: IocSettings, load_database: str) -> dict[str, str]:
    """Where the start-up script finds its files; `load_database`: the file of the load's records, if there are any."""
    base, ours = find_base(), sources_root() / "ioc"
    found = {
        "RTSTONE_IOC_BASE_DBD": str(base.core / "dbd"),
        "RTSTONE_IOC_DBD": str(ours / "support"),
        "RTSTONE_IOC_DB": str(ours / "database"),
        "RTSTONE_IOC_ACF": str(ours / "database" / "access.acf"),
        "RTSTONE_IOC_PVA": "#",
        "RTSTONE_IOC_LOAD": "#",
    }
    if settings.pva_port is not None:
        found["RTSTONE_IOC_PVA"] = ""
        found["RTSTONE_IOC_PVA_LIBRARY"] = str(base.pva_library)
        found["RTSTONE_IOC_PVA_DBD"] = str(base.pvxs / "dbd")
    if settings.load:
        found["RTSTONE_IOC_LOAD"] = ""
        found["RTSTONE_IOC_LOAD_DB"] = load_database
    return found


def said_wrong(lines: list[str]) -> str:
    """The error in a start-up script's output: the lines of the command at which the script broke off."""
    said: list[str] = []  # since the last command that the shell repeated
    for line in (line.strip() for line in lines):
        if _BREAK in line:
            break
        if _ECHO.match(line):
            said = []
        elif line:
            said.append(line)
    wrong = [line for line in said if _WRONG.search(line)]
    return " | ".join((wrong or said)[:2]) or "it said nothing"


def write_load_database(folder: Path, settings: IocSettings, database: IO[bytes]) -> None:
    """Write the load's records. Raises InfrastructureError with the message of rtstone-createdb."""
    pairs = ("--pairs",) if settings.pairs else ()
    command = [str(folder / "rtstone-createdb"), str(settings.load), f"{settings.prefix}load:", *pairs]
    done = subprocess.run(command, stdout=database, stderr=subprocess.PIPE, text=True, check=False, timeout=120)
    if done.returncode != 0:
        raise InfrastructureError(f"the load's database could not be written: {done.stderr.strip()}")


class IocLoad:
    """caput and camonitor on all records of an IOC's load, until the context ends: every `pause_s` seconds a burst of puts."""

    def __init__(
        self,
        settings: IocSettings,
        folder: Path,
        pause_s: float,
        on_line: Callable[[str], None] | None = None,
        *,
        as_json: bool = False,
        gone: Callable[[], bool] = lambda: False,
    ) -> None:
        """`gone`: returns whether the IOC has ended, where that is known."""
        self._stack = ExitStack()
        self._gone = gone
        environment = settings.client_environment()
        common = ("--prefix", f"{settings.prefix}load:", "--with-parent", *(("--json",) if as_json else ()))
        count = str(settings.load)
        watch = (folder / "rtstone-camonitor", count, *common, *(("--pairs",) if settings.pairs else ()))
        self.monitor = ProgramReader(watch, environment, self._named("camonitor", on_line))
        write = (folder / "rtstone-caput", count, str(pause_s), *common, "--mark", f"{settings.prefix}burst")
        self.put = ProgramReader(write, environment, self._named("caput", on_line))

    @staticmethod
    def _named(name: str, on_line: Callable[[str], None] | None) -> Callable[[str], None] | None:
        return None if on_line is None else lambda line: on_line(f"{name}: {line}")

    def failed(self) -> str | None:
        """The last output of a client that ended by itself, or None while both run."""
        for program in (self.put, self.monitor):
            if program.last_if_ended() is not None:
                words = [line for line in program.lines if line and not line.startswith("{")]
                return words[-1] if words else program.last
        return None

    def check(self) -> None:
        """Raises InfrastructureError when a client has ended by itself."""
        failed = self.failed()
        if failed:
            raise InfrastructureError(f"the load ended by itself: {failed}")

    def finish(self) -> dict[str, dict[str, Any]]:
        """End both clients and return their counts.
        The writer ends first, so that the monitor counts everything that was written.

        Empty, unless `as_json` was requested. Raises InfrastructureError for a client that failed.
        """
        found = {}
        for name, program, sound in (("caput", self.put, (0,)), ("camonitor", self.monitor, (0, 4))):
            code = program.end()
            last = program.last
            if code not in sound:
                raise InfrastructureError(f"{name} of the load failed (exit code {code}): {last}")
            if last.startswith("{"):
                found[name] = json.loads(last)
        return found

    def __enter__(self) -> Self:
        try:
            self._stack.enter_context(self.monitor)
            self._wait_until_watched()
            self._stack.enter_context(self.put)
        except BaseException:
            self._stack.close()
            raise
        return self

    def _wait_until_watched(self) -> None:
        """Waits until the monitor sees every put.
        A monitor that does not connect has ended by itself, which `failed` reports."""
        end = time.monotonic() + WATCHED_S
        while time.monotonic() < end and self.monitor.poll() is None:
            if any("records connected" in line for line in list(self.monitor.lines)):
                return
            time.sleep(0.02)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._gone():  # a client would wait for the IOC to return
            self.put.kill()
            self.monitor.kill()
        self._stack.close()
