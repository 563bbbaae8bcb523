# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Linux guests: a kernel, never installed on this machine, and a RAM disk with the static engine and the plan."""

from __future__ import annotations

import hashlib
from pathlib import Path, PurePosixPath

import msgspec

from rtstone.errors import GuestError, InfrastructureError, this_program
from rtstone.targets.boards._model import Kernel
from rtstone.targets.boards.guest import _build, _driver, _kernel, _own, _tools
from rtstone.targets.boards.guest._debian import Debian
from rtstone.targets.boards.guest._engine import configuration, engine
from rtstone.targets.boards.guest._folder import Packaged
from rtstone.targets.boards.guest._image import plain
from rtstone.targets.boards.guest._own import lacks
from rtstone.targets.boards.guest._ramdisk import archive
from rtstone.targets.boards.guest._source import OnStep

__all__ = [
    "Extra",
    "GuestImages",
    "build",
    "configuration",
    "engine",
    "gone",
    "is_cached",
    "lacks",
    "missing",
    "prepare",
    "refresh",
    "require",
]

ENGINE = "rtstone-engine"
PLAN = "plan"
_GIVEN = "qemu_fw_cfg"
"""The kernel's module through which a guest reads the plan and seed that the emulator was given."""
_MOUNT_POINTS = ("dev", "modules", "proc", "sys", "tmp")

gone = _kernel.gone
is_cached = _kernel.is_cached
refresh = _kernel.refresh


class GuestImages(msgspec.Struct, frozen=True):
    """The images that the emulator boots, and the facts of them that belong to the board's identity."""

    image: Path
    initrd: Path
    append: str
    """The kernel's command line."""
    facts: dict[str, str]
    """Package, version, hashes; none depends on the plan."""
    stops: bool
    """The guest stops the machine once it is ready, and takes plan and seed from the emulator. The RAM disk then has no
    plan."""


class Extra(msgspec.Struct, frozen=True):
    """Further files for the RAM disk."""

    name: str
    """The prefix of the fact with their hash."""
    files: dict[str, bytes]
    """Their content, by path."""
    programs: frozenset[str]
    """The paths of the files that can be executed."""

    def packed(self) -> bytes:
        """The files as an archive, which becomes a part of the RAM disk."""
        parents = {parent.as_posix() for path in self.files for parent in PurePosixPath(path).parents}
        return archive(self.files, executable=self.programs, folders=tuple(sorted(parents - {"."})))


def missing(kernel: Kernel) -> list[str]:
    """Debian packages that must be installed before `prepare` can work; empty when nothing is missing."""
    return _tools.missing(
        kernel.architecture,
        kernel=kernel.source is not None and not is_cached(kernel),
        device_tree=kernel.device_tree is not None,
    )


def require(kernel: Kernel, *, board: str = "*", built: bool = True) -> None:
    """Raise InfrastructureError, naming the command that helps if there is one, when this machine cannot boot the kernel yet.

    `built`: a kernel that takes long to build must be built already; False: it is enough that it can be built. `board`
    is the board's name, for the command.
    """
    obstacle = Debian.obstacle()
    if obstacle is not None:
        raise InfrastructureError(f"{kernel.title} cannot be booted here: {obstacle}")
    lacking = missing(kernel)
    if lacking:
        raise InfrastructureError(f"{kernel.title} cannot be booted yet: apt-get install {' '.join(lacking)}")
    if built and kernel.on_demand and not is_cached(kernel):
        raise InfrastructureError(
            f"{kernel.title} takes long to build and has not been built: {this_program()} boards --build '{board}/{kernel.id}'"
        )


def build(kernel: Kernel, on_step: OnStep | None = None) -> str:
    """Fetch or build the kernel and build its guest's programs, if they are not in the cache. Return the package and
    its version.

    `on_step` reports the progress of a kernel's build. Raises InfrastructureError naming what is missing.
    """
    require(kernel, built=False)
    _kernel.fetch(kernel, on_step=on_step)
    _, packaged, _, _ = _made(kernel)
    return f"{packaged.package} {packaged.version}"


