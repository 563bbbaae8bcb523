# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The errors that end a command: each one's text is the line a user reads, each class has its exit code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar


class RtstoneError(Exception):
    """A failure with a known cause. Its text is one line: what is wrong and, where known, what mends it."""

    exit_code: ClassVar[int] = 3
    of_the_measured: ClassVar[bool] = False
    """What is measured is at fault, as it was built, and not this machine or the command."""


class BoundExceeded(RtstoneError):  # noqa: N818 - a verdict, not a fault
    """A measured value passed the bound it was checked against, or a comparison shows a regression."""

    exit_code: ClassVar[int] = 1


class UsageError(RtstoneError):
    """The command asks for what does not exist or cannot be: an unknown study, a negative count."""

    exit_code: ClassVar[int] = 2


class InfrastructureError(RtstoneError):
    """What the run needs failed: the target, the archive, a file, the engine."""

    exit_code: ClassVar[int] = 3


class ImageError(UsageError):
    """What is to be booted is no image for its board: not there, not linked, of another processor."""

    of_the_measured: ClassVar[bool] = True


class GuestError(InfrastructureError):
    """What was booted failed by itself: it said nothing, hung, panicked, broke off, or refused the plan."""

    of_the_measured: ClassVar[bool] = True


class IncompleteError(RtstoneError):
    """There is a result, but not one to rely on: records lost, a run cut short, too little data."""

    exit_code: ClassVar[int] = 4


def unknown(what: str, name: str, known: Iterable[str]) -> UsageError:
    """The one line for a name that is not there: the nearest one, and all there are."""
    import difflib

    names = list(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    guess = f" Did you mean '{near[0]}'?" if near else ""
    return UsageError(f"unknown {what} {name!r}.{guess} There are: {', '.join(names) if names else 'none'}")
