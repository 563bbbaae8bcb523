# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Unpacks a kernel's image to the form that the emulator boots: arm64's Image, x86's vmlinux. The emulated machine
would unpack it slowly. A zImage of 32-bit Arm stays packed: the emulator loads it in no other form."""

from __future__ import annotations

import bz2
import lzma
import shutil
import struct
import subprocess
import zlib
from contextlib import suppress

from rtstone.errors import InfrastructureError, LimitError

# Offsets of the x86 boot protocol (Linux, Documentation/arch/x86/boot.rst).
_SETUP_SECTORS = 0x1F1
_MAGIC = 0x202
_PAYLOAD = 0x248
_SECTOR = 512
_LENGTH_BYTES = 4
_ZBOOT = 4
"""Offset of the mark of a self-unpacking EFI image. The offset and the length of the packed data follow it."""

_ARM_MAGIC = 0x24
"""Offset of the mark of a zImage of 32-bit Arm (Linux, arch/arm/boot/compressed/head.S)."""

_TIMEOUT_S = 300

# All compressions of the kernel's build (options KERNEL_GZIP … KERNEL_ZSTD, MODULE_COMPRESS_…), by the first bytes of
# each.
_LIBRARIES = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\x5d\x00\x00": "lzma",
    b"\xfd7zXZ\0": "xz",
}
_PROGRAMS = {b"\x89LZO\0": "lzop", b"\x02\x21\x4c\x18": "lz4", b"\x28\xb5\x2f\xfd": "zstd"}
"""The kernel's build calls the same programs: its LZ4 is the legacy frame, its LZO the file of lzop. Each program is in
Debian's package of that name."""


def uncompressed(image: bytes, architecture: str) -> bytes:
    """Return the image that the emulator boots. InfrastructureError when the form of `image` is unknown."""
    if architecture == "arm64":
        if image[_ZBOOT : _ZBOOT + 4] == b"zimg" and len(image) >= _ZBOOT + 12:
            offset, length = struct.unpack_from("<II", image, _ZBOOT + 4)
            image = plain(image[offset : offset + length])
        if image[56:60] != b"ARM\x64":
            raise InfrastructureError("the kernel is not an arm64 image")
        return image
    if architecture == "armhf":
        if image[_ARM_MAGIC : _ARM_MAGIC + 4] != b"\x18\x28\x6f\x01":
            raise InfrastructureError("the kernel is not a zImage")
        return image
    if image[_MAGIC : _MAGIC + 4] != b"HdrS" or len(image) < _PAYLOAD + 8:
        raise InfrastructureError("the kernel is not a bzImage")
    start = ((image[_SETUP_SECTORS] or 4) + 1) * _SECTOR
    offset, length = struct.unpack_from("<II", image, _PAYLOAD)
    payload = image[start + offset : start + offset + length]
    kernel = _unpacked(payload, sized=True)
    if kernel is None:
        raise LimitError(f"the kernel is packed in a way that is not known here ({payload[:6].hex()})")
    if kernel[:4] != b"\x7fELF":
        raise InfrastructureError("the bzImage holds no ELF kernel")
    return kernel


def packed(image: bytes) -> bytes:
    """Return the kernel that a self-unpacking image contains; empty: none is found."""
    for magic in (*_LIBRARIES, *_PROGRAMS):
        start = image.find(magic)
        while start >= 0:
            with suppress(InfrastructureError, LimitError):
                kernel = _unpacked(image[start:], sized=False)
                if kernel is not None and b"Linux version " in kernel:
                    return kernel
            start = image.find(magic, start + 1)
    return b""


def plain(content: bytes) -> bytes:
    """Return a kernel's image or module, unpacked if it is packed. InfrastructureError when it cannot be unpacked."""
    unpacked = _unpacked(content, sized=False)
    return content if unpacked is None else unpacked


def _unpacked(packed: bytes, *, sized: bool) -> bytes | None:
    """Unpack data by the compression that its first bytes show; None: it shows none. `sized`: the kernel's build
    appended the unpacked length, which the programs do not accept."""
    library = next((name for magic, name in _LIBRARIES.items() if packed.startswith(magic)), "")
    if library:
        try:
            return _by_library(library, packed)
        except (lzma.LZMAError, zlib.error, OSError) as error:
            raise InfrastructureError(f"the kernel cannot be unpacked: {error}") from error
    program = next((name for magic, name in _PROGRAMS.items() if packed.startswith(magic)), "")
    return _by_program(program, packed[:-_LENGTH_BYTES] if sized else packed) if program else None


def _by_library(name: str, packed: bytes) -> bytes:
    """Unpack by a library of Python. Bytes after the end of the packed data are ignored."""
    if name == "gzip":
        gzip = zlib.decompressobj(16 + zlib.MAX_WBITS)
        kernel, complete = gzip.decompress(packed), gzip.eof
    elif name == "bzip2":
        bzip2 = bz2.BZ2Decompressor()
        kernel, complete = bzip2.decompress(packed), bzip2.eof
    else:
        xz = lzma.LZMADecompressor(lzma.FORMAT_XZ if name == "xz" else lzma.FORMAT_ALONE)
        kernel, complete = xz.decompress(packed), xz.eof
    if not complete:
        raise InfrastructureError("the kernel cannot be unpacked: its end is missing")
    return kernel


def _by_program(name: str, packed: bytes) -> bytes:
    program = shutil.which(name)
    if program is None:
        raise LimitError(f"the kernel is packed with {name}: apt-get install {name}")
    try:
        done = subprocess.run([program, "-dcq"], input=packed, capture_output=True, check=False, timeout=_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LimitError(f"the kernel cannot be unpacked: {error}") from error
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines() or [f"{name} failed"]
        raise InfrastructureError(f"the kernel cannot be unpacked: {said[0]}")
    return done.stdout
