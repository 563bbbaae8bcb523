# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Turns patterns into targets: ``board:arm64/*`` is every kernel of the board that takes no long build."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable

from rtstone.errors import UsageError, this_program
from rtstone.targets.boards import Kernel, load, names

_MAGIC = frozenset("*?[")


def expand(specifications: Iterable[str]) -> tuple[str, ...]:
    """The named targets, each once, with patterns replaced by the targets that match. A pattern leaves out kernels that
    are built on demand and have not been built yet, and those that the user has not installed.

    Raises UsageError for a pattern that matches nothing.
    """
    found: dict[str, None] = {}
    for one in specifications:
        kind, _, rest = one.partition(":")
        if kind == "board" and is_pattern(rest):
            found.update(dict.fromkeys(f"board:{pair}" for pair in matching(rest)))
        else:
            found[one] = None
    return tuple(found)


def left_out(specifications: Iterable[str]) -> tuple[str, ...]:
    """The pairs that match a pattern but that `expand` leaves out, since their kernels are built on demand and not yet
    built."""
    patterns = [rest for kind, _, rest in (one.partition(":") for one in specifications) if kind == "board"]
    fitting = (pair for pattern in patterns if is_pattern(pattern) for pair in _fitting(pattern))
    return tuple(dict.fromkeys(pair for pair, kernel in fitting if not _at_hand(kernel)))


def not_installed(patterns: Iterable[str]) -> tuple[str, ...]:
    """For each pair that matches a pattern but whose kernel the user has not installed, a line that names what it
    needs."""
    texts = [
        pattern.removeprefix("board:") for pattern in patterns if ":" not in pattern or pattern.startswith("board:")
    ]
    fitting = (found for text in texts if is_pattern(text) or text in names() for found in _fitting(text))
    lines = (f"board:{pair} is left out: {needed}" for pair, kernel in fitting if (needed := _needs(kernel)))
    return tuple(dict.fromkeys(lines))


def matching(pattern: str, *, on_demand: bool = False) -> list[str]:
    """The pairs ``<board>/<kernel>`` that match a pattern, which may begin with ``board:``. A board's name alone
    matches all of its kernels.

    Without `on_demand`, a pattern leaves out kernels that are built on demand and have not been built yet. It always leaves out
    those that the user has not installed (`not_installed` lists them). Raises UsageError when nothing matches.
    """
    pattern = pattern.removeprefix("board:")  # as `rtstone boards` prints it
    if "/" in pattern and not is_pattern(pattern):
        board, _, kernel = pattern.partition("/")
        return [f"{board}/{load(board).kernel_of(kernel).id}"]
    fitting = _fitting(pattern)
    found = [pair for pair, kernel in fitting if (on_demand or _at_hand(kernel)) and not _needs(kernel)]
    if not found and all(_needs(kernel) for _, kernel in fitting):
        raise UsageError(f"kernels that match '{pattern}' are not installed: {_needs(fitting[0][1])}")
    if not found:
        pairs = " ".join(pair for pair, _ in fitting)
        raise UsageError(
            f"kernels that match '{pattern}' take long to build and have not been built: {this_program()} boards --build {pairs}"
        )
    return found


def is_pattern(text: str) -> bool:
    """Whether the text is a pattern for several targets. A text that names a file is not: a path may contain any
    character."""
    return bool(_MAGIC & set(text)) and "/firmware:" not in text and "/kernel:" not in text and "?append=" not in text


def _fitting(pattern: str) -> list[tuple[str, Kernel]]:
    wanted = pattern if "/" in pattern else f"{pattern}/*"
    pairs = [(f"{board}/{kernel.id}", kernel) for board in names() for kernel in load(board).offered]
    fitting = [(pair, kernel) for pair, kernel in pairs if fnmatch.fnmatchcase(pair, wanted)]
    if not fitting:
        raise UsageError(f"no board and kernel fit '{pattern}'; there are: {', '.join(pair for pair, _ in pairs)}")
    return fitting


def _needs(kernel: Kernel) -> str:
    """A line that names the kernel that the user must install first; empty for most kernels."""
    if not kernel.port:
        return ""
    from rtstone.targets.boards import firmware

    return firmware.needs(kernel.port)


def _at_hand(kernel: Kernel) -> bool:
    if kernel.peer is not None and not _at_hand(kernel.peer):
        return False
    if not kernel.on_demand:
        return True
    from rtstone.targets.boards import guest

    return guest.is_cached(kernel)
