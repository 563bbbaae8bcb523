# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Virtual boards: their definitions, as data, and the images that run on them."""

from __future__ import annotations

from rtstone.targets.boards._command import arguments, command, option_value
from rtstone.targets.boards._model import (
    FOLDER_VARIABLE,
    Board,
    DeviceTree,
    Driver,
    Hub,
    Kernel,
    Link,
    load,
    loads,
    loads_in_vain,
    names,
)
from rtstone.targets.boards._own import require_image

__all__ = [
    "FOLDER_VARIABLE",
    "Board",
    "DeviceTree",
    "Driver",
    "Hub",
    "Kernel",
    "Link",
    "arguments",
    "command",
    "load",
    "loads",
    "loads_in_vain",
    "names",
    "option_value",
    "require_image",
]
