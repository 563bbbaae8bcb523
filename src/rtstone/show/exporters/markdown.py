# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The papers' tables as Markdown, ready for a paper or an issue."""

from __future__ import annotations

from collections.abc import Sequence

from rtstone.model import Run
from rtstone.show.exporters._model import Exporter
from rtstone.show.tables import markdown, views


def _write(runs: Sequence[Run]) -> bytes:
    return markdown(views(runs)).encode()


EXPORTER = Exporter("markdown", "the tables of show", _write)
