# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns the options of `rtstone run` into a request.
Refuses wrong ones before anything is measured, and lists the possible ones."""

from __future__ import annotations

import ipaddress
import os
import re
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

import msgspec

from rtstone.errors import ImageError, InfrastructureError, UsageError, quoted, unknown
from rtstone.model.loads import load_kind
from rtstone.model.nodes import is_node
from rtstone.model.units import duration_ns, share_of_one

if TYPE_CHECKING:
    from rtstone.studies import Chosen, Need, Pass
    from rtstone.targets.ssh import SshTarget

_LIST_TIMEOUT_S = 20
_PERIOD_MAX_NS = (1 << 32) - 1
_WAIT_MAX_NS = 30 * 86400e9
_NAME_CHARACTERS = 31
"""Form of names in a plan (spec/plan.md)."""

Sched = Literal["rt", "ts"]
Cache = Literal["warm", "flushed"]


class ListedMeasurement(msgspec.Struct, frozen=True):
    """A measurement as the engine lists it."""

    name: str
    summary: str = ""
    passes: tuple[Literal["single", "batch"], ...] = ("single",)
    series: tuple[str, ...] = ()
    supported: bool = True
    why_not: str = ""
    substitutes: tuple[str, ...] = ()
    traits: tuple[str, ...] | None = None
    """None, also of `paced_by`: the engine is older than list 1.1, which introduced them."""
    paced_by: str | None = None
    whole: str = ""
    """The series that is the sum of other series of the same sample; empty: there is no such series."""
    of: str = ""
    """The measurement of which this is a choice, or its own name; empty: the engine is older than list 1.1."""
    choice: str = ""
    """The chosen variant, as `hpet` of `clock`; empty: the measurement has no variants."""

    @property
    def pace(self) -> str:
        """The event that it waits for. If the engine does not list it, it is derived from the measurement's name."""
        from rtstone.studies import pace_by_name

        return pace_by_name(self.name) if self.paced_by is None else self.paced_by

    @property
    def clock(self) -> str:
        """The clock whose reading it measures; empty: another kind of measurement.
        Derived from its name if the engine lists no choices."""
        if self.of:
            return self.choice if self.of == "clock" else ""
        return self.name.removeprefix("clock-") if self.name.startswith("clock-") else ""


class ListedLoad(msgspec.Struct, frozen=True):
    """A load as the engine lists it."""

    name: str
    summary: str = ""
    unit: str = ""


class ListedClock(msgspec.Struct, frozen=True):
    """A clock that can time a run, as the engine lists it."""

    name: str
    summary: str = ""


class EngineList(msgspec.Struct, frozen=True):
    """Output of `rtstone-engine list --json`."""

    engine: str
    port: str
    measurements: tuple[ListedMeasurement, ...]
    loads: tuple[ListedLoad, ...]
    timers: tuple[str, ...] = ()
    clocks: tuple[ListedClock, ...] | None = None
    """None: the engine is older than list 1.2, which introduced them."""
    capabilities: str = "0"
    """The effective capabilities of the queried engine, in hex."""

    @property
    def capabilities_mask(self) -> int:
        """The effective capabilities of the queried engine as an integer, one bit each."""
        return int(self.capabilities or "0", 16) & (1 << 64) - 1


def engine_list() -> EngineList:
    """Measurements and loads of this machine's engine. Raises InfrastructureError where the engine does not answer."""
    from rtstone.resources import engine_path

    return _list_of_program(str(engine_path()))


@cache
def _list_of_program(program: str) -> EngineList:
    """Measurements and loads of an engine on this machine, asked once a process. Raises InfrastructureError."""
    try:
        said = subprocess.run(
            [program, "list", "--json"],
            capture_output=True,
            timeout=_LIST_TIMEOUT_S,
            check=True,
            stdin=subprocess.DEVNULL,
        )
        return msgspec.json.decode(said.stdout, type=EngineList)
    except (OSError, subprocess.SubprocessError, msgspec.MsgspecError) as error:
        from rtstone.targets._process import ungranted

        why = ungranted(error, program) if isinstance(error, OSError) else ""
        raise InfrastructureError(f"{program} does not list its measurements: {error}{why}") from error


@cache
def remote_list(target: str) -> EngineList:
    """Measurements and loads of the engine of a machine over ssh.
    Raises InfrastructureError where the engine does not answer."""
    from rtstone.targets import open_target

    far = cast("SshTarget", open_target(target))  # or a place of a lab that is reached alike
    try:
        return msgspec.json.decode(far.listed(), type=EngineList)
    except msgspec.MsgspecError as error:
        raise InfrastructureError(f"{target}: its engine does not list its measurements: {error}") from error


