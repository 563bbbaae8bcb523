# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What makes runs or rows unlike, so that a difference of their figures would say nothing of the kernels."""

from __future__ import annotations

from collections.abc import Iterator

from rtstone.compare._environment import facts
from rtstone.compare._series import Key, Series
from rtstone.model import Run
from rtstone.model.variant import differences

# Fact -> what it is called: where it differs, the difference of figures is not the kernel's.
_MUST_BE_ALIKE = {
    "board.platform": "virtual board's platform (emulator, flags, clock)",
    "kernel.machine": "architecture",
    "cpu.model": "CPU",
    "virtualisation.hypervisor": "hypervisor",
    "engine": "engine's version",
    "tool": "version of rtstone",
}
_KERNEL = ("kernel.release", "kernel.version", "board.kernel.package_version", "board.append", "kernel.cmdline")
_LOAD_APART = 0.25
"""A load that got this much more or less done is not what it was."""


def runs_unlike(reference: Run, other: Run) -> Iterator[str]:
    """Why no figure of these two may be compared, each as `what: reference | other`."""
    if reference.time != other.time:
        yield f"unit of time: {reference.time} | {other.time}"
    elif reference.instructions_per_second != other.instructions_per_second:
        yield f"instructions a second: {reference.instructions_per_second} | {other.instructions_per_second}"
    left, right = facts(reference), facts(other)
    for fact, name in _MUST_BE_ALIKE.items():
        if left.get(fact) != right.get(fact) and _both_should_say(fact, left, right):
            yield f"{name}: {_said(left, fact)} | {_said(right, fact)}"
    identity = "board.identity"
    same_kernel = reference.target == other.target and all(left.get(key) == right.get(key) for key in _KERNEL)
    if same_kernel and reference.host.get(identity) != other.host.get(identity):
        # The kernel is the same and the bytes are not: what changed is what measures.
        yield f"identity of the virtual board: {reference.host.get(identity)} | {other.host.get(identity)}"
    if left.get("degraded") != right.get("degraded"):
        yield f"degraded: {left.get('degraded', 'no')} | {right.get('degraded', 'no')}"


def _both_should_say(fact: str, left: dict[str, str], right: dict[str, str]) -> bool:
    """A kernel without such a fact does not differ in it: bare metal knows no machine name. A board against a machine does."""
    if fact in {"board.platform", "virtualisation.hypervisor"}:
        boards = [side.get("board.platform") for side in (left, right)]
        return fact == "board.platform" or not all(boards)
    if fact == "cpu.model" and left.get("board.platform") and left.get("board.platform") == right.get("board.platform"):
        return False  # the kernels of one board name its CPU each in their own way
    return fact in left and fact in right


def _said(side: dict[str, str], fact: str) -> str:
    return side.get(fact) or "none"


def rows_unlike(key: Key, other_key: Key, reference: Series, other: Series) -> Iterator[str]:
    """Why the figures of two rows may not be compared, each as `what: reference | other`."""
    yield from differences(key.variant, other_key.variant)
    if reference.substituted != other.substituted and reference.repetitions and other.repetitions:
        texts = [" and ".join(sorted(side.substituted)) or "no" for side in (reference, other)]
        yield f"substituted: {texts[0]} | {texts[1]}"


def remarks(reference: Series, other: Series, label: str) -> Iterator[str]:
    """What a reader should know of two rows though they may be compared."""
    done, other_done = _achieved(reference), _achieved(other)
    for name in sorted(done.keys() & other_done.keys()):
        low, high = sorted((done[name], other_done[name]))
        if high > 0 and low < high * (1 - _LOAD_APART):
            yield f"the load did unlike much: {name} {done[name]:.4g} a second | {other_done[name]:.4g} a second ({label})"
    told, other_told = ({(f.name, f.unit): f.value / len(s.repetitions) for f in s.counted} for s in (reference, other))
    for name, unit in sorted(told.keys() & other_told.keys()):
        # What the system counted around an item explains a sample; it is no figure of the measurement.
        if told[name, unit] != other_told[name, unit] and not name.startswith("system-"):
            values = f"{told[name, unit]:.4g} | {other_told[name, unit]:.4g}"
            yield f"counted in a repetition, without a verdict: {name.replace('_', ' ')} {values} {unit} ({label})"
    if other.why_not and other.repetitions:
        yield f"{label}: {other.why_not}"


def _achieved(series: Series) -> dict[str, float]:
    """What the load did a second, by figure."""
    told = {f"{figure.load} {figure.key}": figure.value for figure in series.load}
    elapsed = {name.split(" ")[0]: value for name, value in told.items() if name.endswith(" elapsed_ns")}
    found = {}
    for name, value in told.items():
        load, _, key = name.partition(" ")
        if key not in {"elapsed_ns", "intensity", "seed"} and elapsed.get(load):
            found[name.replace("_", " ")] = value * 1e9 / elapsed[load]
    return found
