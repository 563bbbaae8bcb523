# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Contents of a Linux guest that is an IOC:
programs, EPICS base, the C library, databases, and its start-up script's environment."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

from rtstone.errors import InfrastructureError
from rtstone.ioc._base import find_base
from rtstone.ioc._build import INSIDE, PROGRAMS, build_for_guest, missing, runtime, sources_root

PLACE = "ioc"
"""Folder of the RAM disk."""
ARCHITECTURE = "x86_64"
"""Architecture for which EPICS base's package is installed here."""

_LIBRARIES = (
    *("libc.so.6", "libm.so.6", "librt.so.1", "libdl.so.2", "libpthread.so.0", "libgcc_s.so.1", "libstdc++.so.6"),
)
_LOADER = "ld-linux-x86-64.so.2"
_TIMEOUT_S = 60


def guest_obstacle() -> str | None:
    """Why no guest can have an IOC here, with a command as remedy if there is one; None: no obstacle."""
    if platform.machine() != ARCHITECTURE:
        return f"the guests' IOC is of {ARCHITECTURE}, and this machine is {platform.machine()}"
    try:
        find_base()
    except InfrastructureError as error:
        return str(error)
    lacking = missing()
    return f"the IOC cannot be built yet: apt-get install {' '.join(lacking)}" if lacking else None


def guest_files(records: int) -> tuple[dict[str, bytes], frozenset[str]]:
    """The RAM disk's files for an IOC whose load has `records` records, by path,
    and the set of those that are programs.

    The same versions give the same bytes. Raises InfrastructureError naming what is missing.
    """
    obstacle = guest_obstacle()
    if obstacle is not None:
        raise InfrastructureError(obstacle)
    folder = build_for_guest()
    ours = sources_root() / "ioc"
    found = {f"{PLACE}/{name}": path.read_bytes() for name, path in runtime(folder).items()}
    found[f"{PLACE}/{INSIDE}"] = (folder / INSIDE).read_bytes()
    found[f"{PLACE}/engine.cmd"] = (ours / "inside" / "engine.cmd").read_bytes()
    found[f"{PLACE}/db/guest.acf"] = (ours / "inside" / "access.acf").read_bytes()
    found[f"{PLACE}/dbd/account.dbd"] = (ours / "support" / "account.dbd").read_bytes()
    found[f"{PLACE}/db/load.db"] = _load_database(folder, records)
    found[f"{PLACE}/environment"] = _environment(records).encode()
    for name in _LIBRARIES:
        found[f"lib/x86_64-linux-gnu/{name}"] = _library(name).read_bytes()
    found[f"lib64/{_LOADER}"] = _library(_LOADER).read_bytes()
    programs = {f"{PLACE}/{name}" for name in PROGRAMS} | {path for path in found if path.startswith("lib")}
    return found, frozenset(programs)


def _environment(records: int) -> str:
    """Environment of the start-up script:
    the sampler of the probe module, which is not started, and the load's records."""
    values = {
        "RTSTONE_IOC_BASE_DBD": f"/{PLACE}/dbd",
        "RTSTONE_IOC_DBD": f"/{PLACE}/dbd",
        "RTSTONE_IOC_DB": f"/{PLACE}/db",
        "RTSTONE_IOC_ACF": f"/{PLACE}/db/guest.acf",
        "RTSTONE_IOC_ENGINE": "#",
        "RTSTONE_IOC_PROBE": "",
        "RTSTONE_IOC_SAMPLER": "probe",
        "RTSTONE_IOC_LOAD": "",
        "RTSTONE_IOC_LOAD_DB": f"/{PLACE}/db/load.db",
        "RTSTONE_IOC_LOAD_RECORDS": str(records),
        # Only in this guest: its network is a cable between two of its own devices.
        "EPICS_CAS_INTF_ADDR_LIST": "0.0.0.0",  # noqa: S104
        "EPICS_CAS_BEACON_ADDR_LIST": "127.0.0.1",
    }
    return "".join(f"{name}={value}\n" for name, value in values.items())


def _load_database(folder: Path, records: int) -> bytes:
    command = [str(folder / "rtstone-createdb"), str(records)]
    done = subprocess.run(command, capture_output=True, check=False, timeout=_TIMEOUT_S)
    if done.returncode != 0:
        raise InfrastructureError(
            f"the load's database could not be written: {done.stderr.decode(errors='replace').strip()}"
        )
    return done.stdout


def _library(name: str) -> Path:
    """The path from which the compiler would take a library."""
    compiler = shutil.which("cc") or "cc"
    done = subprocess.run(
        [compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=False, timeout=_TIMEOUT_S
    )
    found = Path(done.stdout.strip())
    if not found.is_absolute() or not found.is_file():
        raise InfrastructureError(f"the C library's {name} is not installed: apt-get install libc6-dev libstdc++6")
    return found
