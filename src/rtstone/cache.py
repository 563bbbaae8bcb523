# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Things that take long to make, cached in the user's cache folder under a key of all their inputs."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from rtstone.config import base_folder
from rtstone.errors import InfrastructureError


def cache_root() -> Path:
    """The folder of everything that rtstone can make again: ``$XDG_CACHE_HOME/rtstone``."""
    return base_folder("XDG_CACHE_HOME", ".cache") / "rtstone"


def key_of(texts: Iterable[str], root: Path, files: Iterable[Path]) -> str:
    """Return 16 hex digits that change when a text, a file's place below `root` or a file's content does."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(f"{len(text)} {text}\n".encode())
    for file in sorted(files):
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        digest.update(f"{content} {file.relative_to(root).as_posix()}\n".encode())
    return digest.hexdigest()[:16]


@contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the lock of a permanent file: the second process finds the first one's work done.
    Not `wait`: OSError while it is locked."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def is_cached(kind: str, name: str) -> bool:
    """Whether `cached` would find this folder made already."""
    return (cache_root() / kind / name).is_dir()


def cached(kind: str, name: str, make: Callable[[Path], None]) -> Path:
    """Return the folder `name` of `kind`. If it is missing, ``make(empty folder)`` makes it, completely or not at all.

    Raises InfrastructureError when the cache cannot be written, and whatever `make` raises.
    """
    shelf = cache_root() / kind
    place = shelf / name
    if place.is_dir():
        return place
    try:
        shelf.mkdir(parents=True, exist_ok=True)
        with locked(shelf / f".{name}.lock"):
            if not place.is_dir():
                _sweep(shelf, name)
                _make(place, make)
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        raise InfrastructureError(f"the cache {shelf} cannot be written: {error.strerror or error}{where}") from error
    return place


def prune(shelf: Path, pattern: str, most: int) -> None:
    """Delete all but the `most` entries of a shelf that were last made or used; users of an entry touch it."""
    with suppress(OSError):  # somebody else prunes too
        found = sorted(shelf.glob(pattern), key=lambda path: path.stat().st_mtime)
        for old in found[:-most]:
            remove(old)


def remove(path: Path) -> None:
    """Delete a folder, a file or a link, if it is there and can be."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _sweep(shelf: Path, name: str) -> None:
    """Delete drafts of killed makers, of any name, since their entries may never be needed again.
    The lock of `name` is held."""
    for draft in shelf.glob(".*.*/"):
        maker = draft.name.rpartition(".")[0]
        held = nullcontext() if maker == f".{name}" else locked(shelf / f"{maker}.lock", wait=False)
        with suppress(OSError), held:  # unless another process is working on it
            remove(draft)


def _make(place: Path, make: Callable[[Path], None]) -> None:
    draft = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    try:
        make(draft)
        draft.rename(place)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
