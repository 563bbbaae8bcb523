# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Options of `rtstone run` that choose among what the targets have: loads, measurements, timers, clocks, CPUs, windows.
Refuses wrong ones before anything is measured, and lists the possible ones."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from rtstone.cli import _engine_lists, _values
from rtstone.errors import InfrastructureError, UsageError, quoted, unknown
from rtstone.model.loads import load_kind

if TYPE_CHECKING:
    from rtstone.studies import Chosen, Need, Pass

_NAME_CHARACTERS = 31
"""Form of names in a plan (spec/plan.md)."""
Sched = Literal["rt", "ts"]
Cache = Literal["warm", "flushed"]


def loads(given: Sequence[str] | None, configured: str, targets: Sequence[str]) -> tuple[str, ...]:
    """The loads to measure under: those given, else those configured, else none: each target's own. Raises UsageError."""
    chosen = _values.words(given) or _values.words([configured] if configured else None)
    if known := _known_loads(targets):
        for together in chosen:
            parts = [_load_part(together, part) for part in together.split("+")]
            for name in parts:
                if name not in known:
                    of = f" of {targets[0]}" if len(targets) == 1 and targets[0].startswith("board:") else ""
                    raise unknown(f"load{of}", name, known)
            if len(parts) > len(set(parts) - {"none"}) and together != "none":
                raise UsageError(f"--load {quoted(together)}: together run different loads, each named once")
    _refuse_in_vain(chosen, targets, known)
    for together in chosen:
        if len(together) > _NAME_CHARACTERS:
            raise UsageError(
                f"--load {quoted(together)}: the names together have at most {_NAME_CHARACTERS} characters"
            )
    return chosen


def _known_loads(targets: Sequence[str]) -> tuple[str, ...]:
    """The loads that all targets have, or that one of several boards has: the columns of the others report it missing.
    Empty where an engine cannot be queried."""
    from rtstone.targets import capabilities

    if asked := _engine_lists.lists(targets):
        return (
            "none",
            *_engine_lists.known(asked, lambda one: [load.name for load in one.loads if load.name != "none"]),
        )
    found = [capabilities(target).loads for target in targets]
    return tuple(dict.fromkeys(name for names in found for name in names)) if all(found) else ()


def _refuse_in_vain(chosen: Sequence[str], targets: Sequence[str], known: Sequence[str]) -> None:
    """Raise UsageError if on each target, for want of a service of its kernel, none of the loads starts. A run under
    some of them reports the others as not measured."""
    from rtstone.targets import capabilities

    never = {target: capabilities(target).loads_in_vain for target in targets}
    if chosen and all(never[target] & set(load_kind(one).split("+")) for target in targets for one in chosen):
        parts = dict.fromkeys(part for one in chosen for part in load_kind(one).split("+"))
        lacking = [name for name in parts if any(name in names for names in never.values())]
        usable = [name for name in known if not all(name in names for names in never.values())]
        raise UsageError(
            f"the kernel of {', '.join(targets)} cannot run the load {', '.join(lacking)}. It can run: {', '.join(usable)}"
        )


def _load_part(together: str, part: str) -> str:
    """The name of one of the loads that run together, without the intensity that may follow it. Raises UsageError."""
    name, colon, amount = part.partition(":")
    good = amount.isascii() and amount.isdigit() and int(amount) <= _values.LARGEST
    if colon and (not good or name == "none"):
        raise UsageError(
            f"--load {quoted(together)}: behind a load's colon stands how much of it, a whole number (cpu:2)"
        )
    return name


COMMAND = "command"
"""Name of the load that runs a command of the user's."""


def load_command(command: str | None, chosen: tuple[str, ...], targets: Sequence[str]) -> tuple[str, ...]:
    """The loads, with the one for --load-command, also if --load does not name it.
    Raises UsageError if that load has no command, or if a target is neither this machine nor one over ssh."""
    asked = [together for together in chosen if COMMAND in load_kind(together).split("+")]
    if command is None:
        if asked:
            raise UsageError(
                f"--load {quoted(asked[0])} runs a command of yours: say which, --load-command 'stress-ng --cpu 1'"
            )
        return chosen
    if not command.strip() or "\n" in command or "\0" in command:
        raise UsageError("--load-command takes a command of one line")
    if not all(_engine_lists.here(target) or _engine_lists.elsewhere(target) for target in targets):
        raise UsageError("--load-command needs an engine on Linux: the targets local and ssh")
    return chosen if asked else (*(chosen or ("none",)), COMMAND)


