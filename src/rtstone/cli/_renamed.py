# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands and options of earlier releases, by the names of today. They work until release 0.5."""

from __future__ import annotations

from collections.abc import Sequence

COMMANDS = {
    "clean": "doctor --clean",
    "clocks": "doctor clocks",
    "completion": "config completion",
    "engine": "boards export",
    "ioc-load": "ioc load",
    "manual": "config manual",
    "priorities": "doctor priorities",
    "tails": "fit --tail",
    "verify-board": "boards verify",
    "worker": "measure-all worker",
}
"""Name in release 0.2 -> name of today."""

OPTIONS = {
    ("attach", "-p"): "--pid",
    ("boards export", "--export"): "",
    ("boards verify", "-n"): "--runs",
    ("check", "-m"): "--measure",
    ("check", "-r"): "--run",
    ("explain", "-q"): "--quantity",
    ("fit --tail", "--measurement"): "--quantity",
    ("fit --tail", "-m"): "--quantity",
    ("watch", "--for"): "--duration",
}
"""Command of today, option in release 0.2 -> option of today. Empty: the value alone is the argument."""


def of_today(words: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """The words of a command by the names of today, and a line for the user about each that was replaced."""
    made, lines = list(words), []
    if made and made[0] in COMMANDS:
        new = COMMANDS[made[0]]
        lines.append(_line(made[0], f"rtstone {new}"))
        made[:1] = new.split()
    for (command, old), new in OPTIONS.items():
        parts = command.split()
        if made[: len(parts)] != parts:
            continue
        for position in range(len(parts), len(made)):
            word, equals, value = made[position].partition("=")
            if word != old or (equals and not old.startswith("--")):
                continue
            lines.append(_line(old, new or f"rtstone {command} FOLDER"))
            made[position] = f"{new}{equals}{value}" if new else value
    return [word for word in made if word or word in words], tuple(lines)


def _line(old: str, new: str) -> str:
    return f"'{old}' is now '{new}'; release 0.5 removes the old name"
