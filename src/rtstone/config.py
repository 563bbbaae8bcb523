# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The user's settings and their sources:
rtstone.toml files, environment and flags are merged into one typed Settings."""

from __future__ import annotations

import difflib
import os
import pwd
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from rtstone.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator


class Settings(Struct, frozen=True, kw_only=True):
    """The effective values. A field's default applies where no source sets the key."""

    archive: Annotated[
        str, Meta(title="archive", description="where runs are kept: a path or a database URL; empty: the usual place")
    ] = ""
    profile: Annotated[
        Literal["quick", "standard", "paper"],
        Meta(title="profile", description="time budget of a run: about a minute, about ten, or as the paper has it"),
    ] = "standard"
    target: Annotated[str, Meta(title="target", description="what to measure", min_length=1)] = "local"
    load: Annotated[
        str,
        Meta(title="load", description="load to measure under, for studies that leave it open; empty: the study's own"),
    ] = ""
    cpu: Annotated[int, Meta(title="cpu", description="CPU to measure on; -1: the port's choice", ge=-1, le=65535)] = -1
    strict: Annotated[
        bool, Meta(title="strict", description="a degraded run ends instead of going on with a warning")
    ] = False
    color: Annotated[
        Literal["auto", "always", "never"], Meta(title="color", description="coloured text: auto means on a terminal")
    ] = "auto"
    labgrid_python: Annotated[
        str,
        Meta(
            title="labgrid.python",
            description="the Python of labgrid's own environment; empty: that of labgrid-client on PATH",
        ),
    ] = ""
    report_theme: Annotated[
        Literal["auto", "light", "dark"],
        Meta(title="report.theme", description="colours of the report: auto follows the reader's system"),
    ] = "auto"
    report_output: Annotated[
        str, Meta(title="report.output", description="where reports are written; empty: ./rtstone-<run>.html")
    ] = ""


SPELLINGS = {"colour": "color"}
"""Alternative names of keys."""

PATHS = frozenset({"archive", "labgrid.python", "report.output"})
"""Keys that hold a path. A relative path in a file counts from the file's folder."""


FILE_NAME = "rtstone.toml"


class Owner(msgspec.Struct, frozen=True):
    """A user whom files belong to."""

    uid: int
    gid: int
    home: Path


def invoking_user() -> Owner | None:
    """The user who called sudo, or None without sudo."""
    name = os.environ.get("SUDO_USER")
    if os.geteuid() != 0 or not name or name == "root":
        return None
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return Owner(entry.pw_uid, entry.pw_gid, Path(entry.pw_dir))


def base_folder(variable: str, below_home: str) -> Path:
    """A folder of the XDG specification: the variable's value, else `below_home` of the (invoking) user."""
    chosen = os.environ.get(variable, "")
    # The specification says to ignore a relative path.
    if Path(chosen).is_absolute():
        return Path(chosen)
    owner = invoking_user()
    return (owner.home if owner else Path.home()) / below_home


def user_file() -> Path:
    """The user's own file; it need not exist."""
    return base_folder("XDG_CONFIG_HOME", ".config") / "rtstone" / FILE_NAME


def project_file(folder: Path | None = None) -> Path | None:
    """The nearest rtstone.toml in `folder` (None: the current one) or above it."""
    start = (folder or Path.cwd()).absolute()
    for place in (start, *start.parents):
        if _exists(place / FILE_NAME):
            return place / FILE_NAME
    return None


def _exists(path: Path) -> bool:
    """Whether there is such a file. Raises UsageError if this user may not enter its folder."""
    try:
        return path.is_file()
    except PermissionError as error:
        raise UsageError(
            f"{path}: {error.strerror}: this user may not enter the folder (HOME is {os.environ.get('HOME', 'not set')})"
        ) from None


Source = Literal["default", "user", "project", "environment", "flag"]


class Origin(msgspec.Struct, frozen=True):
    """A value and its source: `where` is a file, a variable, a flag; empty for a default."""

    source: Source
    where: str
    value: str | int | bool


class EffectiveSetting(msgspec.Struct, frozen=True):
    """A key with its explanation, the effective value, and the values that it overrides, the strongest first."""

    key: str
    help: str
    holds: Origin
    overrides: tuple[Origin, ...]