def measurements(given: Sequence[str] | None, targets: Sequence[str]) -> tuple[Chosen, ...]:
    """The measurements requested by their names or by one of their quantities, with the engine's passes for them.
    Raises UsageError."""
    from rtstone.studies import Chosen, needs, studies

    given_names = _values.words(given)
    if not given_names:
        return ()
    from rtstone.show.tables import BY_THREAD

    needed = [need for study in studies() for need in needs(study)]
    paced = {need.measurement: need.period_ns for need in needed if need.period_ns}
    most = {need.measurement: need.most for need in needed}
    made_by = {need.quantity: need.measurement for need in reversed(needed)}
    if asked := _engine_lists.lists(targets):
        known = _engine_lists.known(asked, lambda one: [listed.name for listed in one.measurements])
        passes = {listed.name: listed.passes for listed in asked[0].measurements if listed.name in known}
        for listed in asked[0].measurements:
            if listed.pace in _PERIODS_NS:
                paced.setdefault(listed.name, _PERIODS_NS[listed.pace])
        # Of several measurements with a quantity, the engine lists the simplest first.
        there = [listed for listed in asked[0].measurements if listed.name in known]
        made_by |= {quantity: listed.name for listed in reversed(there) for quantity in listed.series}
    else:
        passes = _passes_on_boards(needed)
    made_by = {BY_THREAD[quantity]: name for quantity, name in made_by.items() if quantity in BY_THREAD} | made_by
    names = tuple(dict.fromkeys(name if name in passes else made_by.get(name, name) for name in given_names))
    scheds = {name: {need.sched for need in needed if need.measurement == name} for name in names}
    for name in names:
        if name not in passes:
            raise unknown("measurement", name, dict.fromkeys((*passes, *made_by)))
    return tuple(
        Chosen(
            name=name,
            passes=passes[name],
            paced=name in paced,
            period_ns=paced.get(name, 0),
            most=most.get(name, 0),
            sched="ts" if scheds[name] == {"ts"} else None,
        )
        for name in names
    )


def _passes_on_boards(needed: Sequence[Need]) -> dict[str, tuple[Pass, ...]]:
    """Each measurement of the studies with its passes,
    from this machine's engine: a board's is built from the same sources."""
    passes: dict[str, tuple[Pass, ...]] = {}
    for need in needed:
        passes[need.measurement] = tuple(dict.fromkeys((*passes.get(need.measurement, ()), need.pass_)))
    with suppress(InfrastructureError):
        passes |= {one.name: one.passes for one in _engine_lists.engine_list().measurements if one.name in passes}
    return passes


SCHEDS: dict[str, Sched] = {"fifo": "rt", "other": "ts", "rt": "rt", "ts": "ts"}
"""Values of --sched -> names in plans and runs, which are also used on kernels without FIFO."""


def sched(word: str | None) -> Sched | None:
    """The scheduling class, if given. Raises UsageError."""
    chosen = _values.one_of("--sched", word, tuple(SCHEDS))
    return SCHEDS[chosen] if chosen is not None else None


def cpu(number: int, targets: Sequence[str]) -> int:
    """The CPU to measure on; -1: the port's choice. Raises UsageError for one that this machine does not have."""
    if number == -1 or not all(_engine_lists.here(target) for target in targets):
        if number < -1:
            raise UsageError(f"--cpu takes a CPU's number, or -1 for the port's choice, not {number}")
        return number
    there = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
    if number not in there:
        raise UsageError(f"there is no CPU {number} to measure on; there are: {', '.join(map(str, there))}")
    return number


