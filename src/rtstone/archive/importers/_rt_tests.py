# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The common part of the JSON files of rt-tests: the tool, its times, its command line, the kernel."""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime

from rtstone.archive.importers._json import JSON, Members, decode, line_of, looks_like, sysinfo
from rtstone.archive.importers._model import SourceFile

_VERSION = 1


def is_of(source: SourceFile, tool: str) -> bool:
    """Whether this is the JSON of a tool of rt-tests."""
    found = re.search(r'"cmdline:?"\s*:\s*"([^"\s]*)', source.text[:4096])
    return looks_like(source) and found is not None and found[1].rpartition("/")[2] == tool


def read_json(source: SourceFile) -> Members:
    """The document, after a check of its version."""
    document = Members(source, decode(source), "document")
    version = document.whole("file_version")
    if version != _VERSION:
        raise source.wrong(line_of(source, "file_version"), f"file version {version} is unknown; this reads {_VERSION}")
    return document


def command(document: JSON) -> str:
    """The tool's command line."""
    value = document.get("cmdline:", document.get("cmdline", ""))
    return value if isinstance(value, str) else ""


def option(words: str, *names: str) -> int | None:
    """The number given to an option: `-h 400`, `-h400`, `--histogram=400`."""
    for name in names:
        joint = r"[=\s]\s*" if name.startswith("--") else r"\s*"
        found = re.search(rf"(?:^|\s){re.escape(name)}{joint}(\d{{1,12}})", words)
        if found:
            return int(found[1])
    return None


def about(document: Members) -> tuple[str, str, str, dict[str, str], dict[str, str]]:
    """Version, start, end, environment, facts."""
    version = document.text("rt_test_version:") or document.text("rt_test_version")
    env = sysinfo(document.maybe("sysinfo"))
    if document.maybe("sysinfo").values.get("realtime") == 1:
        env["kernel.preempt"] = "PREEMPT_RT"
    facts = {"import.command": command(document.values)}
    return version, _utc(document.text("start_time")), _utc(document.text("end_time")), env, facts


def _utc(text: str) -> str:
    try:
        return parsedate_to_datetime(text).isoformat(timespec="seconds") if text else ""
    except (ValueError, TypeError):
        return ""
