# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A release's packages for aarch64 on an emulated machine with Debian's stock kernel: installed without a network, measured, removed.

Apt needs a network, so dpkg installs the package, and pipx and uv install the wheel from files that were carried there.
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from rtstone import __version__
from support import debian_guest
from support.images import lasting, lasting_cache

__all__ = ["lasting"]  # the fixture

pytestmark = [pytest.mark.long, pytest.mark.timeout(7200)]

PATIENCE_S = 3600
"""Time (s) for the whole script: the emulator takes some 15 times as long as a machine."""
MEMORY_MIB = 6144
"""The machine's files are in its memory."""
PLACE = "/tmp/carried"  # noqa: S108 - a folder of the guest
TOOLS = ("pip", "setuptools", "wheel", "uv")
"""The programs that install a wheel, and the packages that pipx wants for itself."""

SCRIPT = f"""set -e
export HOME=/root PATH=/root/.local/bin:/usr/sbin:/usr/bin
export PIP_NO_INDEX=1 PIP_FIND_LINKS={PLACE} PIP_NO_COMPILE=1
export UV_PYTHON_DOWNLOADS=never
cd /
# As the package ca-certificates does when it is installed: pip reads this file at its start.
mkdir -p /etc/ssl/certs
cat /usr/share/ca-certificates/*/*.crt >/etc/ssl/certs/ca-certificates.crt
tried() {{
  hash -r  # it moves from one folder to another
  rtstone run -m thread-switch --load none -r 1 --count 1000 -q --archive "/tmp/$1.sqlite" >&2
  rtstone report --archive "/tmp/$1.sqlite" last -o "/tmp/$1.html" >&2
  test -s "/tmp/$1.html"
  echo "$1 $(rtstone --version | tr ' ' '\\n' | tail -n 1) $(uname -m)"
}}
dpkg -i {PLACE}/*.deb >&2
tried deb
test -e /usr/share/man/man1/rtstone-run.1.gz
dpkg --purge rtstone >&2
left=$(find /usr /etc /var -xdev -name '*rtstone*')
test -z "$left"
pipx install {PLACE}/rtstone*.whl >&2
tried pipx
pipx uninstall rtstone >&2
pipx install uv >&2
uv tool install --no-index --find-links {PLACE} {PLACE}/rtstone*.whl >&2
tried uv
uv tool uninstall rtstone >&2
left=$(find /usr /etc /var /root/.local/bin -xdev -name '*rtstone*')
test -z "$left"
"""


@pytest.fixture(scope="module")
def release(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the wheel and the packages for arm64 that `make dist` builds."""
    out = tmp_path_factory.mktemp("release")
    command = [sys.executable, str(root / "tools" / "dist"), "--output", str(out), "arm64", "deb"]
    env = os.environ | {"XDG_CACHE_HOME": str(root / "build" / "cache")}
    subprocess.run(command, check=True, env=env, timeout=3600)
    return out


def _fetch(carried: Path, root: Path, debian: str) -> None:
    """Fetch the wheels of the locked dependencies, and those of TOOLS, for aarch64 and the Python of that Debian."""
    dist = runpy.run_path(str(root / "tools" / "dist"))
    needed = carried.with_name("needed.txt")
    needed.write_text(dist["NO_WHEEL"]["arm64"].sub("", (root / "requirements" / "run.txt").read_text()))
    libraries = ("manylinux2014", *(f"manylinux_2_{minor}" for minor in range(17, 37)))
    for_it = ["--python-version", dist["PYTHONS"][debian], *(f"--platform={name}_aarch64" for name in libraries)]
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "-q", "-d", str(carried)]
    for which in (("--require-hashes", "-r", str(needed)), TOOLS):
        subprocess.run([*command, "--no-deps", "--only-binary", ":all:", *for_it, *which], check=True, timeout=1800)


@pytest.mark.parametrize(("machine", "debian"), [("arm64", "12"), ("arm64-trixie", "13")], ids=["12", "13"])
def test_each_package_is_installed_measures_and_goes(
    root: Path, release: Path, tmp_path: Path, machine: str, debian: str
) -> None:
    carried = tmp_path / "carried"
    carried.mkdir()
    for pattern in (f"*+deb{debian}_arm64.deb", "*aarch64.whl"):
        (file,) = release.glob(pattern)
        (carried / file.name).write_bytes(file.read_bytes())
    (carried / "script").write_text(SCRIPT)
    _fetch(carried, root, debian)
    (tmp_path / "guest").mkdir()
    with (
        lasting_cache(root),
        debian_guest.running(machine, tmp_path / "guest", more=debian_guest.INSTALLING, memory_mib=MEMORY_MIB) as guest,
    ):
        guest.carry(carried, PLACE)
        lines = guest.shell(f"sudo -n sh {PLACE}/script 2>&1", timeout_s=PATIENCE_S).splitlines()
    said = [line for line in lines if line.endswith(" aarch64") and line.split()[0] in {"deb", "pipx", "uv"}]
    assert said == [f"{tool} {__version__} aarch64" for tool in ("deb", "pipx", "uv")], lines
