# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Replays a recorded stream, with faults if wanted:
``replay:<file>[?loss=…&corrupt=…&truncate=…&repeat=…&reset=…&seed=…]``."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Annotated
from urllib.parse import parse_qsl

import msgspec
from msgspec import Meta

from rtstone.errors import InfrastructureError, UsageError, unknown
from rtstone.model.units import counted
from rtstone.stream import framing
from rtstone.stream.plan import Plan
from rtstone.targets.protocol import Capabilities, StopsAtExit

Share = Annotated[float, Meta(ge=0.0, le=1.0)]


class Faults(msgspec.Struct, frozen=True, kw_only=True):
    """The faults to inject. Shares of the lines and positions in a session are between 0 and 1."""

    loss: Share = 0.0
    """Share of lines that never arrive."""
    corrupt: Share = 0.0
    """Share of lines with one bit flipped."""
    repeat: Share = 0.0
    """Share of lines that arrive twice."""
    truncate: Share = 0.0
    """Share of the session that is cut off at its end, in mid-line; 0: nothing."""
    reset: Share = 0.0
    """Position at which the target is reset: the session starts again from its beginning there; 0: no reset."""
    seed: int = 0


def inject(lines: Iterable[bytes], faults: Faults, *, stream: int = 0) -> Iterator[bytes]:
    """The lines with the faults injected. ``stream`` is the session's number, so that each session has different
    faults."""
    session = list(lines)
    if faults == Faults(seed=faults.seed):
        return iter(session)
    if faults.reset:
        session = session[: max(1, round(len(session) * faults.reset))] + session
    if faults.truncate:
        session = _truncated(session, 1.0 - faults.truncate)
    return _spoil(session, faults, Random(f"{faults.seed}/{stream}"))  # noqa: S311 - repeatable, not secret


def _truncated(lines: list[bytes], share: float) -> list[bytes]:
    room = int(sum(len(line) + 1 for line in lines) * share)
    kept: list[bytes] = []
    for line in lines:
        kept.append(line[:room])
        room -= len(line) + 1
        if room <= 0:
            break
    return kept


def _spoil(lines: list[bytes], faults: Faults, chance: Random) -> Iterator[bytes]:
    for whole in lines:
        line = whole
        lost, corrupted, repeated = (chance.random() for _ in range(3))
        bit = chance.randrange(max(1, len(line) * 8))
        if lost < faults.loss:
            continue
        if line and corrupted < faults.corrupt:
            spoiled = bytearray(line)
            spoiled[bit // 8] ^= 1 << (bit % 8)
            line = bytes(spoiled)
        yield line
        if repeated < faults.repeat:
            yield line


MOST_BYTES = 1 << 30
"""The longest recording (bytes), since a recording is read whole. The longest run of all samples has a fraction of
this."""


class ReplayTarget(StopsAtExit):
    """Gives back the sessions of a file one by one, in order. They keep the plan of the recording."""

    # The recording was made for another plan, so its sessions are not compared with the current plan.
    capabilities = Capabilities(replays=True)

    def __init__(self, path: Path, faults: Faults) -> None:
        self._path = path
        self._faults = faults
        self._sessions: list[list[bytes]] | None = None
        self._next = 0
        self._stopped = False

    @property
    def name(self) -> str:
        """The target as the user named it, without the faults."""
        return f"replay:{self._path}"

    def describe(self) -> dict[str, str]:
        """The name of the recording's file, and the faults that were injected."""
        facts = {"replay.file": self._path.name}
        if self._faults != Faults():
            facts |= {f"replay.{key}": str(value) for key, value in msgspec.structs.asdict(self._faults).items()}
        return facts

    def deploy(self) -> None:
        """Reads the file. Raises InfrastructureError when it cannot be read."""
        try:
            with self._path.open("rb") as file:
                packed = file.read(2) == b"\x1f\x8b"
                file.seek(0)
                with gzip.open(file) if packed else file as plain:
                    raw = plain.read(MOST_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else "it is no whole gzip file"
            raise InfrastructureError(f"the recording '{self._path}' cannot be read: {why}") from error
        if len(raw) > MOST_BYTES:
            raise InfrastructureError(
                f"the recording '{self._path}' cannot be read: it has more than {MOST_BYTES >> 20} MiB"
            )
        self._sessions = split_sessions(raw.split(b"\n"))
        self._next = 0

    def start(self, plan: Plan) -> Iterator[bytes]:
        """Yields the next session of the recording and ignores ``plan``. Raises InfrastructureError after the last
        session."""
        if self._sessions is None:
            self.deploy()
        sessions = self._sessions or []
        if self._next >= len(sessions):
            had = f"has {counted(len(sessions), 'session')} and no more" if sessions else "is empty"
            raise InfrastructureError(f"the recording '{self._path}' {had}")
        session = sessions[self._next]
        self._next += 1
        self._stopped = False
        for line in inject(session, self._faults, stream=self._next - 1):
            if self._stopped:
                return
            yield line

    def stop(self) -> None:
        """Ends the running session."""
        self._stopped = True


def split_sessions(lines: list[bytes]) -> list[list[bytes]]:
    """Cuts a recording at the end of each session (its ``bye``). A rest without ``bye`` is a session too."""
    sessions: list[list[bytes]] = []
    current: list[bytes] = []
    for line in lines:
        current.append(line)
        if line.startswith(b"~") and b'{"t":"bye"' in line:
            sessions.append(current)
            current = []
    if any(framing.strip(line) for line in current):
        sessions.append(current)
    elif sessions:
        # Only line ends follow the last bye.
        sessions[-1].extend(line for line in current if line)
    return sessions


def open_replay(rest: str) -> ReplayTarget:
    """``replay:FILE``: a record stream that was kept (`rtstone export --format raw`); behind a ``?`` the faults to put in.

    Raises UsageError for a fault that there is not."""
    file, _, query = rest.partition("?")
    if not file:
        raise UsageError("the target 'replay' needs a file: replay:<file>")
    wanted = dict(parse_qsl(query, keep_blank_values=True))
    known = {field.name for field in msgspec.structs.fields(Faults)}
    for key in wanted:
        if key not in known:
            raise unknown("fault of a replay", key, sorted(known))
    try:
        faults = msgspec.convert(wanted, Faults, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"replay: {error}") from None
    return ReplayTarget(Path(file), faults)
