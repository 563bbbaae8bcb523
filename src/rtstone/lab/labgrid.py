# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A place of a lab that labgrid shares: ``labgrid:PLACE`` or ``labgrid:tag=value``. Acquires the place before use, and
releases it at the end.

rtstone is a client of the coordinator that labgrid's own environment names (`LG_COORDINATOR`). The place's owner
defines its resources. A place with a NetworkService is a machine over ssh. One with a NetworkSerialPort is a board that
takes its plan from that line. If the board does not answer and labgrid can switch its power, labgrid does so.
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
from rtstone.lab import _labgrid_helper
from rtstone.machine.system import System
from rtstone.targets.protocol import Around, Capabilities, Target
from rtstone.targets.remote import machine, parse
from rtstone.targets.serial import LineSettings, SerialTarget
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
"""The resources that `labgrid-client power` switches. A bare output pin is left out, since it may switch anything."""
WAIT_S = 600.0
"""How long (s) to wait until a place with the given tags is free."""


class PlaceError(InfrastructureError):
    """The place cannot be acquired now: another client holds it, or its coordinator is away. It may work later."""


class Resource(msgspec.Struct, frozen=True):
    """A resource of a place, as its exporter describes it."""

    cls: str
    params: dict[str, Any] = {}


class LabPlace(msgspec.Struct, frozen=True):
    """A place with its resources."""

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
        # The name has this process's number, since labgrid takes two programs of one name for one owner.
        user = f"{os.environ.get('LG_USERNAME') or getpass.getuser()}-rtstone-{os.getpid()}"
        owner = f"{host}/{user}"
        self.names = {"LG_COORDINATOR": coordinator, "LG_HOSTNAME": host, "LG_USERNAME": user}
        """Variables with which labgrid's own client acts as the owner of the place."""
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
                raise InfrastructureError(str(error)) from None  # there is no labgrid, which waiting does not cure
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
        """Sends a request and returns its answer. Raises PlaceError."""
        with self._lock:
            if self.lost:
                raise PlaceError(self.lost)
            assert self._process.stdin is not None  # noqa: S101 - it was asked for
            try:
                with suppress(OSError):  # the helper has ended: the answer reports it
                    self._process.stdin.write(msgspec.json.encode(request) + b"\n")
                    self._process.stdin.flush()
                return self._answer(within_s)
            except KeyboardInterrupt:
                # The answer may take minutes, and nobody waits for it now. The helper releases all places at the end of
                # its input.
                self.lost = "it was interrupted"
                with suppress(OSError):
                    self._process.stdin.close()
                raise

    def _answer(self, within_s: float) -> dict[str, Any]:
        try:
            said = self._answers.get(timeout=within_s)
        except Empty:
            self.lost = f"{self._where} does not answer"  # a late answer would be taken for another request's
            raise PlaceError(self.lost) from None
        if "error" in said:  # check first: a helper that reports why it ends has ended by now
            raise PlaceError(str(said["error"]))
        if self.lost:
            raise PlaceError(self.lost)
        return said

    def power_cycle(self, place: str) -> None:
        """Switches the power of an acquired place off and on, by labgrid's own client and drivers. Raises
        InfrastructureError."""
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
        """Registers `stop`, which is called in another thread when the coordinator is lost."""
        self._on_loss.append(stop)

    def forget(self, stop: Any) -> None:
        """Removes a `stop` that `on_loss` registered."""
        self._on_loss.remove(stop)

    def end(self, *, at_once: bool = False) -> None:
        """Releases all places and ends the helper. `at_once`: does not wait for a coordinator that does not answer; the
        helper ends by itself."""
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


class _HeldPlace:
    """A place that this process holds, or held until its coordinator was lost."""

    def __init__(self, place: LabPlace, holder: _Helper) -> None:
        self.place = place
        self.holder = holder
        self.users = 1


_one: _Helper | None = None
_held: dict[str, _HeldPlace] = {}
"""The places, by the text that named them."""


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
    """Releases all places, and ends the session with the coordinator. `at_once`: does not wait for a coordinator that
    does not answer."""
    global _one
    _held.clear()
    if _one is not None:
        _one.end(at_once=at_once)
        _one = None
        atexit.unregister(close)


