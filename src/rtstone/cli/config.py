# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`rtstone config`: shows each key, the effective value, and its source."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import typer

from rtstone.cli._options import AsJson

if TYPE_CHECKING:
    from rtstone.config import EffectiveSetting, Origin

SCHEMA = "rtstone.config"
SCHEMA_VERSION = "1.0"

_SOURCES = {
    "default": "built-in default",
    "user": "your file",
    "project": "the project's file",
    "environment": "environment",
    "flag": "flag",
}


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("config")(config)


def config(
    as_json: AsJson = False,
) -> None:
    """Show each setting, its value, and the file, variable or default that set it.

    Write your own settings in a file (docs/reference/rtstone.toml).
    """
    from rtstone.cli._output import print_json, print_table
    from rtstone.config import load

    settings = load().settings
    if as_json:
        print_json({"schema": SCHEMA, "version": SCHEMA_VERSION, "settings": [_plain(setting) for setting in settings]})
        return
    rows = [(s.key, _shown(s), _whence(s.holds), _why(s), s.help) for s in settings]
    print_table(("key", "value", "from", "why", "meaning"), rows)


def _plain(setting: EffectiveSetting) -> dict[str, object]:
    def origin(said: Origin) -> dict[str, object]:
        return {"source": said.source, "where": said.where, "value": _masked(said.value)}

    overrides = [origin(said) for said in setting.overrides]
    return {"key": setting.key, **origin(setting.holds), "overrides": overrides, "help": setting.help}


def _masked(value: str | int | bool) -> str | int | bool:
    """A value without the password that a database URL may hold."""
    return re.sub(r"(://[^:/@]*):.*@", r"\1:***@", value) if isinstance(value, str) else value


def _text(said: Origin) -> str:
    value = _masked(said.value)
    return str(value).lower() if isinstance(value, bool) else str(value) or "(empty)"


def _shown(setting: EffectiveSetting) -> str:
    """The effective value; for an empty archive setting, the default place."""
    if setting.key == "archive" and not setting.holds.value:
        from rtstone.archive import default_path

        return str(default_path())
    return _text(setting.holds)


def _whence(said: Origin) -> str:
    return f"{_SOURCES[said.source]} {said.where}".strip()


def _why(setting: EffectiveSetting) -> str:
    """The sources that the value overrides. Every key has a default, so a default alone is not listed."""
    if not setting.overrides:
        return "not set"
    return "wins over " + ", ".join(f"{_text(said)} ({_whence(said)})" for said in setting.overrides)
