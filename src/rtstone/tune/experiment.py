# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The request of `rtstone tune`: settings with two levels each, and the quantity that is measured at them."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

import msgspec

from rtstone.errors import UsageError, unknown, unknown_key
from rtstone.model.units import counted, duration_ns

MOST = 16
"""Most settings of an experiment."""
COMM_MOST = 15
"""Most bytes of a thread's name."""
LEAST_SAMPLES = 1000
"""The p99.9 of fewer samples is their maximum."""
QUANTITY = "interrupt-task-response"
"""The judged quantity, unless the file names another."""
TARGETS = "targets"
"""Name of the factor whose levels are two targets."""
FACT = "target.tune."
"""Prefix of the facts that describe a run's experiment:
`experiment`, `row`, and `set.` followed by the setting's name."""

Levels: TypeAlias = tuple[str | int, str | int]


class Factor(msgspec.Struct, frozen=True, kw_only=True):
    """One setting and its levels."""

    name: str
    kind: Literal["setting", "words", "targets"]
    low: str
    high: str

    def level(self, high: int) -> str:
        """The value of a level, 0 or 1."""
        return self.high if high else self.low


class Experiment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of `rtstone tune`."""

    schema: Literal["rtstone.tune"]
    version: str
    settings: dict[str, Levels] = {}
    """Of this machine: short cut, `irq:N`, `thread:NAME`, path or pattern -> low and high."""
    words: dict[str, Levels] = {}
    """Of a board's Linux: name -> words for the kernel's command line, low and high."""
    targets: tuple[str, str] | None = None
    """Two targets as one factor: two kernels of a board."""
    target: str = ""
    measurement: str = "interrupt-response"
    quantity: str = QUANTITY
    load: str = "none"
    count: int = 4000
    """Samples of a session."""
    period: str = "250us"
    rounds: int = 0
    """Sessions of each row of the design; 0: enough for 128 in all, but at least four."""
    settle: str = "100ms"
    """How long a session waits after the settings are made."""
    cpu: int = -1
    comm: str = ""
    """Judge by the user's threads of this name, which each session watches;
    empty: by a measurement of rtstone's own."""
    duration: str = "2s"
    """How long a session watches these threads."""
    deadline: str = ""
    """Deadline of these threads' cycles; with it their start latency and response can be judged too."""

    @property
    def judged(self) -> str:
        """The judged quantity."""
        if not self.comm or self.quantity != QUANTITY:
            return self.quantity
        name = re.sub(r"[^A-Za-z0-9._-]", "_", self.comm)
        return f"{'response' if self.deadline else 'wakeup-latency'}-{name}"

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The factors in the order of the file."""
        made = [
            Factor(name=name, kind="setting", low=str(low), high=str(high))
            for name, (low, high) in self.settings.items()
        ]
        made += [
            Factor(name=name, kind="words", low=str(low), high=str(high)) for name, (low, high) in self.words.items()
        ]
        if self.targets is not None:
            made.append(Factor(name=TARGETS, kind="targets", low=self.targets[0], high=self.targets[1]))
        return tuple(made)


def experiment(data: bytes, where: str, *, comm: str = "", target: str = "") -> Experiment:
    """Return a file's experiment; `comm` and `target` replace its own. Raises UsageError, in a line that begins with `where`."""
    try:
        made = msgspec.toml.decode(data, type=Experiment)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        if key := unknown_key(error):
            known = [field.name for field in msgspec.structs.fields(Experiment)]
            raise UsageError(f"{where}: {unknown('key', key, known)}") from None
        raise UsageError(f"{where}: {str(error).splitlines()[0].replace('`', chr(39))}") from None
    if made.version.partition(".")[0] != "1":
        raise UsageError(f"{where}: version {made.version}; this rtstone reads 1.x")
    if comm:
        made = msgspec.structs.replace(made, comm=comm, target=target or made.target)
    factors = made.factors
    if not 1 <= len(factors) <= MOST:
        raise UsageError(f"{where}: {counted(len(factors), 'setting')}; an experiment has 1 to {MOST}")
    names = [factor.name for factor in factors]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"{where}: '{twice}' is there twice")
    for factor in factors:
        if factor.low == factor.high:
            raise UsageError(f"{where}: '{factor.name}' has the same level twice: '{factor.low}'")
        if not (factor.low + factor.high).isprintable():
            raise UsageError(f"{where}: '{factor.name}': a level is printable text")
    if made.targets is not None and made.target:
        raise UsageError(f"{where}: target and targets exclude each other")
    if not LEAST_SAMPLES <= made.count < 1 << 32:
        raise UsageError(f"{where}: count = {made.count}: a p99.9 takes {LEAST_SAMPLES} samples and more")
    if made.rounds and not 2 <= made.rounds <= 1000:
        raise UsageError(f"{where}: rounds = {made.rounds}: at least 2 tell the error, and 1000 are the most")
    if not 1 <= (duration_ns(made.period) or 0) < 1 << 32:
        raise UsageError(f"{where}: period = '{made.period}': a time above 0 and up to 4.29 s (250us, 1ms)")
    settle = duration_ns(made.settle)
    if settle is None or settle > 60e9:
        raise UsageError(f"{where}: settle = '{made.settle}': a time up to 60s")
    if made.comm:
        _check_threads(made, where)
    elif made.deadline:
        raise UsageError(
            f"{where}: deadline is for threads of your own: name them with --for comm=NAME, or comm = 'NAME'"
        )
    return made


def _check_threads(made: Experiment, where: str) -> None:
    if len(made.comm.encode()) > COMM_MOST or not made.comm.isprintable():
        raise UsageError(f"{where}: comm = '{made.comm}': a thread's name is printable, of at most {COMM_MOST} bytes")
    if made.words or made.targets is not None or made.target not in {"", "local"}:
        raise UsageError(f"{where}: comm: threads of your own are watched on this machine, with [settings] alone")
    if made.load != "none":
        raise UsageError(f"{where}: load = '{made.load}': with comm the load is your own")
    if not 0.1e9 <= (duration_ns(made.duration) or 0) <= 3600e9:
        raise UsageError(f"{where}: duration = '{made.duration}': a time from 100ms to 1h")
    if made.deadline and not 1 <= (duration_ns(made.deadline) or 0) < 1 << 40:
        raise UsageError(f"{where}: deadline = '{made.deadline}': a time above 0 (500us, 1ms)")