def acquire(text: str) -> LabPlace:
    """Acquires a place for the text after ``labgrid:``. It belongs to this process alone until each acquire is
    released.

    Raises PlaceError. If the coordinator was lost, it raises until the place is released, since another client may hold
    it by now.
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
    place = msgspec.convert(said, LabPlace)
    _held[text] = _HeldPlace(place, helper)
    return place


def _still(text: str) -> LabPlace:
    """The place that was acquired by this text. Raises PlaceError when its coordinator was lost."""
    held = _held.get(text)
    if held is None or held.holder.lost:
        raise PlaceError(f"labgrid:{text}: {held.holder.lost if held is not None else 'it was given back'}")
    return held.place


def release(text: str) -> None:
    """Releases the place once nothing in this process uses it. A lost coordinator has released the place by itself."""
    held = _held.get(text)
    if held is None:
        return
    held.users -= 1
    if held.users < 1:
        del _held[text]
        with suppress(PlaceError):
            held.holder.ask(do="release", place=held.place.place)


class LabgridTarget(Around):
    """The target that the place's resources allow, by ssh or by a serial line. It is made when the place is
    acquired."""

    def __init__(self, text: str) -> None:
        super().__init__(cast("Target", None))
        self._text = text
        self._made_of: LabPlace | None = None
        self._holder: _Helper | None = None
        self._holds = False
        self._can: Capabilities | None = None
        self._cycled = 0

    @property
    def capabilities(self) -> Capabilities:
        """Capabilities of the target that the place offers; with tags, of the first usable place. The coordinator is
        asked once, and no place is acquired."""
        if self._can is None:
            try:
                places = msgspec.convert(
                    _helper().ask(do="look", tags=_tags(self._text))["places"], tuple[LabPlace, ...]
                )
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
        """Acquires the place until the target is left. Raises PlaceError when it cannot be acquired, or has no resource
        that rtstone can use."""
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
        """Acquires the place for one question. A place that the target held before stays held."""
        held = self._holds
        try:
            yield self.hold()
        finally:
            if not held:
                self._let_go()

    def environment(self) -> dict[str, str]:
        """Variables with which labgrid's own client acts on the acquired place as its owner."""
        self.hold()
        held = _held[self._text]
        return {"LG_PLACE": held.place.place, **held.holder.names}

    def _made(self, place: LabPlace) -> Target:
        service, port = place.resource("NetworkService"), place.resource("NetworkSerialPort")
        if service is not None:
            host = str(service.get("address", ""))
            host = f"[{host}]" if ":" in host else host
            user, number = service.get("username"), service.get("port") or _SSH_PORT
            before, behind = f"{user}@" if user else "", "" if number == _SSH_PORT else f":{number}"
            sudo = "?sudo" if self._text.endswith("?sudo") else ""
            # The user's own OpenSSH, keys and settings apply. The place gives only user, host, and a port that is not
            # the usual one.
            return SshTarget(self.name, machine(parse(f"{before}{host}{behind}{sudo}")))
        if port is not None and port.get("port"):
            raw = port.get("protocol") == "raw"
            # As in labgrid's own driver: some lines that ser2net shares have no control lines, and nothing answers
            # their setting.
            scheme, options = ("socket", "") if raw else ("rfc2217", "?ign_set_control&timeout=10")
            url = f"{scheme}://{port.get('host')}:{port['port']}{options}"
            can = any(place.resource(kind) is not None for kind in _POWER)
            revive = partial(self._revive, place.place) if can else None
            return SerialTarget(url, LineSettings(baud=int(port.get("speed") or 115_200)), revive)
        raise PlaceError(_nothing(self._text, place))

    def _revive(self, place: str) -> None:
        self._cycled += 1
        try:
            _held[self._text].holder.power_cycle(place)
        except InfrastructureError as error:
            raise InfrastructureError(f"{self.name}: the board does not answer, and {error}") from error

    def describe(self) -> dict[str, str]:
        """The place, how often its power was switched off and on, and the facts of the target inside."""
        if self._made_of is None:
            return {}
        cycled = {"labgrid.power_cycles": str(self._cycled)} if self._cycled else {}
        return {"labgrid.place": self._made_of.place, **cycled, **self._target.describe()}

    def listed(self) -> bytes:
        """The measurements that the place's engine offers, as JSON."""
        with self._briefly() as target:
            return cast("SshTarget", target).listed()

    @contextmanager
    def system(self) -> Iterator[System]:
        """The place's files and settings."""
        with self._briefly(), super().system() as system:
            yield system

    def start(self, plan: Any) -> Any:
        """Runs one session. It ends when the coordinator is lost, since another client may then get the place."""
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


def _usable(place: LabPlace) -> bool:
    return any(place.resource(kind) is not None for kind in ("NetworkService", "NetworkSerialPort"))


def _nothing(text: str, place: LabPlace) -> str:
    has = ", ".join(sorted({one.cls for one in place.resources})) or "nothing, now"
    return f"labgrid:{text}: a NetworkService or a NetworkSerialPort is needed; {place.place} has {has}"


def _tags(text: str) -> dict[str, str]:
    words = text.removesuffix("?sudo")
    return dict(pair.split("=", 1) for pair in words.split(",")) if "=" in words else {"name": words}


def place_of(target: str) -> str:
    """The name ``labgrid:PLACE`` of a target's place in a queue; empty if the target gives tags instead of a place.
    Raises UsageError."""
    text = open_labgrid(target.partition(":")[2]).name.removeprefix("labgrid:")
    return f"labgrid:{text.removesuffix('?sudo')}" if "=" not in text else ""


def _python() -> str:
    """Labgrid's own Python: the setting `labgrid.python`, else that of the `labgrid-client` on PATH. Raises
    InfrastructureError."""
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
