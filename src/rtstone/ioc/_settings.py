# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The settings of an IOC. They are checked here and passed to its start-up script through the environment."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rtstone.errors import UsageError
from rtstone.version import __version__

RECORDS_MAX = 1_000_000
"""Most records of a load, or pairs of them; a pair takes about 2 kB of the IOC's memory."""

_CALLBACKS = 2000
"""Default size of base's callback queues. A confirmation that finds its queue full is lost."""

SAMPLERS = ("engine", "split", "probe")

_CA_PORT, _PVA_PORT = 5064, 5075
_LOOPBACK = "127.0.0.1"
_EVERYWHERE = "0.0.0.0"  # noqa: S104 - compared, not bound

# EPICS's variables for a server's address and ports; of each list the first that is set counts. Options override them.
_PLACES = {
    "interface": ("EPICS_CAS_INTF_ADDR_LIST",),
    "ca_port": ("EPICS_CAS_SERVER_PORT", "EPICS_CA_SERVER_PORT"),
    "pva_port": ("EPICS_PVAS_SERVER_PORT", "EPICS_PVA_SERVER_PORT"),
}
# Variables whose default follows from the interface.
_OF_THE_INTERFACE = (
    *("EPICS_PVAS_INTF_ADDR_LIST", "EPICS_CAS_BEACON_ADDR_LIST", "EPICS_CAS_AUTO_BEACON_ADDR_LIST"),
    *("EPICS_PVAS_BEACON_ADDR_LIST", "EPICS_PVAS_AUTO_BEACON_ADDR_LIST"),
)
# Variables that both a server and its clients use in addition.
_SHARED = ("EPICS_CA_REPEATER_PORT", "EPICS_PVA_BROADCAST_PORT")
# Where a client searches.
_SEARCH = {
    "ca": ("EPICS_CA_ADDR_LIST", "EPICS_CA_AUTO_ADDR_LIST"),
    "pva": ("EPICS_PVA_ADDR_LIST", "EPICS_PVA_AUTO_ADDR_LIST"),
}

SCANS = ("Passive", "10 second", "5 second", "2 second", "1 second", ".5 second", ".2 second", ".1 second")


@dataclass(frozen=True)
class IocSettings:
    """One IOC. The defaults serve the loopback interface on EPICS's own ports."""

    prefix: str = "rtstone:"
    sampler: Literal["engine", "split", "probe"] = "engine"
    period_us: int = 1000
    """Period (µs) of the interrupts; 0, with the probe: the measuring task raises each."""
    cpu: int = -1
    """CPU to measure on; -1: the engine's choice."""
    samples: int = 10_000
    """Most samples of a set."""
    scan: str = "2 second"
    """How often a set is started, a choice of EPICS's own scan menu; longer than a set of 1000 samples takes."""
    user_isr: bool = False
    """With the probe: through a user-level interrupt service routine."""
    device: str = ""
    """Device of the probe; empty: its usual place."""
    load: int = 0
    """Records of the load, each of them written and monitored; 0: none."""
    pairs: bool = False
    """Two records instead of each: the one that is written processes a second one, which is monitored."""
    interface: str = _LOOPBACK
    allow: tuple[str, ...] = ()
    """Addresses of other hosts that may write."""
    ca_port: int = _CA_PORT
    pva_port: int | None = _PVA_PORT
    """None: Channel Access only."""
    given: Mapping[str, str] = field(default_factory=dict)
    """EPICS variables that override the values derived from these settings (`from_variables`)."""
    script: Path | None = None
    """A start-up script used instead of ours."""
    keep: Path | None = None
    """The file that preserves the operators' settings over a restart."""

    def check(self) -> None:
        """Raise UsageError naming the first invalid setting."""
        if not re.fullmatch(r"[A-Za-z0-9_\-+:\[\]<>;]{1,30}", self.prefix):
            raise UsageError(f"--prefix: 1 to 30 letters, digits or signs of _-+:[]<>; not '{self.prefix}'")
        if self.sampler not in SAMPLERS:
            raise UsageError(f"--sampler: one of {', '.join(SAMPLERS)}, not '{self.sampler}'")
        least = 0 if self.sampler == "probe" else 50
        if not least <= self.period_us <= 1_000_000:
            raise UsageError(f"--period: a time from {least}us to 1s, not {self.period_us}us")
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
        for host in self.allow:
            try:
                ipaddress.IPv4Address(host)
            except ValueError:
                raise UsageError(f"--allow-write: the IPv4 address of a host, not '{host}'") from None
        if self.allow and ipaddress.IPv4Address(self.interface).is_loopback:
            raise UsageError(f"--allow-write: no other host reaches {self.interface}; --interface says where to serve")
        _within("--port", self.ca_port, 1024, 65534)
        if self.pva_port is not None:
            _within("--pva-port", self.pva_port, 1024, 65534)
        if self.script is not None and not self.script.is_file():
            raise UsageError(f"--script: there is no file {self.script}")
        if self.keep is not None and not self.keep.absolute().parent.is_dir():
            raise UsageError(f"--settings: there is no folder {self.keep.absolute().parent}")

    def check_here(self) -> None:
        """Raise UsageError if this machine cannot serve the interface.
        Base would try for a minute before it reports the error."""
        for option, address in (("--interface", self.interface), ("EPICS_PVAS_INTF_ADDR_LIST", self.pva_interface)):
            if not _is_own(address):
                raise UsageError(f"{option}: this machine has no interface with the address {address}")

    @property
    def pva_interface(self) -> str:
        """Address where PV Access is served."""
        return _first(self.given.get("EPICS_PVAS_INTF_ADDR_LIST", self.interface))

    def client_environment(self) -> dict[str, str]:
        """Environment variables with which a client finds this IOC and no other."""
        address, pva_address = (
            _LOOPBACK if one == _EVERYWHERE else one for one in (self.interface, self.pva_interface)
        )
        found = {
            "EPICS_CA_ADDR_LIST": address,
            "EPICS_CA_AUTO_ADDR_LIST": "NO",
            "EPICS_CA_SERVER_PORT": str(self.ca_port),
            "EPICS_CA_REPEATER_PORT": str(self.ca_port + 1),
        }
        if self.pva_port is not None:
            found |= {
                "EPICS_PVA_ADDR_LIST": pva_address,
                "EPICS_PVA_AUTO_ADDR_LIST": "NO",
                "EPICS_PVA_SERVER_PORT": str(self.pva_port),
                "EPICS_PVA_BROADCAST_PORT": str(self.pva_port + 1),
            }
        return found | {
            name: self.given[name] for name in (*_SEARCH["ca"], *_SEARCH["pva"], *_SHARED) if name in self.given
        }

    def server_environment(self) -> dict[str, str]:
        """Variables for the IOC's address and its start-up script, except the paths of files."""
        ports = {"EPICS_CAS_SERVER_PORT": str(self.ca_port)}
        if self.pva_port is not None:
            ports["EPICS_PVAS_SERVER_PORT"] = str(self.pva_port)
        places = {
            "EPICS_CAS_INTF_ADDR_LIST": self.interface,
            "EPICS_CAS_BEACON_ADDR_LIST": self.interface,
            "EPICS_CAS_AUTO_BEACON_ADDR_LIST": "NO",
            "EPICS_PVAS_INTF_ADDR_LIST": self.interface,
            "EPICS_PVAS_BEACON_ADDR_LIST": self.interface,
            "EPICS_PVAS_AUTO_BEACON_ADDR_LIST": "NO",
        }
        given = {name: value for name, value in self.given.items() if name in places}
        return (
            self.client_environment()
            | ports
            | places
            | given
            | {
                "RTSTONE_IOC_PREFIX": self.prefix,
                "RTSTONE_IOC_VERSION": __version__,
                "RTSTONE_IOC_INTERFACE": self.interface,
                "RTSTONE_IOC_SAMPLER": self.sampler,
                **{f"RTSTONE_IOC_{name.upper()}": "" if self.sampler == name else "#" for name in SAMPLERS},
                "RTSTONE_IOC_PERIOD_US": str(self.period_us),
                "RTSTONE_IOC_CPU": str(self.cpu),
                "RTSTONE_IOC_SAMPLES": str(self.samples),
                "RTSTONE_IOC_SCAN": self.scan,
                "RTSTONE_IOC_USER_ISR": str(int(self.user_isr)),
                "RTSTONE_IOC_DEVICE": self.device,
                "RTSTONE_IOC_KEEP": "" if self.keep else "#",
                "RTSTONE_IOC_SETTINGS": str(self.keep.absolute()) if self.keep else "",
                "RTSTONE_IOC_CALLBACKS": str(_CALLBACKS + self.load),
            }
        )


