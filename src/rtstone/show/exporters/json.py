# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The whole run as JSON, as the archive saves it; several runs as the document that `run --json` prints."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rtstone.model import Run
from rtstone.show.exporters._model import Exporter


def _write(runs: Sequence[Run]) -> bytes:
    if len(runs) == 1:
        return msgspec.json.encode(runs[0]) + b"\n"
    return msgspec.json.encode({"schema": "rtstone.runs", "version": "1.1", "runs": runs, "studies": ()}) + b"\n"


EXPORTER = Exporter("json", "everything, exactly; import reads it", _write)
