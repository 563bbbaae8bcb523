# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A simulated place that takes its time, as a machine does: the target ``paced:SECONDS``."""

from __future__ import annotations

import time
from collections.abc import Iterator

from rtstone.stream.plan import Plan
from rtstone.targets._engine import EngineTarget


class Paced(EngineTarget):
    """The simulated kernel. Each of its sessions takes `seconds` longer."""

    seconds = 0.0

    def start(self, plan: Plan) -> Iterator[bytes]:
        """The session's lines, the first after that time."""
        time.sleep(self.seconds)
        yield from super().start(plan)


def open_paced(rest: str) -> Paced:
    """``paced:5``: each session takes 5 s."""
    place = Paced(f"paced:{rest}", "rtstone-engine-simulated", ("run",), starves=True)
    place.seconds = float(rest)
    return place
