# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A place of a lab that labgrid shares: ``labgrid:PLACE`` or ``labgrid:tag=value``. Acquired before it is touched, and released at the end.

rtstone is a client: the coordinator is the one that labgrid's own environment names (`LG_COORDINATOR`), and what a place has is its owner's
to say. A place with a NetworkService is a machine over ssh, one with a NetworkSerialPort a board that takes its plan from that line. If its
power can be switched too, labgrid does so where the board does not answer.
"""

from __future__ import annotations

import atexit
import getpass
import os
import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Self, cast

import msgspec

from rtstone.config import load
from rtstone.errors import InfrastructureError, UsageError
from rtstone.machine.system import System
from rtstone.targets import _labgrid_helper
from rtstone.targets.protocol import Around, Capabilities, Target
from rtstone.targets.remote import machine, parse
from rtstone.targets.serial import Line, SerialTarget
from rtstone.targets.ssh import SshTarget

_WORD = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
_TEXT = re.compile(rf"(?:{_WORD}|{_WORD}={_WORD}(?:,{_WORD}={_WORD})*)(?P<sudo>\?sudo)?", re.ASCII)
_FORM = "labgrid:PLACE or labgrid:tag=value[,tag=value], each with ?sudo or without"
_SSH_PORT = 22
_ANSWER_S = 30.0
_END_S = 10.0
_AT_ONCE_S = 0.2
_POWER_S = 60.0
_POWER = (
    *("NetworkPowerPort", "PDUDaemonPort", "NetworkUSBPowerPort", "NetworkSiSPMPowerPort", "TasmotaPowerPort"),
    "NetworkYKUSHPowerPort",
)
"""What `labgrid-client power` switches; not a bare pin, which may be anything."""
WAIT_S = 600.0
"""How long a place with certain tags is waited for."""


class PlaceError(InfrastructureError):
    """The place cannot be had now: it is another's, or its coordinator is away. Later it may be."""


class Resource(msgspec.Struct, frozen=True):
    """What a place has, as its exporter says."""

    cls: str
    params: dict[str, Any] = {}


class Place(msgspec.Struct, frozen=True):
    """A place with what it has."""

    place: str
    acquired: str = ""
    resources: tuple[Resource, ...] = ()

    def resource(self, kind: str) -> dict[str, Any] | None:
        """The first of that kind."""
        return next((one.params for one in self.resources if one.cls == kind), None)


