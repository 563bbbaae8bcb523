# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes a line of a program that costs two things, interleaved, and prints ns of ours and of the peer's each round."""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.lib import engine
from bench.lib.estimate import blocks, median, ratio
from bench.lib.line import Line, failure, tell

REPETITIONS = 20


def compare(arguments: argparse.Namespace) -> Line:
    """The ratio of the least of each block of rounds; its interval is over the blocks.

    A disturbance only makes a round slower, so the least of many is the cost of the code itself. The medians, which
    include the disturbances, are shown next to it. The value has three decimals; it is not known more precisely.
    """
    count = arguments.repetitions
    said = engine.output([arguments.program, str(count * arguments.rounds)])
    ours, theirs = [], []
    for line in said.splitlines():
        mine, other = line.split()
        ours.append(float(mine))
        theirs.append(float(other))
    least = [blocks(values, count, min) for values in (ours, theirs)]
    found = ratio(least[0], least[1])
    detail: dict[str, object] = {
        "ours ns": median(least[0]),
        f"{arguments.peer} ns": median(least[1]),
        "ratio of the medians": median(ours) / median(theirs),
        "blocks": count,
        "rounds a block": arguments.rounds,
    }
    if arguments.kept:
        detail["kept"] = arguments.kept
    return Line(
        name=arguments.name,
        value=round(found.value, 3),
        unit="x",
        limit=arguments.limit,
        interval=found.interval,
        detail=detail,
    )


def main() -> None:
    """Prints the line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("rounds", type=int, help="of a block")
    parser.add_argument("program", type=Path)
    parser.add_argument("peer")
    parser.add_argument("--limit", type=float, help="of the ratio; without one it is only shown")
    parser.add_argument("--kept", nargs="*", help="what ours keeps of a sample")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS, help="blocks")
    arguments = parser.parse_args()
    try:
        tell(compare(arguments))
    except engine.BenchError as error:
        tell(failure(arguments.name, str(error)))


if __name__ == "__main__":
    main()