def list_of(target: str) -> EngineList:
    """Measurements and loads of a target's engine: its own engine over ssh, else this machine's."""
    return remote_list(target) if elsewhere(target) else engine_list()


def elsewhere(target: str) -> bool:
    """Whether a target is a machine over ssh, where its own engine is queried."""
    from rtstone.targets import capabilities

    return capabilities(target).looked_at


def words(given: Sequence[str] | None) -> tuple[str, ...]:
    """The names of a repeatable option that also takes comma lists, each once; empty if it was not given.

    Raises UsageError for one that was given without any name: that would mean all there are.
    """
    found = tuple(dict.fromkeys(part.strip() for item in given or () for part in item.split(",") if part.strip()))
    if any(not item.strip(" ,") for item in given or ()):
        raise UsageError("an empty word instead of a name; without the option its default applies")
    return found


def on_this_machine(targets: Sequence[str]) -> bool:
    """Whether this machine's engine lists the measurements of all these targets."""
    from rtstone.targets import capabilities

    return all(capabilities(target).engine_here for target in targets)


def _here(target: str) -> bool:
    """Whether the target is this machine, measured by this machine's engine."""
    from rtstone.targets import capabilities

    can = capabilities(target)
    return can.engine_here and can.shares_host


def lists(targets: Sequence[str]) -> tuple[EngineList, ...]:
    """Lists of the engines that measure these targets; empty where one engine cannot be queried, as a board's."""
    if not all(on_this_machine([target]) or elsewhere(target) for target in targets):
        return ()
    asked = dict.fromkeys(target if elsewhere(target) else "local" for target in targets)
    return tuple(map(list_of, asked))


def _known(asked: Sequence[EngineList], names: Callable[[EngineList], Sequence[str]]) -> tuple[str, ...]:
    """The names that all of the engines know, in the first engine's order."""
    return tuple(name for name in names(asked[0]) if all(name in names(other) for other in asked[1:]))


def loads(given: Sequence[str] | None, configured: str, targets: Sequence[str]) -> tuple[str, ...]:
    """The loads to measure under: those given, else those configured, else none: each target's own. Raises UsageError."""
    chosen = words(given) or words([configured] if configured else None)
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

    if asked := lists(targets):
        return ("none", *_known(asked, lambda one: [load.name for load in one.loads if load.name != "none"]))
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
    good = amount.isascii() and amount.isdigit() and int(amount) <= _PERIOD_MAX_NS
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
    if not all(_here(target) or elsewhere(target) for target in targets):
        raise UsageError("--load-command needs an engine on Linux: the targets local and ssh")
    return chosen if asked else (*(chosen or ("none",)), COMMAND)


def intensity(value: int | None) -> int:
    """Intensity of each load; 0 if not given. Raises UsageError."""
    return positive("--intensity", value) or 0


def measurements(given: Sequence[str] | None, targets: Sequence[str]) -> tuple[Chosen, ...]:
    """The measurements requested by their names or by one of their quantities, with the engine's passes for them.
    Raises UsageError."""
    from rtstone.studies import Chosen, needs, studies

    given_names = words(given)
    if not given_names:
        return ()
    from rtstone.show.tables import BY_THREAD

    needed = [need for study in studies() for need in needs(study)]
    paced = {need.measurement: need.period_ns for need in needed if need.period_ns}
    most = {need.measurement: need.most for need in needed}
    made_by = {need.quantity: need.measurement for need in reversed(needed)}
    if asked := lists(targets):
        known = _known(asked, lambda one: [listed.name for listed in one.measurements])
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
        passes |= {one.name: one.passes for one in engine_list().measurements if one.name in passes}
    return passes


def peer(text: str | None) -> str | None:
    """The other host of network measurements: an IPv4 address, with a port if it is not the usual one.
    Raises UsageError."""
    return text if text is None else _address("--peer takes", text)


def _address(what: str, text: str) -> str:
    """An IPv4 address, with or without a port. Raises UsageError."""
    host, colon, port = text.partition(":")
    try:
        ipaddress.IPv4Address(host)
        good = not colon or (port.isascii() and port.isdigit() and 0 < int(port) < 65536)
    except ValueError:
        good = False
    if not good:
        raise UsageError(f"{what} an IPv4 address, with or without a port (192.0.2.1:5741), not '{quoted(text)}'")
    return text


def positive(option: str, value: int | None) -> int | None:
    """A count, if given. Raises UsageError for one that is not above 0."""
    if value is not None and not 1 <= value <= _PERIOD_MAX_NS:
        raise UsageError(f"{option} takes a whole number from 1 to {_PERIOD_MAX_NS}, not {value}")
    return value