class _Helper:
    """One session with the coordinator, in labgrid's own Python."""

    def __init__(self) -> None:
        coordinator = os.environ.get("LG_COORDINATOR", "127.0.0.1:20408")
        self._where = f"labgrid's coordinator {coordinator}"
        host = os.environ.get("LG_HOSTNAME") or socket.gethostname()
        # A name of its own: labgrid takes two programs of one name for one owner.
        user = f"{os.environ.get('LG_USERNAME') or getpass.getuser()}-rtstone-{os.getpid()}"
        owner = f"{host}/{user}"
        self.names = {"LG_COORDINATOR": coordinator, "LG_HOSTNAME": host, "LG_USERNAME": user}
        """To labgrid's client with these it is the one that has the place."""
        try:
            self._process = subprocess.Popen(
                [_python(), "-I", _labgrid_helper.__file__, coordinator, owner],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                process_group=0,  # Ctrl-C is for us
            )
        except OSError as error:
            raise InfrastructureError(f"labgrid's Python cannot be started: {error.strerror}") from error
        self._answers: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._on_loss: list[Any] = []
        self._lock = threading.Lock()
        self.lost = ""
        self._spoke_of_loss = False
        self._reading = threading.Thread(target=self._read, name="labgrid", daemon=True)
        self._reading.start()
        try:
            self._answer(_ANSWER_S)
        except BaseException as error:
            self.end()
            if isinstance(error, PlaceError) and not self._spoke_of_loss:
                raise InfrastructureError(str(error)) from None  # no labgrid: that does not pass
            raise

    def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - it was asked for
        why = "its helper ended"
        for line in self._process.stdout:
            said = msgspec.json.decode(line)
            if "lost" in said:
                why, self._spoke_of_loss = said["lost"], True
                break
            self._answers.put(said)
        self.lost = self.lost or f"{self._where} is away: {why}"
        self._answers.put({})
        for stop in tuple(self._on_loss):
            stop()

    def ask(self, within_s: float = _ANSWER_S, **request: Any) -> dict[str, Any]:
        """The answer to a request. Raises PlaceError."""
        with self._lock:
            if self.lost:
                raise PlaceError(self.lost)
            assert self._process.stdin is not None  # noqa: S101 - it was asked for
            try:
                with suppress(OSError):  # it ended: the answer says so
                    self._process.stdin.write(msgspec.json.encode(request) + b"\n")
                    self._process.stdin.flush()
                return self._answer(within_s)
            except KeyboardInterrupt:
                # Nobody waits for the answer, which may come after minutes. The helper gives all back when it hears no more.
                self.lost = "it was interrupted"
                with suppress(OSError):
                    self._process.stdin.close()
                raise

    def _answer(self, within_s: float) -> dict[str, Any]:
        try:
            said = self._answers.get(timeout=within_s)
        except Empty:
            self.lost = f"{self._where} does not answer"  # what it says later would answer another request
            raise PlaceError(self.lost) from None
        if "error" in said:  # first: a helper that says why it ends is gone by the time that it is heard
            raise PlaceError(str(said["error"]))
        if self.lost:
            raise PlaceError(self.lost)
        return said

    def power_cycle(self, place: str) -> None:
        """Switches a place that is held off and on, by labgrid's own client and drivers. Raises InfrastructureError."""
        words = (_python(), "-I", "-m", "labgrid.remote.client", "-p", place, "power", "cycle")
        try:
            done = subprocess.run(
                words, env=os.environ | self.names, capture_output=True, text=True, timeout=_POWER_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise InfrastructureError(f"its power cannot be switched: {error}") from error
        if done.returncode:
            last = (done.stderr.strip() or done.stdout.strip() or "labgrid-client failed").splitlines()[-1]
            raise InfrastructureError(f"its power cannot be switched: {last[:200]}")

    def on_loss(self, stop: Any) -> None:
        """Calls `stop`, in another thread, when the coordinator is gone."""
        self._on_loss.append(stop)

    def forget(self, stop: Any) -> None:
        """The counterpart of `on_loss`."""
        self._on_loss.remove(stop)

    def end(self, *, at_once: bool = False) -> None:
        """Releases what it holds, and ends. `at_once`: a coordinator that does not answer is left to the helper, which ends by itself."""
        assert self._process.stdin is not None  # noqa: S101 - it was asked for
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=_AT_ONCE_S if at_once else _END_S)
        except subprocess.TimeoutExpired:
            if at_once:
                return
            self._process.kill()
            self._process.wait()
        self._reading.join()
        assert self._process.stdout is not None  # noqa: S101 - it was asked for
        self._process.stdout.close()


class _Held:
    """A place that this process has, or had until its coordinator was lost."""

    def __init__(self, place: Place, holder: _Helper) -> None:
        self.place = place
        self.holder = holder
        self.users = 1


_one: _Helper | None = None
_held: dict[str, _Held] = {}
"""By the text that asked for them."""


def _helper() -> _Helper:
    global _one
    if _one is None:
        atexit.register(close)
    elif _one.lost:
        _one.end()
    else:
        return _one
    _one = _Helper()
    return _one


def close(*, at_once: bool = False) -> None:
    """Gives back all places, and ends the session with the coordinator. `at_once`: without waiting for one that does not answer."""
    global _one
    _held.clear()
    if _one is not None:
        _one.end(at_once=at_once)
        _one = None
        atexit.unregister(close)


def acquire(text: str) -> Place:
    """A place of the text behind ``labgrid:``, for this process alone until it is released as often as it was acquired.

    Raises PlaceError; also where the coordinator was lost since, until the place is released: it may be another's by now.
    """
    if text in _held:
        place = _still(text)
        _held[text].users += 1
        return place
    tags = _tags(text)
    wait_s = 0.0 if "name" in tags else WAIT_S
    try:
        helper = _helper()
        said = helper.ask(within_s=wait_s + _ANSWER_S, do="acquire", tags=tags, wait_s=wait_s)
    except PlaceError as error:
        raise PlaceError(f"labgrid:{text}: {error}") from None
    place = msgspec.convert(said, Place)
    _held[text] = _Held(place, helper)
    return place


