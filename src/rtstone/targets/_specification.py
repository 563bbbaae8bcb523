# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""From a specification (``kind:rest``) to a target, and from a pattern (``board:arm64/*``) to specifications.

The kinds of targets are found by their entry points. Built-in kinds register in pyproject.toml, as plug-ins do.
A pattern stands for every kernel of a board that takes no long build.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterable
from typing import cast

from rtstone.errors import InfrastructureError, UsageError, quoted, this_program, unknown
from rtstone.plugins import registered
from rtstone.targets.boards import Kernel, load, names
from rtstone.targets.protocol import Capabilities, Target

GROUP = "rtstone.targets"
"""Each entry point names a kind and a function that makes a target from the text after ``kind:``.

`rtstone list targets` prints the first paragraph of the function's docstring. It must have the form of a target in
double backquotes, a colon, and a description.
"""

_MAGIC = frozenset("*?[")
_FORM = re.compile(r"``([^`]+)``: (.+?)\.?$")


def kinds() -> tuple[str, ...]:
    """Names of all kinds of targets, sorted."""
    return tuple(sorted(registered(GROUP)))


def forms() -> tuple[tuple[str, str, str], ...]:
    """For each kind: its name, the form of its targets, and a description. Form and description come from its
    function's docstring.

    The description of a plug-in that cannot be loaded is the error.
    """
    found: list[tuple[str, str, str]] = []
    for name, point in sorted(registered(GROUP).items()):
        try:
            said = " ".join((point.load().__doc__ or "").split("\n\n")[0].split())
        except (ImportError, AttributeError) as error:
            said = f"``{name}``: cannot be loaded: {error}"
        match = _FORM.match(said)
        found.append((name, match[1], match[2].replace("``", "`")) if match is not None else (name, name, said))
    return tuple(found)


def open_target(spec: str) -> Target:
    """The target of a specification ``kind[:rest]``, not yet entered.

    Raises UsageError for an unknown kind, or a rest that the kind does not understand; InfrastructureError when its
    plug-in cannot be loaded.
    """
    kind, _, rest = spec.partition(":")
    point = registered(GROUP).get(kind)
    if point is None:
        if kind.partition("/")[0] in names():
            raise UsageError(f"unknown kind of target {quoted(kind)!r}. Did you mean 'board:{spec}'?")
        raise unknown("kind of target", kind, kinds())
    try:
        make = cast("Callable[[str], Target]", point.load())
    except (ImportError, AttributeError) as error:
        raise InfrastructureError(f"the target kind '{kind}' cannot be loaded: {error}") from error
    return make(rest)


def capabilities(spec: str) -> Capabilities:
    """The capabilities of the target that a specification names; nothing is started. Raises as `open_target`."""
    return open_target(spec).capabilities


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