NET = "net:"
"""Prefix of an event source that is datagrams of another host; an address follows."""
SIGNALS = ("gpio:", "pps:", "uio:")
"""Prefixes of event sources that are a signal's edges or a device's interrupts; a path on the target follows."""
_PERIODS_NS: dict[str, int] = {"timer": 0, "outside": 1_000_000}
"""Event that a measurement waits for -> its period where no study has one; 0: the usual period."""


def timer(name: str, targets: Sequence[str]) -> str:
    """The source of the measured interrupt. Raises UsageError for one that this machine's engine does not know."""
    asked = _engine_lists.lists(targets)
    if name.startswith((NET, *SIGNALS)) and all(map(_engine_lists.from_outside, asked)):
        if name.startswith(NET):
            _values.address(f"behind {NET} stands", name.removeprefix(NET))
        return name
    if asked and name not in (known := ("default", *_engine_lists.known(asked, lambda one: one.timers))):
        raise unknown("timer", name, known)
    return name


def clock(name: str | None, targets: Sequence[str]) -> str:
    """The clock that times durations, if given. Raises UsageError for one that an engine does not know.
    The engine reports whether the machine has that clock, and refuses unknown ones itself if it lists none."""
    if name is not None and not all(target == "local" or _engine_lists.elsewhere(target) for target in targets):
        raise UsageError("--clock chooses among the clocks of a live machine: the targets local and ssh")
    if name is None:
        return ""
    asked = [one for one in _engine_lists.lists(targets) if one.clocks is not None]
    if not asked and len(name) > _NAME_CHARACTERS:
        raise UsageError(f"--clock {quoted(name)}: a name has at most {_NAME_CHARACTERS} characters")
    return (
        _values.one_of("--clock", name, _engine_lists.known(asked, _engine_lists.clock_names)) or "" if asked else name
    )


class WindowForm(NamedTuple):
    """A form of a window's name: its pattern, the file that it requires on this machine, and a description."""

    pattern: re.Pattern[str]
    place: str
    summary: str


WINDOWS = {
    "shm": WindowForm(re.compile(r"shm|default"), "", "memory that two processes of this machine share (the default)"),
    "pci:DOMAIN:BUS:DEV.FN/N": WindowForm(
        re.compile(r"pci:([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])/([0-5])"),
        "/sys/bus/pci/devices/{}/resource{}",
        "a memory region (BAR) of a PCI device: pci:0000:00:05.0/2",
    ),
    "pci:DOMAIN:BUS:DEV.FN/N/kernel": WindowForm(
        re.compile(r"pci:([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])/([0-5])/kernel"),
        "/dev/rtstone-window",
        "a BAR of a PCI device, moved in kernel space by the probe module with window=0000:00:05.0/2: pci:0000:00:05.0/2/kernel",
    ),
    "uio:N/M": WindowForm(
        re.compile(r"uio:(\d+)/(\d+)"),
        "/sys/class/uio/uio{}/maps/map{}",
        "a region of a user-space I/O device: uio:0/0",
    ),
    "vme:N/a16|a24|a32/ADDR": WindowForm(
        re.compile(r"vme:(\d)/a(?:16|24|32)/[0-9a-f]+"),
        "/dev/bus/vme/m{}",
        "a master window of a VME bridge, address in hex: vme:0/a24/200000",
    ),
    "vme:N/a16|a24|a32/ADDR/map": WindowForm(
        re.compile(r"vme:(\d)/a(?:16|24|32)/[0-9a-f]+/map"),
        "/dev/bus/vme/m{}",
        "a master window mapped into this task, where the bridge's driver has a bus resource: vme:0/a24/200000/map",
    ),
}
"""Form of a window's name -> its description."""


def window(name: str, targets: Sequence[str]) -> str:
    """A window for data transfers. Raises UsageError for an invalid one, before anything is opened or measured."""
    for way in WINDOWS.values():
        match = way.pattern.fullmatch(name)
        if match is None:
            continue
        path = way.place.format(*match.groups())
        if _engine_lists.on_this_machine(targets) and path and not Path(path).exists():
            raise UsageError(f"--window {quoted(name)}: there is no {path}")
        return name
    raise UsageError(f"--window {quoted(name)}: a window is {', '.join(WINDOWS)}")