def prepare(kernel: Kernel, plan: bytes, initrd: Path, extra: Extra | None = None, stop: str = "") -> GuestImages:
    """Write the RAM disk for one session to `initrd` and return it with the kernel.

    `plan`: framed lines (rtstone.stream.plan.encode); empty: the engine's built-in plan runs. Fetches the kernel and builds the
    guest's programs and modules if they are not in the cache; a kernel that takes long to build must be there. `stop`: the board's device
    that stops the machine. It is used only if the kernel has the module by which the guest then reads its plan. Raises
    InfrastructureError naming what is missing.
    """
    require(kernel)
    place, packaged, files, kernel = _made(kernel)
    stops = bool(stop) and _own.module_there(place, _GIVEN)
    if stops:
        files[f"modules/{_GIVEN}.ko"] = _module(kernel, _GIVEN, place, packaged).read_bytes()
    # The identity leaves out the plan. The plan comes last in the RAM disk, so that its length does not move the other
    # files.
    base = archive(files, executable=frozenset({"init", ENGINE}), folders=_MOUNT_POINTS)
    packed = b"" if extra is None else extra.packed()
    initrd.write_bytes(base + packed + (b"" if stops else archive({PLAN: plan})))
    facts = {
        **(_own.facts(place, packaged, kernel) if kernel.image else _of_package(packaged)),
        "image.sha256": _sha256((place / "image").read_bytes()),
        "ramdisk.sha256": _sha256(base),
        **({"kernel.built": packaged.built} if packaged.built else {}),
        **({f"{extra.name}.sha256": _sha256(packed)} if extra is not None else {}),
    }
    words = [kernel.append, *(f"rtstone.module={module}" for module in kernel.modules)]
    words += [f"rtstone.stop={stop}"] if stops else []
    return GuestImages(place / "image", initrd, " ".join(filter(None, words)), facts, stops)


def _of_package(packaged: Packaged) -> dict[str, str]:
    return {"kernel.package": packaged.package, "kernel.package_version": packaged.version}


def _made(kernel: Kernel) -> tuple[Path, Packaged, dict[str, bytes], Kernel]:
    """The kernel's folder, its facts, the files of the RAM disk, and the kernel with the modules that these files
    contain. Fetches and builds whatever is not in the cache."""
    place, packaged = _kernel.fetch(kernel)
    if kernel.image:
        kernel = _own.fitted(kernel, place)
    programs = _build.programs(kernel.architecture)
    files = {name: (programs / name).read_bytes() for name in ("init", ENGINE)}
    for module in kernel.modules:
        name = module.partition(":")[0]
        files[f"modules/{name}.ko"] = _module(kernel, name, place, packaged).read_bytes()
    return place, packaged, files, kernel


def _module(kernel: Kernel, name: str, place: Path, packaged: Packaged) -> Path:
    """The file of a module: one of ours or a driver's, built here, or one that comes with the kernel."""
    if name in _build.MODULES:
        try:
            return _build.own_module(name, place, packaged)
        except _tools.BuildError as error:
            if kernel.image:
                raise GuestError(str(error)) from error  # the fault is in the user's tree, not in our module
            raise
    if kernel.driver is not None and name in kernel.driver.modules:
        return _driver.modules(kernel.driver, place, packaged) / f"{name}.ko"
    found = sorted((place / "modules").rglob(f"{name}.ko*"))
    if not found:
        raise InfrastructureError(f"{packaged.package} has no module '{name}'")
    if found[0].suffix != ".ko":
        target = found[0].with_suffix("")
        if not target.is_file():
            draft = target.with_suffix(".draft")
            draft.write_bytes(plain(found[0].read_bytes()))
            draft.rename(target)
        return target
    return found[0]


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
