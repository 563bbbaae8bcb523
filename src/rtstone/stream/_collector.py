# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads a stream line by line, keeps account of every one, and cuts it into sessions. Never raises on what it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rtstone.model import Degraded, Session
from rtstone.stream import framing
from rtstone.stream._account import Account
from rtstone.stream._close import close
from rtstone.stream._parse import PART, BadLine, Malformed, Parser, kind_of
from rtstone.stream._progress import Progress
from rtstone.stream._session import SessionContent
from rtstone.stream.plan import Plan, expected_seconds

VERSION = "1.2"
_MAJOR = VERSION.partition(".")[0]


def collect(
    lines: Iterable[bytes], plan: Plan | None = None, on_progress: Callable[[Progress], None] | None = None
) -> tuple[Session, ...]:
    """All sessions of a stream. ``plan`` is what was asked for, if known: each session must have answered all of it."""
    collector = Collector(plan, on_progress)
    for line in lines:
        collector.feed(line)
    return collector.finish()


class Collector:
    """The same, fed line by line."""

    def __init__(self, plan: Plan | None = None, on_progress: Callable[[Progress], None] | None = None) -> None:
        self._plan = plan
        self._on_progress = on_progress
        self._sessions: list[Session] = []
        self._number = 0
        self._begin_session()

    def _begin_session(self) -> None:
        self._content = SessionContent(self._tell)
        self._account = Account()
        self._parser = Parser()
        self._last: tuple[int, bytes] | None = None
        self._refused = False

    @property
    def degraded(self) -> tuple[Degraded, ...]:
        """What the session under way says that the target cannot give, so far."""
        return tuple(self._content.degraded)

    def finish(self) -> tuple[Session, ...]:
        """Ends the last session and returns all of them: none at all from an empty stream."""
        if self._account.lines:
            self._end_session()
        sessions, self._sessions = tuple(self._sessions), []
        return sessions

    def feed(self, line: bytes) -> None:
        """One line, with or without its line end."""
        self._number += 1
        if line.endswith((b"\n", b"\r")):
            line = framing.strip(line)
        if not line.startswith(b"~"):
            self._account.console(line)
            return
        try:
            seq, payload = framing.decode(line)
        except framing.FrameError as error:
            self._lose()
            self._account.bad(self._number, str(error))
            return
        if self._last is not None and self._last == (seq, line):
            self._account.duplicate(self._number, seq)
            return
        try:
            kind = kind_of(payload)
            if kind == b"hello":
                self._on_hello()
            if self._last is not None and seq != (self._last[0] + 1) % framing.SEQ_MODULUS:
                self._parser.drop()
            record = self._parser.read(kind, payload)
        except BadLine as error:
            self._lose()
            self._account.bad(self._number, str(error))
            return
        except Malformed as error:
            self._follow(seq, line)
            self._malformed(str(error))
            return
        self._follow(seq, line)
        if self._parser.complaint:
            self._content.lose()
            self._account.problem(f"line {self._number}: {self._parser.complaint}")
        if self._refused:
            self._account.refuse()
        elif record is None:
            self._account.unknown(payload)
        elif record is PART:
            self._account.use()
        else:
            self._use(kind, record)

    def _use(self, kind: bytes, record: object) -> None:
        try:
            self._content.take(kind, record)
        except Malformed as error:
            self._malformed(str(error))
            return
        self._account.use()
        if kind == b"hello":
            self._judge_version()

    def _lose(self) -> None:
        """Something is lost here: of the item that is under way, and of a record that came in parts."""
        self._content.lose()
        self._parser.drop()

    def _malformed(self, text: str) -> None:
        self._lose()
        self._account.malformed(self._number, text)

    def _on_hello(self) -> None:
        """A hello begins a session, unless nothing but noise came before it."""
        if self._last is None:
            return
        if self._content.hello is None or self._content.bye is None:
            self._account.problem(f"line {self._number}: a new hello: the target was reset, or its bye was lost")
        self._end_session()

    def _judge_version(self) -> None:
        hello = self._content.hello
        if hello is not None and not _is_read(hello.v):
            self._refused = True
            self._account.problem(
                f"line {self._number}: the stream is of version {framing.clean(hello.v)[:40]}, this rtstone reads {_MAJOR}.x"
            )

    def _follow(self, seq: int, line: bytes) -> None:
        """Holds the record's number against the one before it."""
        last, self._last = self._last, (seq, line)
        if last is None:
            if seq:
                self._content.lose()
                self._account.gap(self._number, seq, "nothing")
            return
        missing = (seq - last[0] - 1) % framing.SEQ_MODULUS
        if missing == 0:
            return
        self._content.lose()
        if missing < framing.SEQ_MODULUS // 2:
            self._account.gap(self._number, missing, f"{last[0]:x}")
            return
        if seq == last[0]:
            self._account.gap(self._number, 0, f"{last[0]:x}, with other bytes")
            return
        # Only a hello may count from the start again: the hello of this new life was lost.
        self._account.problem(
            f"line {self._number}: number {seq:x} follows {last[0]:x}: the target was reset, its hello lost"
        )
        self._end_session()
        self._last = (seq, line)
        self._account.gap(self._number, seq, "nothing")

    def _end_session(self) -> None:
        if self._parser.drop():
            self._account.problem("the session ends within a long record")
        self._sessions.append(close(self._content, self._account, self._plan, refused=self._refused))
        self._begin_session()

    def _tell(self) -> None:
        """Tells how far the session under way has come."""
        if self._on_progress is None:
            return
        content = self._content
        asked = {item.item: item for item in self._plan.items} if self._plan else content.asked
        done = {number for number, item in content.items.items() if item.answered}
        begun = content.open.begin if content.open else None
        self._on_progress(
            Progress(
                items_done=len(done),
                items_total=len(asked),
                measurement=framing.clean(begun.measurement) if begun else "",
                load=framing.clean(begun.load) if begun else "none",
                seconds_left=sum(expected_seconds(item) for number, item in asked.items() if number not in done),
            )
        )


def _is_read(version: str) -> bool:
    major, _, minor = version.partition(".")
    return major == _MAJOR and minor.isascii() and minor.isdigit()
