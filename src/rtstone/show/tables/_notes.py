# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers the notes of a table in the order in which its cells first refer to them."""

from __future__ import annotations

from collections.abc import Iterable


class Notes:
    """Texts in, numbers out; one text has one number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def marks(self, texts: Iterable[str]) -> tuple[int, ...]:
        """The numbers of these texts, new ones given where needed; empty texts have none."""
        return tuple(sorted({self._numbers.setdefault(t, len(self._numbers) + 1) for t in texts if t}))

    def texts(self) -> tuple[str, ...]:
        """All texts, the first being note 1."""
        return tuple(self._numbers)
