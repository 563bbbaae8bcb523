# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Every key there is: a new one is one field here. Its name in files is `Meta.title`, in the environment RTSTONE_<NAME>."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct


class Settings(Struct, frozen=True, kw_only=True):
    """The values that hold. A field's default holds where nobody says otherwise."""

    archive: Annotated[
        str, Meta(title="archive", description="where runs are kept: a path or a database URL; empty: the usual place")
    ] = ""
    profile: Annotated[
        Literal["quick", "standard", "paper"],
        Meta(title="profile", description="time budget of a run: about a minute, about ten, or as the paper has it"),
    ] = "standard"
    target: Annotated[str, Meta(title="target", description="what to measure", min_length=1)] = "local"
    load: Annotated[
        str,
        Meta(title="load", description="load to measure under, for studies that leave it open; empty: the study's own"),
    ] = ""
    cpu: Annotated[int, Meta(title="cpu", description="CPU to measure on; -1: the port's choice", ge=-1, le=65535)] = -1
    strict: Annotated[
        bool, Meta(title="strict", description="a degraded run ends instead of going on with a warning")
    ] = False
    color: Annotated[
        Literal["auto", "always", "never"], Meta(title="color", description="coloured text: auto means on a terminal")
    ] = "auto"
    report_theme: Annotated[
        Literal["auto", "light", "dark"],
        Meta(title="report.theme", description="colours of the report: auto follows the reader's system"),
    ] = "auto"
    report_output: Annotated[
        str, Meta(title="report.output", description="where reports are written; empty: ./rtstone-<run>.html")
    ] = ""


SPELLINGS = {"colour": "color"}
"""Other names that a key is known by."""

PATHS = frozenset({"archive", "report.output"})
"""Keys that hold a path: in a file, a relative one counts from the file's folder."""
