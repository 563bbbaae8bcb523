# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads a stream line by line, counts every line, and cuts the stream into sessions. No input raises an error."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

import msgspec

from rtstone.model import Degraded, Result, Session
from rtstone.model.units import counted
from rtstone.stream import framing
from rtstone.stream._account import Account
from rtstone.stream._item import ItemBuilder
from rtstone.stream._parse import PART, BadLine, Malformed, Parser, kind_of
from rtstone.stream._session import SessionContent
from rtstone.stream.plan import Item, Plan, seconds_left


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """The progress, reported whenever an item begins or is answered."""

    items_done: int
    items_total: int
    """0 if the plan is not known."""
    measurement: str = ""
    """The measurement under way; empty between two measurements."""
    load: str = "none"
    seconds_left: float = 0.0
    """Upper estimate (s) from the plan's budgets. It includes the full time of the item under way."""
    repetition: int = 0
    """Number of the repetition under way, from 0."""
    repetitions: int = 1
    target: str = ""


def close(content: SessionContent, account: Account, plan: Plan | None, *, refused: bool) -> Session:
    """The session from its content so far. It is complete if it has no problem at all."""
    if not refused:
        _judge_frame(content, account)
        _judge_plan(content, account, plan)
    asked = _asked(content, plan)
    unanswered = [] if refused else [n for n in _numbers(content, asked) if not _answered(content, n)]
    for number in unanswered:
        name = asked[number].measurement if number in asked else "?"
        account.problem(f"item {number} ({framing.clean(name)}) of the plan is not answered")
    losses = account.losses(unanswered=len(unanswered), no_bye=content.bye is None and not refused)
    hello = content.hello
    return Session(
        nonce=framing.clean(hello.nonce) if hello else "",
        engine=framing.clean(hello.engine) if hello else "",
        port=framing.clean(hello.port) if hello else "",
        stream_version=framing.clean(hello.v) if hello else "",
        repetition=content.head.repetition if content.head else plan.repetition if plan else 0,
        seed=int(content.head.seed) if content.head else plan.seed if plan else 0,
        env=content.env,
        clocks=tuple(content.clocks),
        calibrations=tuple(content.calibrations),
        degraded=tuple(content.degraded),
        results=_results(content, asked, refused=refused),
        losses=losses,
        complete=losses.none and not account.problems,
        refusal=content.refusal,
        problems=account.all_problems(),
        console=tuple(account.console_kept),
        unknown=tuple(account.unknown_kept),
        lines=account.lines,
        records=account.records,
        unknown_records=account.unknown_records,
        console_lines=account.console_lines,
    )


def _asked(content: SessionContent, plan: Plan | None) -> dict[int, Item]:
    """The items as the engine echoed them. An item without an echo is as in the plan."""
    asked = {item.item: item for item in plan.items} if plan else {}
    return asked | content.asked


def _numbers(content: SessionContent, asked: dict[int, Item]) -> list[int]:
    return list(dict.fromkeys((*content.items, *asked)))


def _answered(content: SessionContent, number: int) -> bool:
    return number in content.items and content.items[number].answered


def _results(content: SessionContent, asked: dict[int, Item], *, refused: bool) -> tuple[Result, ...]:
    if refused:
        return ()
    found: list[Result] = []
    for number in _numbers(content, asked):
        builder = content.items.get(number) or ItemBuilder(number)
        found.extend(builder.results(asked.get(number)))
    return tuple(found)


def _judge_frame(content: SessionContent, account: Account) -> None:
    if content.hello is None:
        account.problem("the stream does not begin with a hello")
    if content.refusal:
        account.problem(f"the engine refused to measure: {content.refusal}")
    bye = content.bye
    if bye is None:
        account.problem("the stream has no bye: it was cut, or the engine died")
        return
    if int(bye.records) != account.intact:
        account.problem(f"bye counts {counted(int(bye.records), 'record')}, {account.intact} arrived")
    if bye.status != "ok":
        account.problem(f"the engine ended with status '{framing.clean(bye.status)}'")
    skipped = sum(item.skip is not None for item in content.items.values())
    measured = sum(item.skip is None and item.answered for item in content.items.values())
    if (bye.measured, bye.skipped) != (measured, skipped):
        account.problem(
            f"bye counts {bye.measured} measured and {bye.skipped} skipped items, the stream has {measured} and {skipped}"
        )


