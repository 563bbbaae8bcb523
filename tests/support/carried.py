# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Images with the command lines that run them, as a folder to be carried to another system; there this file alone runs them.

`python3 carried.py FOLDER PROGRAMS` runs each by the emulators of the folder PROGRAMS, and prints its name, the SHA-256 of its records and
how many bytes these have.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

_TIMEOUT_S = 900


def pack(folder: Path, targets: Iterable[str], items: tuple[tuple[str, int], ...]) -> None:
    """Builds the images of boards' kernels (``board/kernel``), each with a plan of the items: measurement and count."""
    from rtstone.stream.plan import Item, Plan, encode
    from rtstone.targets import boards
    from rtstone.targets.boards import firmware, guest

    plan = encode(
        Plan(
            seed=1,
            repetition=0,
            items=tuple(Item(item=i, measurement=name, count=count) for i, (name, count) in enumerate(items)),
        )
    )
    for target in targets:
        board = boards.load(target.partition("/")[0])
        kernel = board.kernel_of(target.partition("/")[2])
        place = folder / target.replace("/", "-")
        place.mkdir(parents=True)
        (place / "plan").write_bytes(plan)
        append = ""
        if kernel.kind == "firmware":
            image = firmware.build(board.id, kernel.id)
        else:
            made = guest.prepare(kernel, plan, place / "initrd")
            image, append = made.image, made.append
        shutil.copyfile(image, place / "image")
        values = {"records": "file,path=records", "console": "file:console", "seed": "1", "append": append}
        values |= {name: name for name in ("image", "initrd")}
        blob = place / "plan" if kernel.kind == "firmware" else None
        words = boards.command(board, kernel, values=values, plan=blob)
        words = [board.emulator.program, *(word.replace(str(place / "plan"), "plan") for word in words[1:])]
        (place / "command.json").write_text(json.dumps(words))


def run(folder: Path, programs: Path) -> dict[str, tuple[str, int]]:
    """Runs all that was packed. By name: the SHA-256 and the length of the records."""
    found = {}
    for place in sorted(path for path in folder.iterdir() if (path / "command.json").is_file()):
        words = json.loads((place / "command.json").read_text())
        (place / "records").unlink(missing_ok=True)
        # One CPU of the host for the emulator (docs/decisions/0003).
        cpu = min(os.sched_getaffinity(0))
        subprocess.run(
            ["taskset", "-c", str(cpu), str(programs.resolve() / words[0]), *words[1:]],
            cwd=place,
            check=True,
            timeout=_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
        )
        records = (place / "records").read_bytes()
        found[place.name] = (hashlib.sha256(records).hexdigest(), len(records))
    return found


if __name__ == "__main__":
    for name, (digest, size) in run(Path(sys.argv[1]), Path(sys.argv[2])).items():
        print(name, digest, size)
