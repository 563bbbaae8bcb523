# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the stages of one path among a measurement's quantities, by their names (spec/measurements.md)."""

from __future__ import annotations

from collections.abc import Sequence

_LINK = "-to-"


def stage_chain(names: Sequence[str]) -> tuple[str, ...]:
    """The stages among a measurement's quantities, in the order of the path; empty where there are not at least two.

    A stage is named by its boundaries, ``handler-to-waking``, and begins with the one that the stage before ended with. The stages of one
    sample add up to the path's whole.
    """
    found: list[str] = []
    end = ""
    for name in names:
        start, link, after = name.partition(_LINK)
        if link and (not found or start == end):
            found.append(name)
            end = after
    return tuple(found) if len(found) > 1 else ()
