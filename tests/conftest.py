# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Shared by all tests: a home of their own, the checkout's root, the engines that `make engine` built."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from rtstone.targets import _guest
from support import needs

ROOT = Path(__file__).resolve().parents[1]

# `make test` uses the first, `make fuzz` the second. A shared machine stalls now and then: no deadline an example.
settings.register_profile("default", deadline=None, max_examples=100)
settings.register_profile("long", deadline=None, max_examples=50_000)
settings.load_profile("default")

# A shell that starts the tests in the background has them ignore Ctrl-C, and with them every program that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# The same of nohup, for the tests of a hangup.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# readline, which a process of pytest-xdist loads, sets them: a command's output to a pipe has no width.
for name in ("COLUMNS", "LINES"):
    os.environ.pop(name, None)

ASKED_FOR = ("long", "threadx", "rtems", "rtems_ioc")
"""Marks whose tests run only where -m names them."""

INSTALLED = {
    "threadx": {"THREADX_PREFIX"},
    "rtems": {"RTEMS_PREFIX"},
    "rtems_ioc": {"RTEMS_PREFIX", "EPICS_BASE"},
}
"""Variables that name what the user has installed; seen by tests marked for it alone."""


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    unasked = [name for name in ASKED_FOR if name not in config.getoption("markexpr")]
    trials = [item for item in items if any(map(item.get_closest_marker, unasked))]
    config.hook.pytest_deselected(items=trials)
    items[:] = [item for item in items if item not in trials]
    if needs.MODE == "prove":
        kept = [item for item in items if needs.reason(_needs(item))]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept
    for item in items:
        named = [name for name in _needs(item) if name not in needs.NEEDS]
        if named:
            raise pytest.UsageError(f"{item.nodeid}: there is no need {named[0]!r}: {', '.join(needs.NEEDS)}")
        if why := needs.reason(_needs(item)):
            item.add_marker(_UNMET[needs.MODE](why))


def _needs(item: pytest.Item) -> list[str]:
    return [name for mark in item.iter_markers("needs") for name in mark.args]


_UNMET: dict[str, Callable[[str], pytest.MarkDecorator]] = {
    "": lambda why: pytest.mark.skip(reason=why),
    "all": lambda why: pytest.mark.unmet(why),
    "prove": lambda why: pytest.mark.xfail(reason=why, strict=True),
}
"""By needs.MODE, what becomes of a test that cannot run here. To prove its needs it must fail."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Where all tests are demanded, one that cannot run fails."""
    for mark in item.iter_markers("unmet"):
        pytest.fail(f"this test cannot run here, and all are demanded: {mark.args[0]}", pytrace=False)


@pytest.fixture(scope="session", autouse=True)
def _cpu_of_its_own() -> Iterator[None]:
    """Of several processes that test side by side each begins with another CPU when it lends them to emulators."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    with pytest.MonkeyPatch.context() as patch:
        if worker:
            patch.setattr(_guest, "first_cpu", lambda cpus: int(worker.removeprefix("gw")) % cpus)
        yield


@pytest.fixture(autouse=True)
def _own_home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees or touches the user's configuration, archive or settings."""
    seen = {name for mark, names in INSTALLED.items() if request.node.get_closest_marker(mark) for name in names}
    hidden = set().union(*INSTALLED.values()) - seen
    for variable in list(os.environ):
        if variable.startswith("RTSTONE_") or variable in hidden:
            monkeypatch.delenv(variable)
    for variable, folder in {
        "HOME": "home",
        "XDG_CONFIG_HOME": "home/.config",
        "XDG_DATA_HOME": "home/.local/share",
        "XDG_CACHE_HOME": "home/.cache",
        "XDG_STATE_HOME": "home/.local/state",
    }.items():
        monkeypatch.setenv(variable, str(tmp_path / folder))
    for variable in ("SUDO_USER", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the source checkout."""
    return ROOT


def _built(name: str) -> Path:
    path = ROOT / "build" / "engine" / name
    if not path.is_file():
        pytest.fail(f"{name} is not built: run `make engine`")
    return path


@pytest.fixture(scope="session")
def engine() -> Path:
    """The engine for this machine."""
    return _built("rtstone-engine")


@pytest.fixture(scope="session")
def simulated_engine() -> Path:
    """The engine on the simulated port, whose latencies are known beforehand."""
    return _built("rtstone-engine-simulated")
