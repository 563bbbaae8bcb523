# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds EPICS base: headers, libraries and record definitions of the Python packages epicscorelibs and pvxslibs."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from rtstone.errors import InfrastructureError
from rtstone.resources import checkout_root


@dataclass(frozen=True)
class Base:
    """One release of base, with the PV Access server that was built for it."""

    core: Path
    """Folder of epicscorelibs."""
    pvxs: Path
    """Folder of pvxslibs."""
    version: str
    """Versions of both, as one text."""

    @property
    def pva_library(self) -> Path:
        """The library that an IOC loads to serve PV Access."""
        return self.pvxs / "lib" / "libpvxsIoc.so"


def find_base() -> Base:
    """Find the packages, without importing them. Raises InfrastructureError, with the command that installs them."""
    core, pvxs = _folder("epicscorelibs"), _folder("pvxslibs")
    if core is None or pvxs is None:
        command = "make ioc" if checkout_root() is not None else "pip install 'rtstone[ioc]'"
        lacking = "epicscorelibs" if core is None else "pvxslibs"
        raise InfrastructureError(f"EPICS base is not installed (no Python package {lacking}): {command}")
    versions = (f"{name} {importlib.metadata.version(name)}" for name in ("epicscorelibs", "pvxslibs"))
    return Base(core, pvxs, ", ".join(versions))


def _folder(package: str) -> Path | None:
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        return None
    return Path(found.submodule_search_locations[0])
