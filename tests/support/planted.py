# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A target whose samples depend on files of a planted machine, and otherwise on a seeded lot."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path

from rtstone.errors import InfrastructureError
from rtstone.stream.plan import Plan
from rtstone.targets import Capabilities
from rtstone.targets.protocol import StopsAtExit
from support.stream_writer import StreamWriter
from support.streams import single

SAMPLES = 120


class Planted(StopsAtExit):
    """Its samples are a tenth longer or shorter by lot, and longer by the factor of each file that has the value planted for it."""

    capabilities = Capabilities(engine_here=True, shares_host=True)
    name = "planted"

    def __init__(self, root: Path, effects: Mapping[str, tuple[str, float]], fail_after: int = 1 << 30) -> None:
        self._root = root
        self._effects = effects
        self._fail_after = fail_after
        self.sessions = 0
        self._draw = random.Random(17)

    def describe(self) -> dict[str, str]:
        return {}

    def deploy(self) -> None:
        """Nothing is needed."""

    def start(self, plan: Plan) -> Iterator[bytes]:
        self.sessions += 1
        if self.sessions > self._fail_after:
            raise InfrastructureError("planted failure")
        factor = self._draw.lognormvariate(0, 0.03)
        for place, (value, times) in self._effects.items():
            if (self._root / place.lstrip("/")).read_text().strip() == value:
                factor *= times
        samples = [int(2000 * factor * self._draw.lognormvariate(0, 0.1)) for _ in range(SAMPLES)]
        writer = StreamWriter()
        lines = [
            writer.record("hello", v="1.0", engine="planted", port="planted", nonce=f"{self.sessions:016x}"),
            writer.record("plan", v="1.0", seed=str(plan.seed), repetition=plan.repetition, items=1),
            writer.record("item", item=0, measurement=plan.items[0].measurement, load="none"),
            writer.record("clock", id=0, name="planted", hz="1000000000", source="definition"),
            *single(writer, 0, samples, measurement=plan.items[0].measurement, cpu=0),
            writer.bye(1),
        ]
        yield from (line.rstrip(b"\n") for line in lines)

    def stop(self) -> None:
        """A session ends by itself."""
