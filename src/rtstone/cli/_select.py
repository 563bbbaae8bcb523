# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Selects the runs of a command: by ids, labels, files, targets and groups, in the words of users."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rtstone.errors import RtstoneError, UsageError, nearest

if TYPE_CHECKING:
    from rtstone.archive import RunStore, RunSummary
    from rtstone.model import Run

HELP = (
    "JSON files, or saved runs: an id or its beginning, last, last~N (N runs before the last), "
    "a label or a target (its last run), LABEL~N (N runs before the label's last). "
    "group-ID, as archive list --json prints it: all runs of one command. "
    "RUN@TARGET: those runs of RUN's command whose target or label matches TARGET, such as last@board:arm64/bare or 'last@*rt'."
)
_GROUP = "group-"
_NEWEST = 500
"""Runs whose groups an error may suggest."""


def runs(references: Sequence[str], archive: RunStore) -> list[Run]:
    """Every selected run, each once, in the order given.

    `RUN@TARGET` is the run of that target (or all runs that fit a pattern) in the group of RUN or of `group-…`: the
    runs that one command measured together. Raises UsageError for a text that selects no run, InfrastructureError for
    an unreadable run.
    """
    found: dict[str, Run] = {}
    for reference in references:
        for run in _meant(reference, archive):
            found.setdefault(run.id, run)
    return list(found.values())


def sides(references: Sequence[str], archive: RunStore) -> list[list[Run]]:
    """The sides of a comparison: each run is a side of its own, and runs joined by commas are one side together.

    A text that names a run as a whole (a label with a comma) is one run.
    Raises UsageError as :func:`runs` does, for a run on two sides, and for a comma with nothing on one side of it.
    """
    found: list[list[Run]] = []
    seen: dict[str, list[Run]] = {}
    for side in (side for reference in references for side in _sides(reference, archive)):
        twice = [run.id for run in side if run.id in seen]
        if twice and (len(side) > 1 or len(seen[twice[0]]) > 1):
            raise UsageError(f"run {twice[0]} is on two sides")
        if not twice:
            found.append(side)
            seen |= {run.id: side for run in side}
    return found


def _sides(reference: str, archive: RunStore) -> list[list[Run]]:
    if "," not in reference:
        return [[run] for run in _meant(reference, archive)]
    try:
        return [[run] for run in _meant(reference, archive)]
    except RtstoneError:
        parts = [part.strip() for part in reference.split(",")]
        if not all(parts):
            raise UsageError(f"'{reference}': a side is runs joined by commas, with none left empty") from None
        return [runs(parts, archive)]


def _meant(reference: str, archive: RunStore) -> list[Run]:
    # A name with this suffix is a file's: ids never end so.
    if reference.endswith(".json"):
        from rtstone.cli._run_file import runs_of

        return list(runs_of(Path(reference)))
    before, at, pattern = reference.partition("@")
    if at or reference.startswith(_GROUP):
        return [archive.load(each.id) for each in _of_group(before, pattern or "*", archive)]
    return [archive.load(reference)]


def _of_group(before: str, pattern: str, archive: RunStore) -> list[RunSummary]:
    """The runs of a group whose target or kernel fits, in the order of the command that measured them."""
    group = before if before.startswith(_GROUP) else archive.load(before or "last").group
    if not group:
        raise UsageError(f"run '{before}' was measured by itself: it has no group")
    there = archive.list(group=group)[::-1]
    if not there:
        near = nearest(group, dict.fromkeys(filter(None, (each.group for each in archive.list(_NEWEST)))))
        raise UsageError(f"there is no group '{group}' in archive {archive.location}.{near}")
    fitting = [each for each in there if fnmatch.fnmatchcase(each.target, pattern) or each.label == pattern]
    if not fitting:
        raise UsageError(f"group {group} has no '{pattern}'; it has: {', '.join(each.target for each in there)}")
    return fitting
