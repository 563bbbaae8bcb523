# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether two runs, or two results, are comparable: side by side, as one population, or as parts of one run.

All commands that compare, check, combine or resume share this one notion. Runs side by side may differ in what a kernel
can change, because kernels are compared. They may also differ in the tool's version: `Result.meaning`, the definition
version, decides for results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from rtstone.model import labels
from rtstone.model.run import Clock, Result, Run

Degree = Literal["side by side", "together", "one run"]
"""`side by side`: compared with each other, so that a difference is due to the kernel. `together`: as samples of one
population. `one run`: as sessions of one run. Each degree includes the conditions of the one before it."""

_DEGREES: tuple[Degree, ...] = ("side by side", "together", "one run")


class ConditionDifference(msgspec.Struct, frozen=True):
    """One difference between two runs or results."""

    what: str
    """Its short name, one of :data:`NAMES`."""
    text: str
    """The first one's value and the other's, as `CPU: X | Y`."""


class Read(msgspec.Struct, frozen=True):
    """A result with the facts for a comparison: its clock, the engine, and the virtual board's platform, if any."""

    result: Result
    clock: Clock | None
    engine: str = ""
    platform: str = ""


class _Fact(msgspec.Struct, frozen=True):
    what: str
    title: str
    degree: Degree
    lenient: bool = False
    """A missing value is not a difference: bare metal knows no machine name."""
    absent: str = "none"


_FACTS = (
    _Fact("time", "unit of time", "side by side"),
    _Fact("instructions-per-second", "instructions a second", "side by side"),
    _Fact("machine", "machine", "side by side", absent="not told"),
    _Fact("board", "virtual board's platform (emulator, flags, clock)", "side by side"),
    _Fact("image", "identity of the virtual board", "side by side"),
    _Fact("kernel.machine", "architecture", "side by side", lenient=True),
    _Fact("cpu.model", "CPU", "side by side", lenient=True),
    _Fact("virtualisation.hypervisor", "hypervisor", "side by side"),
    _Fact("degraded", "degraded", "side by side", absent="no"),
    _Fact("port", "port", "together"),
    _Fact("kernel", "kernel", "together"),
    _Fact("kernel.cmdline", "command line", "together"),
    _Fact("clock.source", "clock source", "together"),
    _Fact("before", "command before each repetition", "together"),
    _Fact("settings", "settings of an experiment", "together"),
    _Fact("engine", "engine", "one run"),
    _Fact("compiler", "compiler", "one run"),
)

_OF_RESULTS = {
    "meaning": "definition of the measurement",
    "substituted": "substituted",
    "entered": "where the handler is stamped",
    "clock": "clock",
    "readings": "clock readings of a set",
}
NAMES = (*(fact.what for fact in _FACTS), *_OF_RESULTS)
"""Short names of all facts that can differ; variants have names of their own."""

_KERNEL = ("kernel.name", "kernel.sysname", "kernel.release", "kernel.version", "board.kernel.package_version")
_COMMAND_LINE = ("kernel.cmdline", "board.append")
_ENTRY = frozenset({"top", "handler", "vector"})
"""Boundaries of stages that are the handler's entry."""


def runs_unlike(first: Run, second: Run, degree: Degree = "side by side") -> tuple[ConditionDifference, ...]:
    """The differences of two runs in facts of whole runs; empty where they are comparable in this degree."""
    left, right = identity(first), identity(second)
    same_board = bool(left["board"]) and left["board"] == right["board"]
    same_kernel = first.target == second.target and all(
        left[key] == right[key] for key in ("kernel", "kernel.cmdline", "engine")
    )
    found = []
    for fact in _FACTS:
        was, now = left[fact.what], right[fact.what]
        if fact.what == "machine" and degree != "one run" and "nothing" in (_source(first), _source(second)):
            found.append(
                ConditionDifference("machine", "machine: nothing identifies it in its container (set RTSTONE_MACHINE)")
            )
            continue
        if was == now or _DEGREES.index(fact.degree) > _DEGREES.index(degree):
            continue
        if fact.lenient and not (was and now):
            continue
        if same_board and fact.what in {"cpu.model", "virtualisation.hypervisor"}:
            continue  # each kernel of one board names its CPU in its own way
        if fact.what == "instructions-per-second" and first.time != second.time:
            continue  # the difference in the unit of time is listed already
        if fact.what == "image" and not same_kernel:
            continue  # another kernel is another image; the same one in another image is another instrument
        found.append(
            ConditionDifference(fact.what, f"{fact.title}: {_shown(fact, first, was)} | {_shown(fact, second, now)}")
        )
    return tuple(found)


def populations(runs: Sequence[Run]) -> tuple[str, ...]:
    """A text for each run that distinguishes its population (`together`) from the others;
    empty where all runs are one population."""
    first: list[Run] = []
    where = []
    for run in runs:
        at = next((i for i, one in enumerate(first) if not runs_unlike(one, run, "together")), len(first))
        first += [run] if at == len(first) else []
        where.append(at)
    apart = {u.what for i, a in enumerate(first) for b in first[:i] for u in runs_unlike(b, a, "together")}
    facts = [fact for fact in _FACTS if fact.what in apart]
    words = [
        ", ".join(f"{fact.title}: {_shown(fact, run, identity(run)[fact.what])}" for fact in facts) for run in first
    ]
    return tuple(words[at] for at in where)


