# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the kinds of targets by their entry points. Built-in kinds register in pyproject.toml, as plug-ins do."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import cast

from rtstone.errors import InfrastructureError, UsageError, quoted, unknown
from rtstone.plugins import registered
from rtstone.targets.protocol import Capabilities, Target

GROUP = "rtstone.targets"
"""Each entry point names a kind and a function that makes a target from the text after ``kind:``.

`rtstone list targets` prints the first paragraph of the function's docstring. It must have the form of a target in
double backquotes, a colon, and a description.
"""

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
        from rtstone.targets.boards import names

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
