# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Where an IOC serves and a client looks: options outweigh EPICS's own variables, and these what is usual."""

from __future__ import annotations

import re
from typing import Any

import pytest

from rtstone.errors import UsageError
from rtstone.ioc import IocSettings, access_rules, from_variables

USUAL = {
    "EPICS_CAS_INTF_ADDR_LIST": "127.0.0.1",
    "EPICS_PVAS_INTF_ADDR_LIST": "127.0.0.1",
    "EPICS_CAS_SERVER_PORT": "5064",
    "EPICS_PVAS_SERVER_PORT": "5075",
    "EPICS_CA_REPEATER_PORT": "5065",
}


def settings(variables: dict[str, str], *, serving: bool = True, **options: Any) -> IocSettings:
    given: dict[str, Any] = {"interface": None, "ca_port": None, "pva_port": None} | options
    return IocSettings(**from_variables(variables, serving=serving, **given))


@pytest.mark.parametrize(
    ("variables", "options", "served"),
    [
        ({}, {}, {}),
        ({"EPICS_CA_SERVER_PORT": "6000"}, {}, {"EPICS_CAS_SERVER_PORT": "6000", "EPICS_CA_REPEATER_PORT": "6001"}),
        ({"EPICS_CA_SERVER_PORT": "6000", "EPICS_CAS_SERVER_PORT": "7000"}, {}, {"EPICS_CAS_SERVER_PORT": "7000"}),
        ({"EPICS_CAS_SERVER_PORT": "7000"}, {"ca_port": 8000}, {"EPICS_CAS_SERVER_PORT": "8000"}),
        ({"EPICS_PVA_SERVER_PORT": "6000"}, {}, {"EPICS_PVAS_SERVER_PORT": "6000"}),
        ({"EPICS_PVAS_SERVER_PORT": "6000"}, {"pva_port": 7000}, {"EPICS_PVAS_SERVER_PORT": "7000"}),
        ({"EPICS_CA_REPEATER_PORT": "6065"}, {}, {"EPICS_CA_REPEATER_PORT": "6065"}),
        ({"EPICS_PVA_BROADCAST_PORT": "6076"}, {}, {"EPICS_PVA_BROADCAST_PORT": "6076"}),
        (
            {"EPICS_CAS_INTF_ADDR_LIST": "127.0.0.1 127.0.0.2"},
            {},
            {"EPICS_CAS_INTF_ADDR_LIST": "127.0.0.1 127.0.0.2", "RTSTONE_IOC_INTERFACE": "127.0.0.1"},
        ),
        (
            {"EPICS_CAS_INTF_ADDR_LIST": "127.0.0.2"},
            {"interface": "127.0.0.3"},
            {"EPICS_CAS_INTF_ADDR_LIST": "127.0.0.3", "EPICS_PVAS_INTF_ADDR_LIST": "127.0.0.3"},
        ),
        ({"EPICS_CAS_INTF_ADDR_LIST": "127.0.0.2"}, {}, {"EPICS_PVAS_INTF_ADDR_LIST": "127.0.0.2"}),
        (
            {"EPICS_PVAS_INTF_ADDR_LIST": "127.0.0.2"},
            {},
            {
                "EPICS_PVAS_INTF_ADDR_LIST": "127.0.0.2",
                "EPICS_PVA_ADDR_LIST": "127.0.0.2",
                "EPICS_CA_ADDR_LIST": "127.0.0.1",
            },
        ),
        (
            {"EPICS_CAS_BEACON_ADDR_LIST": "10.0.0.255", "EPICS_CAS_AUTO_BEACON_ADDR_LIST": "YES"},
            {},
            {"EPICS_CAS_BEACON_ADDR_LIST": "10.0.0.255", "EPICS_CAS_AUTO_BEACON_ADDR_LIST": "YES"},
        ),
        # Clients that are started beside it are to find this IOC, whatever others a shell is set up for.
        ({"EPICS_CA_ADDR_LIST": "10.0.0.9"}, {}, {"EPICS_CA_ADDR_LIST": "127.0.0.1"}),
        ({"EPICS_CA_SERVER_PORT": ""}, {}, {}),
    ],
)
def test_a_server(variables: dict[str, str], options: dict[str, Any], served: dict[str, str]) -> None:
    found = settings(variables, **options).server_environment()
    assert {name: found[name] for name in served} == served
    unchanged = {name: value for name, value in USUAL.items() if not variables and name not in served}
    assert {name: found[name] for name in unchanged} == unchanged


