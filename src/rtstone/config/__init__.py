# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What the user has set, and where: rtstone.toml files, environment and flags in, one typed Settings out."""

from __future__ import annotations

from rtstone.config._load import Configuration, Origin, Setting, load
from rtstone.config._places import Owner, base_folder, invoking_user, project_file, user_file
from rtstone.config.keys import Settings

__all__ = [
    "Configuration",
    "Origin",
    "Owner",
    "Setting",
    "Settings",
    "base_folder",
    "invoking_user",
    "load",
    "project_file",
    "user_file",
]
