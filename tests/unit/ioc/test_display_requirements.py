# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The libraries of the IOC's screen are checked before anything is started, and a missing one is named."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from rtstone.errors import InfrastructureError
from rtstone.ioc import _showing


@pytest.mark.parametrize("package", ["pydm", "PyQt5", "pyqtgraph", "epics", "epicscorelibs"])
def test_a_package_that_lacks(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    def find(name: str, *_: Any) -> object | None:
        return None if name == package else object()

    monkeypatch.setattr(importlib.util, "find_spec", find)
    with pytest.raises(InfrastructureError, match=rf"no Python package {package}\): make display"):
        _showing.check_requirements()
    monkeypatch.setattr(_showing, "checkout_root", lambda: None)
    with pytest.raises(InfrastructureError, match=r"pip install 'rtstone\[ioc,display\]'"):
        _showing.check_requirements()


@pytest.mark.parametrize(
    "there", [{"DISPLAY": ":0"}, {"WAYLAND_DISPLAY": "wayland-0"}, {"QT_QPA_PLATFORM": "vnc:size=800x600"}]
)
def test_something_to_draw_on(there: dict[str, str]) -> None:
    _showing.check_screen(there)


@pytest.mark.parametrize("lacking", [{}, {"DISPLAY": ""}, {"QT_QPA_PLATFORM": "xcb"}])
def test_nothing_to_draw_on(lacking: dict[str, str]) -> None:
    with pytest.raises(InfrastructureError, match="there is no screen"):
        _showing.check_screen(lacking)