def from_variables(
    environment: Mapping[str, str],
    *,
    interface: str | None,
    ca_port: int | None,
    pva_port: int | None,
    serving: bool = True,
) -> dict[str, Any]:
    """Fields of IocSettings for an IOC's address, from options (None: not given) and EPICS's own variables;
    `given` is one of the fields.

    An option overrides a variable. Not `serving`: for a client that must find a running IOC.
    Raises UsageError for an invalid variable.
    """
    wanted: dict[str, Any] = {"interface": interface, "ca_port": ca_port, "pva_port": pva_port}
    given = {}
    for place, names in _PLACES.items():
        name = next((name for name in names if environment.get(name)), None)
        if wanted[place] is not None or name is None or (place == "interface" and not serving):
            continue
        text = environment[name]
        if place != "interface":
            wanted[place] = _port(name, text)
        else:
            wanted[place] = _address(name, text)
            given[name] = text
    kept: tuple[str, ...] = _SHARED
    if interface is None:
        search = (*_SEARCH["ca"], *_SEARCH["pva"])
        kept += _OF_THE_INTERFACE if serving else search
    given |= {name: environment[name] for name in kept if environment.get(name)}
    if "EPICS_PVAS_INTF_ADDR_LIST" in given:
        _address("EPICS_PVAS_INTF_ADDR_LIST", given["EPICS_PVAS_INTF_ADDR_LIST"])
    defaults = {"interface": _LOOPBACK, "ca_port": _CA_PORT, "pva_port": _PVA_PORT}
    return {place: defaults[place] if value is None else value for place, value in wanted.items()} | {"given": given}


def _port(variable: str, text: str) -> int:
    if not re.fullmatch(r"\s*[0-9]{1,5}\s*", text):
        raise UsageError(f"{variable}: the number of a port, not '{text}'")
    _within(variable, int(text), 1024, 65534)
    return int(text)


def _address(variable: str, text: str) -> str:
    """The first address of a list. A client of this machine uses it."""
    try:
        return str(ipaddress.IPv4Address(_first(text)))
    except ValueError:
        raise UsageError(f"{variable}: IPv4 addresses of this machine, not '{text}'") from None


def _first(text: str) -> str:
    return (text.split() or [""])[0]


def _is_own(address: str) -> bool:
    """Whether it is an address of this machine, where a server can be reached:
    not a stranger's, and not one for many hosts."""
    with socket.socket() as server, socket.socket() as client:
        client.settimeout(2)
        try:
            server.bind((address, 0))
            server.listen()
            client.connect(server.getsockname())
        except OSError:
            return False
    return True


def _within(option: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise UsageError(f"{option}: a number from {low} to {high}, not {value}")
