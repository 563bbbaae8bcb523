# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The errors that end a command. The text of each is the line that a user reads, and each class has its exit code."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import ClassVar


class RtstoneError(Exception):
    """A failure with a known cause. Its text is one line: the error and, where known, how to fix it."""

    exit_code: ClassVar[int] = 3
    of_the_measured: ClassVar[bool] = False
    """The measured object is at fault, as it was built, not this machine or the command."""


class BoundExceeded(RtstoneError):  # noqa: N818 - a verdict, not a fault
    """A measured value passed the bound it was checked against, or a comparison shows a regression."""

    exit_code: ClassVar[int] = 1


class UsageError(RtstoneError):
    """The command requests something that does not exist or is impossible: an unknown study, a negative count."""

    exit_code: ClassVar[int] = 2


class InfrastructureError(RtstoneError):
    """Something that the run needs failed: the target, the archive, a file, the engine."""

    exit_code: ClassVar[int] = 3


class ImageError(UsageError):
    """The file to boot is not an image for its board: missing, not linked, or for another processor."""

    of_the_measured: ClassVar[bool] = True


class LimitError(InfrastructureError):
    """A limit of rtstone itself. The measured object may be sound, so nothing can be concluded about it."""


class GuestError(InfrastructureError):
    """The booted image failed by itself: it printed nothing, hung, panicked, broke off, or refused the plan."""

    of_the_measured: ClassVar[bool] = True


class IncompleteError(RtstoneError):
    """There is a result, but it is not reliable: records lost, a run cut short, too little data."""

    exit_code: ClassVar[int] = 4


_NAME = "rtstone"

QUOTED_MOST = 80
"""Most characters of a user's word that an error quotes."""


def quoted(word: str) -> str:
    """A word of the user's as an error quotes it: a long one is cut, with an ellipsis."""
    return word if len(word) <= QUOTED_MOST else f"{word[: QUOTED_MOST - 1]}…"


_LISTED = {"measurement": "measurements", "quantity": "quantities"}
"""Kinds with more names than a line has room for, and the word of `rtstone list` that prints them."""


def unknown(what: str, name: str, known: Iterable[str]) -> UsageError:
    """The one line for an unknown name: the nearest known ones, and all known ones or the command that lists them."""
    names = list(known)
    name = quoted(name)
    if listed := _LISTED.get(what):
        guess = nearest(name, names, most=3)
        return UsageError(f"unknown {what} {name!r}.{guess} `{this_program()} list {listed}` prints the names")
    guess = nearest(name, names)
    return UsageError(f"unknown {what} {name!r}.{guess} There are: {', '.join(names) if names else 'none'}")


def unknown_key(error: object) -> str:
    """The key that msgspec's error calls unknown; empty for any other error."""
    found = re.search(r"unknown field `([^`]+)`", str(error))
    return found[1] if found else ""


def this_program() -> str:
    """The words by which the user's shell starts this command, for the commands that messages name: ``rtstone``
    where PATH has this program or Python started it as a module; else as the user called it, ``.venv/bin/rtstone``."""
    import shlex
    import shutil

    called = Path(sys.argv[0] if sys.argv else "")
    if called.name != _NAME or not called.is_file():
        return _NAME  # `python -m rtstone`, or another program that uses rtstone as a library
    found = shutil.which(_NAME)
    return _NAME if found is not None and called.samefile(found) else shlex.quote(str(called))


def command(words: str) -> str:
    """The command of this program that a message names, such as ``show last``, for the archive of the user's own command.

    It repeats `--archive` where the user gave it, so that the command finds the same runs. The password of a URL is not
    repeated: ``***`` stands there.
    """
    import shlex

    archive = _given_archive()
    if not archive:
        return f"{this_program()} {words}"
    without_password = re.sub(r"(://[^:/@]*):[^/]*@", r"\1:***@", archive)
    return f"{this_program()} {words} --archive {shlex.quote(without_password)}"


def _given_archive() -> str:
    """The value of `--archive` on this program's own command line; else empty."""
    called = Path(sys.argv[0] if sys.argv else "")
    if called.name != _NAME and (called.name, called.parent.name) != ("__main__.py", _NAME):
        return ""  # a program that uses rtstone as a library
    found = ""
    for before, word in pairwise(sys.argv):
        if word == "--":
            break
        if before == "--archive":
            found = word
        elif word.startswith("--archive="):
            found = word.partition("=")[2]
    return found


def nearest(name: str, known: Iterable[str], *, most: int = 1) -> str:
    """The nearest of the known names as a sentence with a space before it; empty where none is near. `most`: names in it."""
    import difflib

    near = [f"'{one}'" for one in difflib.get_close_matches(name[:QUOTED_MOST], list(known), n=most, cutoff=0.5)]
    several = f"{', '.join(near[:-1])} or {near[-1]}" if len(near) > 1 else "".join(near)
    return f" Did you mean {several}?" if near else ""