@pytest.mark.parametrize(
    ("variables", "options", "found"),
    [
        ({}, {}, ("127.0.0.1", "NO", "5064")),
        ({"EPICS_CA_ADDR_LIST": "10.0.0.9", "EPICS_CA_SERVER_PORT": "6000"}, {}, ("10.0.0.9", "NO", "6000")),
        ({"EPICS_CA_ADDR_LIST": "10.0.0.9"}, {"interface": "10.0.0.8"}, ("10.0.0.8", "NO", "5064")),
        ({"EPICS_CA_AUTO_ADDR_LIST": "YES"}, {"ca_port": 7000}, ("127.0.0.1", "YES", "7000")),
        ({"EPICS_CAS_INTF_ADDR_LIST": "10.0.0.7"}, {}, ("127.0.0.1", "NO", "5064")),
    ],
)
def test_a_client_of_one_that_runs(
    variables: dict[str, str], options: dict[str, Any], found: tuple[str, str, str]
) -> None:
    own = settings(variables, serving=False, **options).client_environment()
    names = ("EPICS_CA_ADDR_LIST", "EPICS_CA_AUTO_ADDR_LIST", "EPICS_CA_SERVER_PORT")
    assert tuple(own[name] for name in names) == found


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"EPICS_CA_SERVER_PORT": "many"}, "EPICS_CA_SERVER_PORT: the number of a port, not 'many'"),
        ({"EPICS_CAS_SERVER_PORT": "80"}, "EPICS_CAS_SERVER_PORT: a number from 1024 to 65534, not 80"),
        ({"EPICS_PVA_SERVER_PORT": "70000"}, "EPICS_PVA_SERVER_PORT: a number from 1024 to 65534, not 70000"),
        ({"EPICS_CAS_INTF_ADDR_LIST": "here"}, "EPICS_CAS_INTF_ADDR_LIST: IPv4 addresses of this machine, not 'here'"),
        ({"EPICS_PVAS_INTF_ADDR_LIST": "::1"}, "EPICS_PVAS_INTF_ADDR_LIST: IPv4 addresses of this machine, not '::1'"),
    ],
)
def test_a_variable_that_cannot_be_is_named(variables: dict[str, str], told: str) -> None:
    with pytest.raises(UsageError) as refused:
        settings(variables)
    assert str(refused.value) == told


def test_an_interface_of_another_machine() -> None:
    with pytest.raises(UsageError, match=r"^--interface: this machine has no interface with the address 192\.0\.2\.1$"):
        IocSettings(interface="192.0.2.1").check_here()
    IocSettings(interface="0.0.0.0").check_here()  # noqa: S104 - checked, not served
    IocSettings().check_here()


def test_a_host_that_may_write_is_in_the_rules() -> None:
    rules = access_rules(IocSettings(interface="192.0.2.1", allow=("192.0.2.2", "192.0.2.3")))
    assert 'HAG(local) { "127.0.0.1", "192.0.2.1", "192.0.2.2", "192.0.2.3" }\n' in rules
    assert "ASG(READONLY) {\n    RULE(1, READ)\n}" in rules
    assert access_rules(IocSettings()).startswith('HAG(local) { "127.0.0.1", "127.0.0.1" }\n')


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"interface": "192.0.2.1", "allow": ("host",)}, "--allow-write: the IPv4 address of a host, not 'host'"),
        ({"interface": "192.0.2.1", "allow": ('1" }',)}, "--allow-write: the IPv4 address of a host"),
        ({"allow": ("192.0.2.2",)}, "no other host reaches 127.0.0.1; --interface says where to serve"),
    ],
)
def test_a_host_that_cannot_be_one_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        IocSettings(**given).check()
