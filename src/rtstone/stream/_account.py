# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Keeps account of a session's lines: each is used, unknown, console text or lost, and none is forgotten."""

from __future__ import annotations

import copy
from collections import deque
from typing import Self

from rtstone.model import Losses

KEEP_CONSOLE = 4000
KEEP_UNKNOWN = 4000
KEEP_PROBLEMS = 500


class Account:
    """Counts, and keeps what a reader may want to see, in bounded memory."""

    def __init__(self) -> None:
        self.records = 0
        self.unknown_records = 0
        self.console_lines = 0
        self.console_kept: deque[bytes] = deque(maxlen=KEEP_CONSOLE)
        self.unknown_kept: list[str] = []
        self.problems: list[str] = []
        self._problems_passed = 0
        self._gaps = 0
        self._missing = 0
        self._bad_lines = 0
        self._malformed = 0
        self._duplicates = 0
        self._refused = 0
        self._unusable = 0

    def copied(self) -> Self:
        """A copy of the account. Changes of the copy leave the account alone."""
        made = copy.copy(self)
        made.problems = list(self.problems)
        return made

    @property
    def lines(self) -> int:
        """All lines so far."""
        lost = self._bad_lines + self._malformed + self._duplicates + self._refused
        return self.records + self.unknown_records + self.console_lines + lost

    @property
    def intact(self) -> int:
        """Records that arrived whole, whatever became of them: what `bye` counts."""
        return self.records + self.unknown_records + self._refused + self._unusable

    def use(self) -> None:
        """A record was used."""
        self.records += 1

    def unknown(self, payload: bytes) -> None:
        """A record of a type that this version does not know."""
        self.unknown_records += 1
        if len(self.unknown_kept) < KEEP_UNKNOWN:
            self.unknown_kept.append(payload.decode("ascii"))

    def refuse(self) -> None:
        """A record of a version that is not read."""
        self._refused += 1

    def console(self, line: bytes) -> None:
        """A line that is no record."""
        self.console_lines += 1
        self.console_kept.append(line[:8192])

    def bad(self, number: int, text: str) -> None:
        """A line that begins as a record and is none: its CRC is wrong, or its shape."""
        self._bad_lines += 1
        self.problem(f"line {number}: {text}")

    def malformed(self, number: int, text: str) -> None:
        """A whole record that cannot be used."""
        self._malformed += 1
        self._unusable += 1
        self.problem(f"line {number}: {text}")

    def duplicate(self, number: int, seq: int) -> None:
        """The previous record once more."""
        self._duplicates += 1
        self.problem(f"line {number}: record {seq:x} comes a second time")

    def gap(self, number: int, missing: int, after: str) -> None:
        """Numbers are missing before this record."""
        self._gaps += 1
        self._missing += missing
        are = "record is" if missing == 1 else "records are"
        self.problem(f"line {number}: {missing} {are} missing after {after}")

    def problem(self, text: str) -> None:
        """Something that makes the session incomplete."""
        if len(self.problems) < KEEP_PROBLEMS:
            self.problems.append(text)
        else:
            self._problems_passed += 1

    def all_problems(self) -> tuple[str, ...]:
        """What is kept of them, and how many more there were."""
        if self._problems_passed:
            return (*self.problems, f"and {self._problems_passed} more of the kind")
        return tuple(self.problems)

    def losses(self, *, unanswered: int, no_bye: bool) -> Losses:
        """The losses as the model has them."""
        return Losses(
            gaps=self._gaps,
            missing_records=self._missing,
            bad_lines=self._bad_lines,
            malformed=self._malformed,
            duplicates=self._duplicates,
            refused=self._refused,
            unanswered_items=unanswered,
            no_bye=no_bye,
        )
