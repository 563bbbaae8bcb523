# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures that build images once for all tests, in a cache that stays from one run of the tests to the next."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from rtstone.targets.boards import firmware

Build = Callable[[str, str], Path]


# cargo may be rustup's, which looks for its toolchain in the user's home; a test has one of its own.
_HOME = os.environ.get("HOME", "/")


@contextmanager
def lasting_cache(root: Path) -> Iterator[None]:
    """Use the cache below build/ and the user's own home, not those of a test. Warnings of a build are errors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(root / "build" / "cache"))
        patch.setenv("RTSTONE_WARNINGS_ARE_ERRORS", "1")
        patch.setenv("HOME", _HOME)
        yield


@pytest.fixture(autouse=True)
def lasting(root: Path) -> Iterator[None]:
    """That cache for every test of a module that imports this."""
    with lasting_cache(root):
        yield


@pytest.fixture(scope="session")
def image(root: Path) -> Build:
    """Builds the image of a board and kernel, or finds it."""

    @cache
    def build(board: str, kernel: str) -> Path:
        with lasting_cache(root):
            return firmware.build(board, kernel)

    return build


@pytest.fixture(scope="session")
def image_for_tests(root: Path) -> Build:
    """Builds the image with the kernel's own assertions, which end the run; bare metal has no assertions."""

    @cache
    def build(board: str, kernel: str) -> Path:
        with lasting_cache(root):
            return firmware.build(board, kernel, for_tests=kernel != "bare")

    return build
