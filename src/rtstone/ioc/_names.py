# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The names that this room gives to others."""

from __future__ import annotations

from rtstone.ioc._base import Base, find_base
from rtstone.ioc._build import build, build_engine, build_inside, missing, runtime
from rtstone.ioc._guest import guest_files, guest_obstacle
from rtstone.ioc._outside import OutsideClients
from rtstone.ioc._running import (
    Inside,
    Ioc,
    IocLoad,
    access_rules,
    by_hand,
    engine_inside,
    run_shell,
    start_script,
    write_boot,
)
from rtstone.ioc._settings import RECORDS_MAX, IocSettings, from_variables
from rtstone.ioc._showing import Showing, check_display

__all__ = [
    "RECORDS_MAX",
    "Base",
    "Inside",
    "Ioc",
    "IocLoad",
    "IocSettings",
    "OutsideClients",
    "Showing",
    "access_rules",
    "build",
    "build_engine",
    "build_inside",
    "by_hand",
    "check_display",
    "engine_inside",
    "find_base",
    "from_variables",
    "guest_files",
    "guest_obstacle",
    "missing",
    "run_shell",
    "runtime",
    "start_script",
    "write_boot",
]