def period_ns(text: str | None, option: str = "--period") -> int | None:
    """A period in nanoseconds from `250us`, `1ms`, `0.5 s`. Raises UsageError, also for a number without a unit."""
    if text is None:
        return None
    value = round(min(duration_ns(text) or 0.0, 1e18))
    if not 1 <= value <= _PERIOD_MAX_NS:
        raise UsageError(
            f"{option} takes a time with its unit, above 0 and up to 4.29 s (250us, 1ms), not '{quoted(text)}'"
        )
    return value


def time_ns(option: str, text: str) -> float:
    """A time in nanoseconds from `100us`. Raises UsageError."""
    value = duration_ns(text) or 0.0
    if not 1 <= value <= 1e15:
        raise UsageError(f"{option} takes a time with its unit (100us, 1ms), not '{quoted(text)}'")
    return value


def node(option: str, text: str) -> str:
    """The name of a node, as `local@NODE` has it. Raises UsageError."""
    if not is_node(text):
        raise UsageError(f"{option}: '{text}' is no name of a node: letters, digits, '.', '_' and '-'")
    return text


def seconds(option: str, text: str, *, plain: str = "", zero: bool = False) -> float:
    """A time to wait, in seconds, from `30s`, `10min`, `2h`. Raises UsageError.

    `plain` is the unit of a number without one; `zero`: a time of 0 is allowed too.
    """
    value = duration_ns(text, plain=plain)
    if value is None or value > _WAIT_MAX_NS or not (value > 0 or zero):
        raise UsageError(f"{option} takes a time above 0 and up to 720h (30s, 10min, 2h), not '{quoted(text)}'")
    return value / 1e9


def share(option: str, text: str) -> float:
    """A share between 0 and 1 from `1e-6`, `95%`, `10ppm`. Raises UsageError."""
    value = share_of_one(text) or 0.0
    if not 0 < value < 1:
        raise UsageError(f"{option} takes a share between 0 and 1 (1e-6, 95%, 10ppm), not '{quoted(text)}'")
    return value


def percent(option: str, text: str, *, share_below: float = 0.0) -> float:
    """A share from `95%`. Raises UsageError.

    A number without a unit is a percentage; below `share_below` it is a share, as 0.95 is elsewhere.
    """
    alone = share_of_one(text)
    value = share_of_one(text, plain="%")
    if value is None or alone is None:
        raise UsageError(f"{option} takes a share with its unit (95%), not '{quoted(text)}'")
    return alone if alone < share_below else value


def rarity(option: str, text: str) -> float:
    """A rarity, once in this many samples: `1e6`, `1000`. Raises UsageError."""
    value = (share_of_one(text) or 0.0) if "%" not in text and "ppm" not in text else 0.0
    if not 1 < value < 1e15:
        raise UsageError(f"{option} takes a number of samples above 1 (1e6), not '{quoted(text)}'")
    return value


def trace_over(text: str | None) -> int:
    """A limit (ns) above which a sample's trail is kept, from `100us`; 0 if not given. Raises UsageError."""
    return period_ns(text, "--trace-over") or 0


SCHEDS: dict[str, Sched] = {"fifo": "rt", "other": "ts", "rt": "rt", "ts": "ts"}
"""Values of --sched -> names in plans and runs, which are also used on kernels without FIFO."""


def sched(word: str | None) -> Sched | None:
    """The scheduling class, if given. Raises UsageError."""
    chosen = one_of("--sched", word, tuple(SCHEDS))
    return SCHEDS[chosen] if chosen is not None else None


def cpu(number: int, targets: Sequence[str]) -> int:
    """The CPU to measure on; -1: the port's choice. Raises UsageError for one that this machine does not have."""
    if number == -1 or not all(_here(target) for target in targets):
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


def from_outside(listed: EngineList) -> bool:
    """Whether an engine has measurements of events from outside the target."""
    return any(one.pace == "outside" for one in listed.measurements)


def traits(targets: Sequence[str]) -> dict[str, frozenset[str]]:
    """Traits of measurements, as the engines of these targets list them. A board's engine is not queried:
    this machine's list is used.

    Omits the measurements of engines that list no traits.
    """
    found: dict[str, frozenset[str]] = {}
    for asked in dict.fromkeys(target if elsewhere(target) else "local" for target in targets):
        with suppress(InfrastructureError):
            found |= {m.name: frozenset(m.traits) for m in list_of(asked).measurements if m.traits is not None}
    return found


