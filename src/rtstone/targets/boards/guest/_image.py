# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel image as the emulator takes it: arm64's as it is, x86's without its wrapping, slow to unpack in there."""

from __future__ import annotations

import lzma
import shutil
import struct
import subprocess
import zlib

from rtstone.errors import InfrastructureError

# Offsets of the x86 boot protocol (Linux, Documentation/arch/x86/boot.rst).
_SETUP_SECTORS = 0x1F1
_MAGIC = 0x202
_PAYLOAD = 0x248
_SECTOR = 512
_LENGTH_BYTES = 4

_ZSTD_TIMEOUT_S = 300


def uncompressed(image: bytes, architecture: str) -> bytes:
    """Return what the emulator boots. InfrastructureError when the image is of no known form."""
    if architecture == "arm64":
        if image[56:60] != b"ARM\x64":
            raise InfrastructureError("the kernel is not an arm64 image")
        return image
    if image[_MAGIC : _MAGIC + 4] != b"HdrS" or len(image) < _PAYLOAD + 8:
        raise InfrastructureError("the kernel is not a bzImage")
    start = ((image[_SETUP_SECTORS] or 4) + 1) * _SECTOR
    offset, length = struct.unpack_from("<II", image, _PAYLOAD)
    kernel = _unwrap(image[start + offset : start + offset + length])
    if kernel[:4] != b"\x7fELF":
        raise InfrastructureError("the bzImage holds no ELF kernel")
    return kernel


def _unwrap(payload: bytes) -> bytes:
    """Unpacks by what the payload begins with. What stands behind its end is its unpacked length, not part of it."""
    try:
        if payload.startswith(b"\xfd7zXZ\0"):
            xz = lzma.LZMADecompressor(lzma.FORMAT_XZ)
            return _whole(xz.decompress(payload), complete=xz.eof)
        if payload.startswith(b"\x1f\x8b"):
            gzip = zlib.decompressobj(16 + zlib.MAX_WBITS)
            return _whole(gzip.decompress(payload), complete=gzip.eof)
    except (lzma.LZMAError, zlib.error) as error:
        raise InfrastructureError(f"the kernel cannot be unpacked: {error}") from error
    if payload.startswith(b"\x28\xb5\x2f\xfd"):
        return _unzstd(payload[:-_LENGTH_BYTES])
    raise InfrastructureError(f"the kernel is packed in a way that is not known here ({payload[:6].hex()})")


def _whole(kernel: bytes, *, complete: bool) -> bytes:
    if not complete:
        raise InfrastructureError("the kernel cannot be unpacked: its end is missing")
    return kernel


def _unzstd(packed: bytes) -> bytes:
    """By the program: Python 3.11 has no zstd. It would take the length behind the end for a damaged frame."""
    zstd = shutil.which("zstd")
    if zstd is None:
        raise InfrastructureError("the kernel is packed with zstd: apt-get install zstd")
    try:
        done = subprocess.run([zstd, "-dcq"], input=packed, capture_output=True, check=False, timeout=_ZSTD_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InfrastructureError(f"the kernel cannot be unpacked: {error}") from error
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["zstd failed"]
        raise InfrastructureError(f"the kernel cannot be unpacked: {said[0]}")
    return done.stdout
