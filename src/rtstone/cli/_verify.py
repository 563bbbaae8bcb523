# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs kernels of virtual boards several times and reports whether their record streams are the same to the byte."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec

from rtstone.errors import InfrastructureError, RtstoneError
from rtstone.measure import Interruption
from rtstone.stream import framing
from rtstone.stream.plan import Plan
from rtstone.targets import open_target
from rtstone.targets.board import BoardTarget


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """Result for one kernel."""

    target: str
    identity: str
    same: bool
    runs: int
    bytes: int
    """Length of the first run's stream."""
    hashes: tuple[str, ...]
    """SHA-256 of each run's stream."""
    difference: tuple[str, ...] = ()
    """The first record that differs, as lines for a reader."""
    error: str = ""

    @property
    def line(self) -> str:
        """The whole result in a line."""
        if self.error:
            return f"{self.target}: failed: {self.error}"
        distinct = dict.fromkeys(self.hashes)
        if self.same:
            return f"{self.target}: {self.runs} runs the same, {self.bytes} bytes, sha256 {self.hashes[0]}"
        return f"{self.target}: {self.runs} runs are {len(distinct)} different ones: sha256 {', '.join(distinct)}"

    @property
    def log(self) -> tuple[str, ...]:
        """A line for each run: target, board's identity, number, hash."""
        if self.error:
            return (f"{self.target} {self.identity or '-'} failed {self.error}",)
        return tuple(f"{self.target} {self.identity} {number} {digest}" for number, digest in enumerate(self.hashes))


def verify(
    pairs: Sequence[str], plan: Plan, runs: int, jobs: int, on_verified: Callable[[Verified], None]
) -> tuple[Verified, ...]:
    """Run each pair ``board/kernel`` `runs` times, `jobs` guests at a time;
    `on_verified` is called for each finished pair, in order."""
    found: list[Verified] = []
    with Interruption() as asked, ThreadPoolExecutor(jobs, thread_name_prefix="board") as pool:
        try:
            deployed = {pair: pool.submit(_deployed, pair) for pair in pairs}
            started = {
                pair: [pool.submit(_run, pair, plan, asked) for _ in range(runs)]
                for pair in pairs
                if not deployed[pair].result()
            }
            for pair in pairs:
                done = [future.result() for future in started.get(pair, ())]
                if asked.requested:
                    raise KeyboardInterrupt
                found.append(_compared(pair, deployed[pair].result(), done))
                on_verified(found[-1])
        except BaseException:
            asked.request()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return tuple(found)


class _Run(msgspec.Struct, frozen=True):
    stream: bytes
    identity: str
    error: str = ""


def _open(pair: str) -> BoardTarget:
    target = open_target(f"board:{pair}")
    if not isinstance(target, BoardTarget):
        raise InfrastructureError(f"board:{pair} is a plug-in's: its record stream cannot be compared")
    return target


def _deployed(pair: str) -> str:
    """Builds the missing parts, once; returns an error's text, or an empty one."""
    try:
        with _open(pair) as target:
            target.deploy()
    except RtstoneError as error:
        return str(error)
    return ""


def _run(pair: str, plan: Plan, asked: Interruption) -> _Run:
    """One run, start to end, in this thread."""
    if asked.requested:
        return _Run(b"", "")
    error = ""
    with _open(pair) as target:
        asked.on_request(target.stop)
        try:
            for _ in target.start(plan):
                pass
        except RtstoneError as failure:
            error = str(failure)
        finally:
            asked.forget(target.stop)
        return _Run(target.record_bytes, target.describe().get("board.identity", ""), error)


def _compared(pair: str, error: str, done: Sequence[_Run]) -> Verified:
    hashes = tuple(hashlib.sha256(run.stream).hexdigest() for run in done)
    failed = error or next((run.error for run in done if run.error), "")
    odd = next((run for run in done if run.stream != done[0].stream), None)
    number = next((n for n, run in enumerate(done) if run is odd), 0)
    return Verified(
        target=f"board:{pair}",
        identity=done[0].identity if done else "",
        same=odd is None and not failed,
        runs=len(done),
        bytes=len(done[0].stream) if done else 0,
        hashes=hashes,
        difference=first_difference(done[0].stream, odd.stream, number) if odd is not None and not failed else (),
        error=failed,
    )


def first_difference(one: bytes, other: bytes, number: int) -> tuple[str, ...]:
    """The first record that differs between run 0 and run `number`, as lines for a reader."""
    lines, others = one.split(b"\n"), other.split(b"\n")
    at = next((i for i, (a, b) in enumerate(zip(lines, others, strict=False)) if a != b), min(len(lines), len(others)))
    shown = [framing.console_text(side[at]) if at < len(side) else "nothing more" for side in (lines, others)]
    return (f"line {at + 1} is the first that differs", f"  run 0: {shown[0]}", f"  run {number}: {shown[1]}")