def identity(run: Run) -> dict[str, str]:
    """The identity of a run, by the short names of the facts that are compared for whole runs;
    empty value: not recorded."""
    said: dict[str, dict[str, None]] = {}
    for session in run.sessions:
        for key, value in (*session.env.items(), ("engine", session.engine), ("port", session.port)):
            said.setdefault(key, {})[value] = None
    facts = {key: " / ".join(values) for key, values in said.items()}
    for key, value in run.host.items():
        name = key.removeprefix("target.")
        if name != key or key.startswith("board."):
            facts[name] = value
        elif run.tells_host:
            facts.setdefault(key, value)
    counted = run.time == "instruction-time" and run.instructions_per_second
    return (
        {
            "time": run.time,
            "instructions-per-second": str(run.instructions_per_second) if counted else "",
            "machine": _machine(run),
            "board": facts.get("board.platform", ""),
            "image": facts.get("board.identity", ""),
            "kernel": " ".join(dict.fromkeys(facts[key] for key in _KERNEL if facts.get(key))),
            "kernel.cmdline": " ".join(facts[key] for key in _COMMAND_LINE if facts.get(key)),
            "degraded": " / ".join(sorted({lack.reason for lack in run.degraded})),
            "settings": ", ".join(
                f"{key.removeprefix('tune.set.')}={facts[key]}" for key in sorted(facts) if key.startswith("tune.set.")
            ),
        }
        | {
            key: facts.get(key, "")
            for key in (
                *("kernel.machine", "cpu.model", "virtualisation.hypervisor", "port", "clock.source", "before"),
                *("engine", "compiler"),
            )
        }
        | {"virtualisation.hypervisor": labels.hypervisor(facts.get("virtualisation.hypervisor", ""))}
    )


def _machine(run: Run) -> str:
    """The host of a virtual board, if the host affects the board's figures.
    The platform identifies the board itself."""
    if run.host.get("board.platform", ""):
        return "" if run.deterministic else run.host.get("host.machine.id", "")
    return run.machine


def _shown(fact: _Fact, run: Run, value: str) -> str:
    if fact.what != "machine" or not value:
        return value or fact.absent
    name = "" if run.host.get("board.platform", "") else run.machine_name
    shown = f"{name} ({value[:8]})" if name not in ("", value) else value[:16]
    # A container whose node has no other identification: after the next boot it counts as another machine.
    return f"{shown}, known by its boot alone (set RTSTONE_MACHINE)" if _source(run) == "boot-id" else shown


def _source(run: Run) -> str:
    """The source of the machine's id, as the engine or the virtual board's host records it."""
    if run.host.get("board.platform", ""):
        return "" if run.deterministic else run.host.get("host.machine.id-source", "")
    return next((source for session in run.sessions if (source := session.env.get("machine.id-source", ""))), "")


def reads(run: Run, result: Result, clock: Clock | None, engine: str) -> Read:
    """A result of a run, ready for comparison."""
    return Read(result, clock, engine, run.host.get("board.platform", ""))


def results_unlike(first: Sequence[Read], second: Sequence[Read] = ()) -> tuple[ConditionDifference, ...]:
    """Differences in the definition of results of one measurement, quantity and variant, over both sides;
    empty where there are none.

    With one side only: why its results may not be combined.
    """
    found = []
    for what, of in _MARKS.items():
        sides = [dict.fromkeys(value for one in side if (value := of(one)) is not None) for side in (first, second)]
        if len({**sides[0], **sides[1]}) > 1:
            found.append(ConditionDifference(what, _values_in_words(what, sides)))
    sets = [[one.result for one in side if one.result.variant.pass_ == "batch"] for side in (first, second)]
    if any(not _read_alike(a, b) for a in (*sets[0], *sets[1])[:1] for b in (*sets[0], *sets[1])):
        each = [dict.fromkeys(f"{r.readings} in {r.ops} operations" for r in side) for side in sets]
        found.append(ConditionDifference("readings", _values_in_words("readings", each)))
    return tuple(found)


def meanings(results: Sequence[Read]) -> tuple[str, ...]:
    """A text for each result that distinguishes its definition from the others;
    empty where all have the same definition."""
    marks = [{what: value for what, of in _MARKS.items() if (value := of(one)) is not None} for one in results]
    apart = [what for what in _MARKS if len({one.get(what, "") for one in marks}) > 1]
    return tuple(", ".join(f"{_OF_RESULTS[what]}: {one[what]}" for what in apart if what in one) for one in marks)


def _values_in_words(what: str, sides: Sequence[dict[str, None]]) -> str:
    return f"{_OF_RESULTS[what]}: {' | '.join(' and '.join(side) for side in sides if side)}"


def _meaning(one: Read) -> str:
    # A result without a number is older than definition versions.
    # The engine's version identifies its definition, as it did then.
    return str(one.result.meaning) if one.result.meaning else f"not told, by engine {one.engine or 'unknown'}"


def substitutes(result: Result) -> str:
    """What was substituted in a result, in a fixed order; `nothing` where nothing was."""
    notes = {(n.service and f"{n.service}: {n.text}") or n.text for n in result.notes if n.kind == "substituted"}
    return " and ".join(sorted(notes)) or "nothing"


def _entered(one: Read) -> str | None:
    """Where the handler is stamped, only if the quantity begins or ends there.
    A task's response does not depend on it."""
    quantity = one.result.quantity
    of_it = quantity == "interrupt-service-response" or _ENTRY & set(quantity.split("-to-"))
    return (one.result.entered or "not told") if of_it else None


def _clock(one: Read) -> str | None:
    # The kernels of one virtual board name the same counter differently.
    return None if one.platform or one.clock is None else one.clock.name


_MARKS: dict[str, Callable[[Read], str | None]] = {
    "meaning": _meaning,
    "substituted": lambda one: substitutes(one.result),
    "entered": _entered,
    "clock": _clock,
}


def _read_alike(a: Result, b: Result) -> bool:
    """Whether the number of readings, or of readings an operation, is equal; a missing number is not a difference."""
    return not (a.readings and b.readings) or a.readings == b.readings or a.readings * b.ops == b.readings * a.ops
