# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel image as the emulator takes it: made-up images of each packing, and files that are no image."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rtstone.errors import InfrastructureError
from rtstone.targets.boards.guest._image import packed, plain, uncompressed

KERNEL = b"\x7fELF" + random.Random(1).randbytes(50_000) + bytes(50_000)


def _zstd(content: bytes) -> bytes:
    done = subprocess.run(["zstd", "-cq"], input=content, capture_output=True, check=True)
    return done.stdout


def _by(*command: str) -> Callable[[bytes], bytes]:
    return lambda content: subprocess.run(command, input=content, capture_output=True, check=True).stdout


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "xz": lambda content: lzma.compress(content, check=lzma.CHECK_CRC32),
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "lzma": lambda content: lzma.compress(content, lzma.FORMAT_ALONE),
    "zstd": _zstd,
    # As scripts/Makefile.lib of Linux has it: lz4 writes the legacy frame there.
    "lz4": _by("lz4", "-l", "-9", "-c"),
    "lzo": _by("lzop", "-9", "-c"),
}


def _bzimage(packed: bytes, *, setup_sectors: int = 0x1B, offset: int = 0x2D4) -> bytes:
    """A bzImage as the kernel's build makes it: the payload ends in its unpacked length, and more follows it."""
    payload = packed + struct.pack("<I", len(KERNEL))
    header = bytearray(((setup_sectors or 4) + 1) * 512)
    header[0x1F1] = setup_sectors
    header[0x202:0x206] = b"HdrS"
    struct.pack_into("<II", header, 0x248, offset, len(payload))
    return bytes(header) + b"\x90" * offset + payload + b"what follows"


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("setup_sectors", [0, 0x1B, 0x3F])
def test_unwraps_each_packing(packing: str, setup_sectors: int) -> None:
    """0 sectors stands for 4 (the boot protocol)."""
    image = _bzimage(PACKINGS[packing](KERNEL), setup_sectors=setup_sectors)
    assert uncompressed(image, "amd64") == KERNEL


@pytest.mark.parametrize("packing", PACKINGS)
def test_unpacks_an_efi_image_of_arm64(packing: str) -> None:
    """CONFIG_EFI_ZBOOT: its header names the payload without the length behind it."""
    image = bytes(56) + b"ARM\x64" + KERNEL
    packed = PACKINGS[packing](image)
    header = b"MZ\0\0zimg" + struct.pack("<II", 64, len(packed)) + bytes(48)
    assert uncompressed(header + packed + struct.pack("<I", len(image)), "arm64") == image


@pytest.mark.parametrize("packing", PACKINGS)
def test_unpacks_a_module_or_an_image_by_itself(packing: str) -> None:
    """An image that is not packed stays as it is."""
    assert plain(PACKINGS[packing](KERNEL)) == KERNEL
    assert plain(KERNEL) is KERNEL


def test_takes_an_arm64_image_as_it_is() -> None:
    """The magic number of arm64's boot protocol is at offset 56."""
    image = bytes(56) + b"ARM\x64" + b"the kernel"
    assert uncompressed(image, "arm64") is image


def _zimage(content: bytes) -> bytes:
    return bytes(0x24) + b"\x18\x28\x6f\x01" + content


def test_takes_a_zimage_as_it_is() -> None:
    image = _zimage(b"the kernel")
    assert uncompressed(image, "armhf") is image


@pytest.mark.parametrize("packing", ["xz", "gzip", "bzip2", "lzma"])
def test_finds_the_kernel_in_a_zimage(packing: str) -> None:
    """Before it comes code, in which the first bytes of a packing may occur by chance, and behind it a device tree."""
    kernel = b"the kernel: Linux version 6.1.0 (me@here)\0" + bytes(1000)
    chance = b"\x1f\x8b\x08 BZh \x5d\x00\x00 \xfd7zXZ\0" + gzip.compress(b"another")
    assert packed(_zimage(chance + PACKINGS[packing](kernel) + b"\xd0\x0d\xfe\xed")) == kernel
    assert packed(_zimage(chance)) == b""


@pytest.mark.parametrize(
    ("image", "architecture", "wrong"),
    [
        (b"", "amd64", "not a bzImage"),
        (b"", "arm64", "not an arm64 image"),
        (b"", "armhf", "not a zImage"),
        (bytes(56) + b"ARM\x64", "armhf", "not a zImage"),
        (bytes(4096), "amd64", "not a bzImage"),
        (b"\x1f\x8b" + bytes(100), "arm64", "not an arm64 image"),
        (_bzimage(b"\x04\x22\x4d\x18" + bytes(64)), "amd64", "not known here (04224d18"),
        (_bzimage(PACKINGS["lz4"](KERNEL)[:20_000]), "amd64", "cannot be unpacked"),
        (_bzimage(PACKINGS["lzo"](KERNEL)[:20_000]), "amd64", "cannot be unpacked"),
        (_bzimage(bz2.compress(KERNEL)[:20_000]), "amd64", "its end is missing"),
        (b"MZ\0\0zimg", "arm64", "not an arm64 image"),
        (b"MZ\0\0zimg" + struct.pack("<II", 64, 100) + bytes(200), "arm64", "not an arm64 image"),
        (_bzimage(lzma.compress(b"no kernel")), "amd64", "no ELF kernel"),
        (_bzimage(lzma.compress(KERNEL))[:20_000], "amd64", "cannot be unpacked"),
        (_bzimage(gzip.compress(KERNEL)[:20_000]), "amd64", "cannot be unpacked"),
        (_bzimage(b"\xfd7zXZ\0" + bytes(1000)), "amd64", "cannot be unpacked"),
        (_bzimage(b"\x1f\x8b" + bytes(1000)), "amd64", "cannot be unpacked"),
        (_bzimage(b"\x28\xb5\x2f\xfd" + bytes(1000)), "amd64", "cannot be unpacked"),
    ],
)
def test_says_what_is_wrong(image: bytes, architecture: str, wrong: str) -> None:
    """One line, whatever it is."""
    with pytest.raises(InfrastructureError) as caught:
        uncompressed(image, architecture)
    assert wrong in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("packing", "package"), [("zstd", "zstd"), ("lz4", "lz4"), ("lzo", "lzop")])
def test_wants_the_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, packing: str, package: str) -> None:
    """Linux 6.12 is packed with zstd and Debian's cloud kernels of 6.1 with lz4: Python 3.11 cannot unpack these."""
    image = _bzimage(PACKINGS[packing](KERNEL))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InfrastructureError, match=rf"apt-get install {package}$"):
        uncompressed(image, "amd64")


@given(st.binary(max_size=2000), st.sampled_from(["", "xz", "gzip"]))
def test_garbage_ends_in_one_line(garbage: bytes, packing: str) -> None:
    """Also behind a sound header."""
    start = {"": b"", "xz": b"\xfd7zXZ\0", "gzip": b"\x1f\x8b\x08"}[packing]
    for image in (garbage, bytes(0x202) + b"HdrS" + garbage, _bzimage(start + garbage)):
        with pytest.raises(InfrastructureError):
            uncompressed(image, "amd64")