def _still(text: str) -> Place:
    """The place that is held by this text. Raises PlaceError where its coordinator was lost."""
    held = _held.get(text)
    if held is None or held.holder.lost:
        raise PlaceError(f"labgrid:{text}: {held.holder.lost if held is not None else 'it was given back'}")
    return held.place


def release(text: str) -> None:
    """Gives the place back once nobody of this process uses it. Where the coordinator is gone, it has forgotten it by itself."""
    held = _held.get(text)
    if held is None:
        return
    held.users -= 1
    if held.users < 1:
        del _held[text]
        with suppress(PlaceError):
            held.holder.ask(do="release", place=held.place.place)


class LabgridTarget(Around):
    """Whatever the place has: made when it is acquired."""

    def __init__(self, text: str) -> None:
        super().__init__(cast("Target", None))
        self._text = text
        self._made_of: Place | None = None
        self._holder: _Helper | None = None
        self._holds = False
        self._can: Capabilities | None = None
        self._cycled = 0

    @property
    def capabilities(self) -> Capabilities:
        """Those of what the place, or the first that has the tags, is reached by. It is looked at once, and not acquired."""
        if self._can is None:
            try:
                places = msgspec.convert(_helper().ask(do="look", tags=_tags(self._text))["places"], tuple[Place, ...])
            except PlaceError as error:
                raise PlaceError(f"labgrid:{self._text}: {error}") from None
            if not places:
                raise PlaceError(f"labgrid:{self._text}: there is no such place")
            ways = [SshTarget if one.resource("NetworkService") else SerialTarget for one in places if _usable(one)]
            if not ways:
                raise PlaceError(_nothing(self._text, places[0]))
            self._can = msgspec.structs.replace(ways[0].capabilities, lends=True)
        return self._can

    @property
    def name(self) -> str:
        """``labgrid:PLACE``, as the user named it."""
        return f"labgrid:{self._text}"

    def hold(self) -> Target:
        """Acquires the place until the target is left. Raises PlaceError where it cannot be had, or has nothing that rtstone speaks to."""
        place = _still(self._text) if self._holds else acquire(self._text)
        self._holds = True
        if place is not self._made_of:
            try:
                self._target = self._made(place)
            except BaseException:
                self._let_go()
                raise
            self._made_of, self._holder = place, _held[self._text].holder
        return self._target

    def _let_go(self) -> None:
        if self._holds:
            self._holds = False
            release(self._text)

    @contextmanager
    def _briefly(self) -> Iterator[Target]:
        """The place for a question; who has entered the target keeps it."""
        held = self._holds
        try:
            yield self.hold()
        finally:
            if not held:
                self._let_go()

    def environment(self) -> dict[str, str]:
        """By which labgrid's own client acts on the place that is held, as the one that has it."""
        self.hold()
        held = _held[self._text]
        return {"LG_PLACE": held.place.place, **held.holder.names}

    def _made(self, place: Place) -> Target:
        service, port = place.resource("NetworkService"), place.resource("NetworkSerialPort")
        if service is not None:
            host = str(service.get("address", ""))
            host = f"[{host}]" if ":" in host else host
            user, number = service.get("username"), service.get("port") or _SSH_PORT
            before, behind = f"{user}@" if user else "", "" if number == _SSH_PORT else f":{number}"
            sudo = "?sudo" if self._text.endswith("?sudo") else ""
            # The user's own OpenSSH, keys and settings; of the place only who, where and at which port, unless it is the usual one.
            return SshTarget(self.name, machine(parse(f"{before}{host}{behind}{sudo}")))
        if port is not None and port.get("port"):
            raw = port.get("protocol") == "raw"
            # As labgrid's own driver: not every line that ser2net shares has control lines, and then their setting is not answered.
            scheme, options = ("socket", "") if raw else ("rfc2217", "?ign_set_control&timeout=10")
            url = f"{scheme}://{port.get('host')}:{port['port']}{options}"
            can = any(place.resource(kind) is not None for kind in _POWER)
            revive = partial(self._revive, place.place) if can else None
            return SerialTarget(url, Line(baud=int(port.get("speed") or 115_200)), revive)
        raise PlaceError(_nothing(self._text, place))

    def _revive(self, place: str) -> None:
        self._cycled += 1
        try:
            _held[self._text].holder.power_cycle(place)
        except InfrastructureError as error:
            raise InfrastructureError(f"{self.name}: the board does not answer, and {error}") from error

    def describe(self) -> dict[str, str]:
        """Which place it was, how often its power was switched off and on, and what the way there tells."""
        if self._made_of is None:
            return {}
        cycled = {"labgrid.power_cycles": str(self._cycled)} if self._cycled else {}
        return {"labgrid.place": self._made_of.place, **cycled, **self._target.describe()}

    def listed(self) -> bytes:
        """What the engine there can measure, as JSON."""
        with self._briefly() as target:
            return cast("SshTarget", target).listed()

    @contextmanager
    def system(self) -> Iterator[System]:
        """That machine's files and settings."""
        with self._briefly(), super().system() as system:
            yield system

    def start(self, plan: Any) -> Any:
        """Runs one session; it ends when the coordinator is lost, since the place may then be another's."""
        holder = cast("_Helper", self._holder)  # it was entered before
        holder.on_loss(self.stop)
        try:
            if not holder.lost:
                yield from super().start(plan)
        except InfrastructureError as error:
            if not holder.lost:
                raise
            raise PlaceError(f"{self.name}: {holder.lost}") from error
        finally:
            holder.forget(self.stop)
        if holder.lost:
            raise PlaceError(f"{self.name}: {holder.lost}, and the place may be another's by now")

    def __enter__(self) -> Self:
        self.hold()
        try:
            return super().__enter__()
        except BaseException:
            self._let_go()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            super().__exit__(kind, error, trace)
        finally:
            self._let_go()