class Configuration(msgspec.Struct, frozen=True):
    """All effective values, typed, and the sources of each."""

    values: Settings
    settings: tuple[EffectiveSetting, ...]


def load(flags: Mapping[str, object] | None = None, *, folder: Path | None = None) -> Configuration:
    """The effective settings. `flags`: key -> value as given on the command line, None where the flag was not given.

    Raises UsageError, naming the file (or variable) and the key, for an unknown key, an invalid value, or a file that
    is not TOML.
    """
    found: dict[str, list[Origin]] = {key: [] for key in _FIELDS}
    project = project_file(folder)
    user = user_file()
    if _exists(user) and project != user:
        _add(found, "user", _file(user))
    if project is not None:
        _add(found, "project", _file(project))
    _add(found, "environment", _environment())
    _add(found, "flag", ((f"--{k.rpartition('.')[2]}", k, v) for k, v in (flags or {}).items() if v is not None))
    settings = []
    for key, (_, meta, default) in _FIELDS.items():
        said = [*reversed(found[key]), Origin("default", "", default)]
        settings.append(EffectiveSetting(key, meta.description or "", said[0], tuple(said[1:])))
    values: dict[str, Any] = {
        key.replace(".", "_"): setting.holds.value for key, setting in zip(_FIELDS, settings, strict=True)
    }
    return Configuration(Settings(**values), tuple(settings))


def _fields() -> Iterator[tuple[str, tuple[Any, msgspec.Meta, Any]]]:
    hints = get_type_hints(Settings, include_extras=True)
    for field in msgspec.structs.fields(Settings):
        hint = hints[field.name]
        (meta,) = (part for part in hint.__metadata__ if isinstance(part, msgspec.Meta))
        yield meta.title or field.name, (hint, meta, field.default)


_FIELDS = dict(_fields())


def _add(found: dict[str, list[Origin]], source: Source, said: Iterator[tuple[str, str, object]]) -> None:
    for where, name, value in said:
        key = SPELLINGS.get(name, name)
        if key not in _FIELDS:
            near = difflib.get_close_matches(name, [*_FIELDS, *SPELLINGS], 1)
            hint = f"did you mean '{near[0]}'?" if near else f"there are: {', '.join(_FIELDS)}"
            raise UsageError(f"{where}: unknown key '{name}'; {hint}")
        found[key].append(Origin(source, where, _typed(where, key, value, from_text=source in {"environment", "flag"})))


def _typed(where: str, key: str, value: object, *, from_text: bool) -> str | int | bool:
    hint = _FIELDS[key][0]
    try:
        typed: str | int | bool = msgspec.convert(value, hint, strict=not from_text)
    except msgspec.ValidationError as error:
        said = f"{where} {value}" if where.startswith("--") else f"{where}: {key} = {_shown(value)}"
        raise UsageError(f"{said}: {_expected(hint, error)}") from None
    return typed


def _shown(value: object) -> str:
    return repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:60]}…"


def _expected(hint: Any, error: msgspec.ValidationError) -> str:
    kind = get_args(hint)[0]
    if get_origin(kind) is Literal:
        return f"must be one of {', '.join(get_args(kind))}"
    meta = hint.__metadata__[0]
    if kind is int and meta.ge is not None and meta.le is not None:
        return f"must be a whole number from {meta.ge} to {meta.le}"
    return str(error).replace("`", "")


def _file(path: Path) -> Iterator[tuple[str, str, object]]:
    """Key and value of each line, tables joined by dots."""
    try:
        document = msgspec.toml.decode(path.read_bytes())
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not TOML: {str(error).splitlines()[0]}") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    for key, value in _flat(document, ""):
        if key in PATHS and isinstance(value, str) and value and "://" not in value:
            value = str(path.parent / Path(value).expanduser())
        yield str(path), key, value


def _flat(table: Mapping[str, object], prefix: str) -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _environment() -> Iterator[tuple[str, str, object]]:
    for key in (*_FIELDS, *SPELLINGS):
        variable = "RTSTONE_" + key.upper().replace(".", "_")
        value = os.environ.get(variable)
        if value:  # set but empty means not set, as everywhere
            yield variable, key, value
