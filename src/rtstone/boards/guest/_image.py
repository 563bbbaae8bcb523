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


def uncompressed(image: bytes, architecture: str) -> bytes:
    """Return what the emulator boots. InfrastructureError when the image is of no known form."""
    if architecture == "arm64":
        if image[56:60] != b"ARM\x64":
            raise InfrastructureError("the kernel is not an arm64 image")
        return image
    if image[_MAGIC : _MAGIC + 4] != b"HdrS":
        raise InfrastructureError("the kernel is not a bzImage")
    start = ((image[_SETUP_SECTORS] or 4) + 1) * _SECTOR
    offset, length = struct.unpack_from("<II", image, _PAYLOAD)
    kernel = _unwrap(image[start + offset : start + offset + length])
    if kernel[:4] != b"\x7fELF":
        raise InfrastructureError("the bzImage holds no ELF kernel")
    return kernel


def _unwrap(payload: bytes) -> bytes:
    if payload.startswith(b"\xfd7zXZ\0"):
        return lzma.LZMADecompressor().decompress(payload)
    if payload.startswith(b"\x1f\x8b"):
        return zlib.decompressobj(31).decompress(payload)
    if payload.startswith(b"\x28\xb5\x2f\xfd"):
        zstd = shutil.which("zstd")
        if zstd is None:
            raise InfrastructureError("the kernel is packed with zstd: apt-get install zstd")
        # The last four bytes are the unpacked length, which zstd would take for a damaged frame.
        done = subprocess.run([zstd, "-dcq"], input=payload[:-4], capture_output=True, check=False, timeout=120)
        if done.returncode == 0:
            return done.stdout
        raise InfrastructureError(f"the kernel cannot be unpacked: {done.stderr.decode(errors='replace').strip()}")
    raise InfrastructureError(f"the kernel is packed in a way that is not known here ({payload[:6].hex()})")