def _usable(place: Place) -> bool:
    return any(place.resource(kind) is not None for kind in ("NetworkService", "NetworkSerialPort"))


def _nothing(text: str, place: Place) -> str:
    has = ", ".join(sorted({one.cls for one in place.resources})) or "nothing, now"
    return f"labgrid:{text}: a NetworkService or a NetworkSerialPort is needed; {place.place} has {has}"


def _tags(text: str) -> dict[str, str]:
    words = text.removesuffix("?sudo")
    return dict(pair.split("=", 1) for pair in words.split(",")) if "=" in words else {"name": words}


def place_of(target: str) -> str:
    """What a place of a lab is called in a queue, ``labgrid:PLACE``; empty where its tags leave open which it is. Raises UsageError."""
    text = open_labgrid(target.partition(":")[2]).name.removeprefix("labgrid:")
    return f"labgrid:{text.removesuffix('?sudo')}" if "=" not in text else ""


def _python() -> str:
    """Labgrid's own Python: what `labgrid.python` says, else that of the `labgrid-client` on PATH. Raises InfrastructureError."""
    chosen = load().values.labgrid_python
    if chosen:
        return chosen
    client = shutil.which("labgrid-client")
    if client is None:
        raise InfrastructureError(
            "there is no labgrid: python3 -m venv lg && lg/bin/pip install 'labgrid>=25', then set labgrid.python to lg/bin/python"
        )
    with Path(client).open("rb") as file:
        first = file.readline(1000).decode(errors="replace").strip()
    program = first.removeprefix("#!").strip()
    if not Path(program).name.startswith("python"):
        raise InfrastructureError(f"{client} has no Python in its first line: set labgrid.python")
    return program


def open_labgrid(rest: str) -> LabgridTarget:
    """``labgrid:PLACE``: a place of a labgrid coordinator, or `labgrid:tag=value` one of several.

    Raises UsageError for a text that names no place."""
    if not _TEXT.fullmatch(rest):
        raise UsageError(f"'labgrid:{rest}' names no place; a target is {_FORM}")
    return LabgridTarget(rest)
