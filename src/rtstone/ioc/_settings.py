# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""What an IOC may be asked to be; checked here, handed to its start-up script through the environment."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rtstone.errors import UsageError

RECORDS_MAX = 1_000_000
"""Most pairs of records of a load; each takes about 2 kB of the IOC's memory."""

_CALLBACKS = 2000
"""What base's queues of callbacks hold unless told; a confirmation that finds its queue full is lost."""

SAMPLERS = ("engine", "probe")
SCANS = ("Passive", "10 second", "5 second", "2 second", "1 second", ".5 second", ".2 second", ".1 second")


@dataclass(frozen=True)
class Settings:
    """One IOC. The defaults serve the loopback interface on EPICS's own ports."""

    prefix: str = "rtstone:"
    sampler: Literal["engine", "probe"] = "engine"
    period_us: int = 1000
    """Between two interrupts; 0, with the probe: each is raised by the measuring task."""
    cpu: int = -1
    """-1: the engine's choice."""
    samples: int = 10_000
    """Most samples of a set."""
    scan: str = "2 second"
    """How often a set is started, a choice of EPICS's own scan menu; longer than a set of 1000 samples takes."""
    user_isr: bool = False
    """With the probe: through a user-level interrupt service routine."""
    device: str = ""
    """Of the probe; empty: its usual place."""
    load: int = 0
    """Pairs of records for the load; 0: none."""
    interface: str = "127.0.0.1"
    ca_port: int = 5064
    pva_port: int | None = 5075
    """None: Channel Access only."""
    script: Path | None = None
    """A start-up script in the place of ours."""

    def check(self) -> None:
        """Raise UsageError naming the first setting that cannot be."""
        if not re.fullmatch(r"[A-Za-z0-9_\-+:\[\]<>;]{1,30}", self.prefix):
            raise UsageError(f"--prefix: 1 to 30 letters, digits or signs of _-+:[]<>; not '{self.prefix}'")
        if self.sampler not in SAMPLERS:
            raise UsageError(f"--sampler: {' or '.join(SAMPLERS)}, not '{self.sampler}'")
        least = 0 if self.sampler == "probe" else 50
        _within("--period-us", self.period_us, least, 1_000_000)
        _within("--cpu", self.cpu, -1, 4095)
        _within("--samples", self.samples, 1, 100_000)
        if self.scan not in SCANS:
            raise UsageError(f"--scan: one of {', '.join(SCANS)}, not '{self.scan}'")
        if self.load:
            _within("--load", self.load, 1, RECORDS_MAX)
        try:
            ipaddress.IPv4Address(self.interface)
        except ValueError:
            raise UsageError(f"--interface: an IPv4 address of this machine, not '{self.interface}'") from None
        _within("--port", self.ca_port, 1024, 65534)
        if self.pva_port is not None:
            _within("--pva-port", self.pva_port, 1024, 65534)
        if self.script is not None and not self.script.is_file():
            raise UsageError(f"--script: there is no file {self.script}")

    def client_environment(self) -> dict[str, str]:
        """What a client needs in its environment to find this IOC, and nothing beyond it."""
        address = "127.0.0.1" if self.interface == "0.0.0.0" else self.interface  # noqa: S104 - compared, not bound
        found = {
            "EPICS_CA_ADDR_LIST": address,
            "EPICS_CA_AUTO_ADDR_LIST": "NO",
            "EPICS_CA_SERVER_PORT": str(self.ca_port),
            "EPICS_CA_REPEATER_PORT": str(self.ca_port + 1),
        }
        if self.pva_port is not None:
            found |= {
                "EPICS_PVA_ADDR_LIST": address,
                "EPICS_PVA_AUTO_ADDR_LIST": "NO",
                "EPICS_PVA_SERVER_PORT": str(self.pva_port),
                "EPICS_PVA_BROADCAST_PORT": str(self.pva_port + 1),
            }
        return found

    def server_environment(self) -> dict[str, str]:
        """Where the IOC serves and what its start-up script makes, but for places of files."""
        return self.client_environment() | {
            "EPICS_CAS_INTF_ADDR_LIST": self.interface,
            "EPICS_CAS_BEACON_ADDR_LIST": self.interface,
            "EPICS_CAS_AUTO_BEACON_ADDR_LIST": "NO",
            "EPICS_PVAS_INTF_ADDR_LIST": self.interface,
            "EPICS_PVAS_BEACON_ADDR_LIST": self.interface,
            "EPICS_PVAS_AUTO_BEACON_ADDR_LIST": "NO",
            "RTSTONE_IOC_PREFIX": self.prefix,
            "RTSTONE_IOC_INTERFACE": self.interface,
            "RTSTONE_IOC_SAMPLER": self.sampler,
            "RTSTONE_IOC_ENGINE": "" if self.sampler == "engine" else "#",
            "RTSTONE_IOC_PROBE": "" if self.sampler == "probe" else "#",
            "RTSTONE_IOC_PERIOD_US": str(self.period_us),
            "RTSTONE_IOC_CPU": str(self.cpu),
            "RTSTONE_IOC_SAMPLES": str(self.samples),
            "RTSTONE_IOC_SCAN": self.scan,
            "RTSTONE_IOC_USER_ISR": str(int(self.user_isr)),
            "RTSTONE_IOC_DEVICE": self.device,
            "RTSTONE_IOC_CALLBACKS": str(_CALLBACKS + self.load),
        }


def _within(option: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise UsageError(f"{option}: a number from {low} to {high}, not {value}")
