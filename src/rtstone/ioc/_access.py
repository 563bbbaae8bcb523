# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Write access to the IOC: the rules of ioc/database/access.acf, for this machine and the user's hosts."""

from __future__ import annotations

from rtstone.errors import InfrastructureError
from rtstone.ioc._build import sources_root
from rtstone.ioc._settings import IocSettings

_LOCAL = 'HAG(local) { "127.0.0.1", "$(INTERFACE)" }'


def access_rules(settings: IocSettings) -> str:
    """The complete rules with which the IOC begins, in EPICS's own words, without comments."""
    file = sources_root() / "ioc" / "database" / "access.acf"
    text = "".join(
        line for line in file.read_text(encoding="utf-8").splitlines(keepends=True) if not line.startswith("#")
    )
    if _LOCAL not in text:
        raise InfrastructureError(f"{file}: there is no line {_LOCAL}")
    hosts = ", ".join(f'"{host}"' for host in ("127.0.0.1", settings.interface, *settings.allow))
    return text.replace(_LOCAL, f"HAG(local) {{ {hosts} }}")
