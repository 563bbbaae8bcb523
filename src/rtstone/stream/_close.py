# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Ends a session: holds it against the plan and against its own `bye`, and makes it the model's structure."""

from __future__ import annotations

from rtstone.model import Result, Session
from rtstone.stream import framing
from rtstone.stream._account import Account
from rtstone.stream._item import ItemBuilder
from rtstone.stream._session import SessionContent
from rtstone.stream.plan import Item, Plan


def close(content: SessionContent, account: Account, plan: Plan | None, *, refused: bool) -> Session:
    """The session as it stands. It is complete when nothing at all is wrong with it."""
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
        console=tuple(framing.printable(line) for line in account.console_kept),
        unknown=tuple(account.unknown_kept),
        lines=account.lines,
        records=account.records,
        unknown_records=account.unknown_records,
        console_lines=account.console_lines,
    )


def _asked(content: SessionContent, plan: Plan | None) -> dict[int, Item]:
    """The items as the engine understood them; where its echo is missing, as they were asked for."""
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
        account.problem(f"bye counts {bye.records} records, {account.intact} arrived")
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
        account.problem(f"the plan's echo announces {head.items} items and has {len(content.asked)}")
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
    """What an engine may not change: it may lower a count or choose the CPU, but not measure something else."""
    return (item.measurement, item.pass_, item.load, item.intensity, item.sched, item.cache, item.period_ns)
