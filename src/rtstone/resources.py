# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds the files that belong to the Python code:
the data folders and the engine, installed or in a source checkout."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from rtstone.errors import InfrastructureError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

# Data folder -> its place in a source checkout; the wheel has each as rtstone/_data/<name>.
_IN_CHECKOUT = {"studies": "studies", "reference": "reference", "schema": "spec/schema", "firmware": "."}


def _data() -> Traversable:
    """The folder of the data that the wheel has."""
    from importlib.resources import files  # as slow to import as all of our entry points are to read

    return files("rtstone") / "_data"


def checkout_root() -> Path | None:
    """Return the root of the source checkout that this module is run from, or None if it is installed."""
    root = Path(__file__).resolve().parents[2]
    return root if (root / "CMakePresets.json").is_file() else None


def data_dir(name: str) -> Traversable:
    """Return the data folder `name`: "studies", "reference", "schema" or "firmware" (sources of images).

    Raises InfrastructureError if neither the installation nor the checkout has it.
    """
    packaged = _data() / name
    if packaged.is_dir():
        return packaged
    root = checkout_root()
    if root is not None and name in _IN_CHECKOUT and (root / _IN_CHECKOUT[name]).is_dir():
        return root / _IN_CHECKOUT[name]
    raise InfrastructureError(f"this installation has no data folder '{name}': install rtstone again")


def carried_engine(architecture: str) -> Path | None:
    """Return the engine for another architecture (Debian's name of it) from the wheel;
    None in a checkout, or if there is none."""
    packaged = Path(str(_data() / "bin" / architecture / "rtstone-engine"))
    return packaged if packaged.is_file() else None


def engine_path(name: str = "rtstone-engine") -> Path:
    """Return the engine program `name`: "rtstone-engine" or "rtstone-engine-simulated".

    The environment (RTSTONE_ENGINE, RTSTONE_ENGINE_SIMULATED) wins, then the one installed with rtstone, then the
    one in build/engine/ of the checkout. Raises InfrastructureError if there is no engine or it cannot be executed.
    """
    variable = name.upper().replace("-", "_")
    chosen = os.environ.get(variable)
    if chosen:
        path = Path(chosen)
        if not os.access(path, os.X_OK) or path.is_dir():
            raise InfrastructureError(f"{variable} names '{chosen}', which is not a program that can be run")
        return path
    packaged = Path(str(_data() / "bin" / name))
    if packaged.is_file():
        return packaged
    root = checkout_root()
    if root is None:
        raise InfrastructureError(
            f"this installation has no {name}: install the wheel that is made for this machine, or set {variable}"
        )
    built = root / "build" / "engine" / name
    if not built.is_file():
        raise InfrastructureError(f"{name} is not built: run `make engine`, or set {variable}")
    return built
