# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Counts a session's lines. Every line is counted as used, unknown, console text or lost."""

from __future__ import annotations

import copy
from collections import deque
from typing import Self

from rtstone.model import Losses
from rtstone.stream import framing

KEEP_CONSOLE = 4000
KEEP_UNKNOWN = 4000
KEEP_PROBLEMS = 500


class Account:
    """Counts lines, and stores problems, console text and unknown records for the reader, in bounded memory."""

    def __init__(self) -> None:
        self.records = 0
        self.unknown_records = 0
        self.console_lines = 0
        self.console_kept: deque[str] = deque(maxlen=KEEP_CONSOLE)
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
        """A copy of the account. Changes of the copy do not affect the account."""
        made = copy.copy(self)
        made.problems = list(self.problems)
        return made

    @property
    def lines(self) -> int:
        """The number of all lines so far."""
        lost = self._bad_lines + self._malformed + self._duplicates + self._refused
        return self.records + self.unknown_records + self.console_lines + lost

    @property
    def intact(self) -> int:
        """The number of records that arrived intact, used or not. `bye` counts the same records."""
        return self.records + self.unknown_records + self._refused + self._unusable

    def use(self) -> None:
        """Counts a record that was used."""
        self.records += 1

    def unknown(self, payload: bytes) -> None:
        """Counts a record of a type that this version does not know."""
        self.unknown_records += 1
        if len(self.unknown_kept) < KEEP_UNKNOWN:
            self.unknown_kept.append(payload.decode("ascii"))

    def refuse(self) -> None:
        """Counts a record of a stream version that is not supported."""
        self._refused += 1

    def console(self, line: bytes) -> None:
        """Counts a line that is no record, and stores its text."""
        self.console_lines += 1
        self.console_kept.append(framing.console_text(line))

    def bad(self, number: int, text: str) -> None:
        """Counts a line that begins like a record, but has a wrong CRC or a wrong form."""
        self._bad_lines += 1
        self.problem(f"line {number}: {text}")

    def malformed(self, number: int, text: str) -> None:
        """Counts an intact record that cannot be used."""
        self._malformed += 1
        self._unusable += 1
        self.problem(f"line {number}: {text}")

    def duplicate(self, number: int, seq: int) -> None:
        """Counts a repetition of the previous record."""
        self._duplicates += 1
        self.problem(f"line {number}: record {seq:x} comes a second time")

    def gap(self, number: int, missing: int, after: str) -> None:
        """Counts the sequence numbers that are missing before this record."""
        self._gaps += 1
        self._missing += missing
        are = "record is" if missing == 1 else "records are"
        self.problem(f"line {number}: {missing} {are} missing after {after}")

    def problem(self, text: str) -> None:
        """Stores a problem, which makes the session incomplete."""
        if len(self.problems) < KEEP_PROBLEMS:
            self.problems.append(text)
        else:
            self._problems_passed += 1

    def all_problems(self) -> tuple[str, ...]:
        """The stored problems, and the number of further ones."""
        if self._problems_passed:
            return (*self.problems, f"and {self._problems_passed} more of the kind")
        return tuple(self.problems)

    def losses(self, *, unanswered: int, no_bye: bool) -> Losses:
        """The losses in the model's form."""
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