def _judge_plan(content: SessionContent, account: Account, plan: Plan | None) -> None:
    head = content.head
    if head is None:
        if content.hello is not None and not content.refusal:
            account.problem("the engine did not echo the plan")
        return
    if head.items != len(content.asked):
        account.problem(f"the plan's echo announces {counted(head.items, 'item')} and has {len(content.asked)}")
    if plan is None:
        return
    if (int(head.seed), head.repetition) != (plan.seed, plan.repetition):
        account.problem(
            f"the engine ran seed {head.seed}, repetition {head.repetition}; asked for were {plan.seed} and {plan.repetition}"
        )
    for item in plan.items:
        echo = content.asked.get(item.item)
        if echo is not None and _essence(echo) != _essence(item):
            account.problem(
                f"the engine understood item {item.item} ({item.measurement}) otherwise than it was asked for"
            )
    for number in content.asked.keys() - {item.item for item in plan.items}:
        account.problem(f"the engine ran an item {number} that the plan does not have")


def _essence(item: Item) -> tuple[object, ...]:
    """The fields that an engine may not change. It may lower a count or choose the CPU, but not measure something
    else."""
    return (item.measurement, item.pass_, item.load, item.intensity, item.sched, item.cache, item.period_ns)


VERSION = "1.2"
_MAJOR = VERSION.partition(".")[0]


def collect(
    lines: Iterable[bytes], plan: Plan | None = None, on_progress: Callable[[Progress], None] | None = None
) -> tuple[Session, ...]:
    """All sessions of a stream. ``plan``: the plan that the engine was given, if known; each session must answer all of
    its items."""
    collector = Collector(plan, on_progress)
    for line in lines:
        collector.feed(line)
    return collector.finish()


class Collector:
    """Collects the sessions of a stream that is fed line by line."""

    def __init__(self, plan: Plan | None = None, on_progress: Callable[[Progress], None] | None = None) -> None:
        self._plan = plan
        self._on_progress = on_progress
        self._sessions: list[Session] = []
        self._number = 0
        self.items_ended = 0
        """Number of ended items, over all sessions."""
        self._begin_session()

    def _begin_session(self) -> None:
        self._content = SessionContent(self._tell)
        self._account = Account()
        self._parser = Parser()
        self._last: tuple[int, bytes] | None = None
        self._refused = False
        self._first_s: float | None = None
        """When (s) the session's first item began, by this machine's monotonic clock."""

    @property
    def degraded(self) -> tuple[Degraded, ...]:
        """The degradations of the target that the session under way has reported so far."""
        return tuple(self._content.degraded)

    def so_far(self) -> tuple[Session, ...]:
        """All sessions so far, the last as if the stream were cut here. The collector can still be fed."""
        if not self._account.lines:
            return tuple(self._sessions)
        return (*self._sessions, self._cut(self._account.copied()))

    def finish(self) -> tuple[Session, ...]:
        """Ends the last session and returns all sessions. An empty stream has no session."""
        if self._account.lines:
            self._end_session()
        sessions, self._sessions = tuple(self._sessions), []
        return sessions

    def feed(self, line: bytes) -> None:
        """Reads one line, with or without its line end."""
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
        """Marks a loss: the item under way may lack records, and a record that came in parts cannot be completed."""
        self._content.lose()
        self._parser.drop()

    def _malformed(self, text: str) -> None:
        self._lose()
        self._account.malformed(self._number, text)

    def _on_hello(self) -> None:
        """Ends the session before a hello, unless no record came before it."""
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
        """Compares the record's number with the one before it."""
        last, self._last = self._last, (seq, line)
        if last is None:
            if seq:
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
        # Only a hello may restart the numbers, so the new session's hello was lost.
        self._account.problem(
            f"line {self._number}: number {seq:x} follows {last[0]:x}: the target was reset, its hello lost"
        )
        self._end_session()
        self._last = (seq, line)
        self._account.gap(self._number, seq, "nothing")

    def _end_session(self) -> None:
        self._sessions.append(self._cut(self._account))
        self._begin_session()

    def _cut(self, account: Account) -> Session:
        """The session under way, as if the stream ended here."""
        if self._parser.waiting:
            account.problem("the session ends within a long record")
        return close(self._content, account, self._plan, refused=self._refused)

    def _tell(self) -> None:
        """Reports the progress of the session under way to `on_progress`."""
        if self._content.open is None:
            self.items_ended += 1
        if self._on_progress is None:
            return
        content = self._content
        asked = {item.item: item for item in self._plan.items} if self._plan else content.asked
        done = {number for number, item in content.items.items() if item.answered}
        begun = content.open.begin if content.open else None
        if self._first_s is None and (begun or done):
            self._first_s = time.monotonic()
        elapsed_s = 0.0 if self._first_s is None else time.monotonic() - self._first_s
        self._on_progress(
            Progress(
                items_done=len(done),
                items_total=len(asked),
                measurement=framing.clean(begun.measurement) if begun else "",
                load=framing.clean(begun.load) if begun else "none",
                seconds_left=seconds_left(asked.values(), done, elapsed_s),
            )
        )


def _is_read(version: str) -> bool:
    major, _, minor = version.partition(".")
    return major == _MAJOR and minor.isascii() and minor.isdigit()