def timer(name: str, targets: Sequence[str]) -> str:
    """The source of the measured interrupt. Raises UsageError for one that this machine's engine does not know."""
    asked = lists(targets)
    if name.startswith((NET, *SIGNALS)) and all(map(from_outside, asked)):
        if name.startswith(NET):
            _address(f"behind {NET} stands", name.removeprefix(NET))
        return name
    if asked and name not in (known := ("default", *_known(asked, lambda one: one.timers))):
        raise unknown("timer", name, known)
    return name


def clock(name: str | None, targets: Sequence[str]) -> str:
    """The clock that times durations, if given. Raises UsageError for one that an engine does not know.
    The engine reports whether the machine has that clock, and refuses unknown ones itself if it lists none."""
    if name is not None and not all(target == "local" or elsewhere(target) for target in targets):
        raise UsageError("--clock chooses among the clocks of a live machine: the targets local and ssh")
    if name is None:
        return ""
    asked = [one for one in lists(targets) if one.clocks is not None]
    if not asked and len(name) > _NAME_CHARACTERS:
        raise UsageError(f"--clock {quoted(name)}: a name has at most {_NAME_CHARACTERS} characters")
    return one_of("--clock", name, _known(asked, clock_names)) or "" if asked else name


def clock_names(listed: EngineList) -> tuple[str, ...]:
    """The names of the clocks that an engine lists."""
    return tuple(clock.name for clock in listed.clocks or ())


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
        if on_this_machine(targets) and path and not Path(path).exists():
            raise UsageError(f"--window {quoted(name)}: there is no {path}")
        return name
    raise UsageError(f"--window {quoted(name)}: a window is {', '.join(WINDOWS)}")


def by_turns(target: str) -> bool:
    """Whether a target shares the profile's time with others, because nothing may run in parallel:
    all but boards that count instructions."""
    from rtstone.targets import capabilities

    return not capabilities(target).virtual


def firmware(image: Path, specifications: tuple[str, ...]) -> str:
    """The target for an image on the one board named. Raises UsageError."""
    from rtstone.targets import boards

    board = specifications[0].removeprefix("board:")
    if len(specifications) != 1 or not specifications[0].startswith("board:") or "/" in board:
        raise UsageError("--firmware needs one board: --target board:mps2-an385")
    facts = boards.load(board)
    if "firmware" not in facts.emulator.kinds:
        raise UsageError(f"--firmware: board '{board}' boots no firmware")
    boards.require_image(image, board, facts.emulator.program)
    return f"board:{board}/firmware:{image.absolute()}"


def kernel(path: Path, append: str | None, name: str | None, specifications: tuple[str, ...]) -> str:
    """The target for the user's own Linux on the one board named. Raises UsageError.
    Prints a line if the path is a build tree: its Makefiles run on this machine, as the user, or no module can be built."""
    from urllib.parse import quote, urlencode

    from rtstone.cli._output import say
    from rtstone.targets import boards

    board, _, rest = specifications[0].removeprefix("board:").partition("/")
    if len(specifications) != 1 or not specifications[0].startswith("board:") or rest not in ("", "linux"):
        raise UsageError("--kernel needs one board: --target board:arm64/linux")
    facts = boards.load(board)
    if "linux" not in facts.emulator.kinds or facts.hub is not None:
        raise UsageError(f"--kernel: board '{board}' boots no Linux of your own")
    place = path.absolute()
    if not place.exists() or "?" in str(place):
        raise ImageError(
            f"--kernel {path}: {'a name with ? cannot be a target' if place.exists() else 'no such file or folder'}"
        )
    if (place / "Makefile").is_file():
        from rtstone.targets.boards import guest

        if lacking := guest.lacks(place):
            say(f"{place} has no {lacking}: without the probe module, rtstone measures from user space")
        else:
            say(f"the probe module is built in {place}: that runs the Makefiles of this tree, as you")
    words = {key: value for key, value in (("append", append), ("name", name)) if value}
    if any(not word.isprintable() for word in words.values()):
        raise UsageError("--append and --name take printable text")
    return f"board:{board}/kernel:{place}{'?' if words else ''}{urlencode(words, quote_via=quote)}"


def boards(folder: Path | None) -> None:
    """Add the boards of a user's folder to ours, for this process. Raises UsageError if the folder does not exist."""
    if folder is not None:
        from rtstone.targets.boards import FOLDER_VARIABLE

        if not folder.is_dir():
            raise UsageError(f"--boards {folder}: no such folder")
        os.environ[FOLDER_VARIABLE] = str(folder.absolute())


def one_of(option: str, value: str | None, known: Sequence[str]) -> str | None:
    """A word of a closed list, if given. Raises UsageError."""
    if value is not None and value not in known:
        raise unknown(option.lstrip("-"), value, known)
    return value
