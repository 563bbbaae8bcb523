# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads the pixels of a PNG as browsers and vl-convert write them: eight bits a channel, not interlaced."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Image:
    """Pixels as rows × columns × (red, green, blue)."""

    pixels: NDArray[np.uint8]

    @property
    def width(self) -> int:
        """Columns."""
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        """Rows."""
        return int(self.pixels.shape[0])

    def share_unlike(self, color: tuple[int, int, int], left: int, top: int, width: int, height: int) -> float:
        """How large a share of a rectangle's pixels differs from a colour by more than anti-aliasing leaves."""
        part = self.pixels[max(0, top) : top + height, max(0, left) : left + width].astype(np.int16)
        if part.size == 0:
            return 0.0
        return float((np.abs(part - np.array(color)).max(axis=2) > 40).mean())


def read(data: bytes) -> Image:
    """Decode a PNG. Raises ValueError for other data, or for another kind of PNG than the above."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("not a PNG")
    position, packed, header = 8, b"", b""
    while position < len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        body = data[position + 8 : position + 8 + length]
        if kind == b"IHDR":
            header = body
        elif kind == b"IDAT":
            packed += body
        position += length + 12
    width, height, depth, color, _, _, interlace = struct.unpack(">IIBBBBB", header)
    if depth != 8 or color not in (2, 6) or interlace:
        raise ValueError("another kind of PNG than is read here")
    channels = 3 if color == 2 else 4
    stride = width * channels
    lines = np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(height, stride + 1)
    rows = np.zeros((height, stride), dtype=np.uint8)
    before = np.zeros(stride, dtype=np.uint8)
    for number in range(height):
        before = rows[number] = _unfiltered(int(lines[number, 0]), lines[number, 1:], before, channels)
    return Image(rows.reshape(height, width, channels)[:, :, :3])


def _unfiltered(kind: int, line: NDArray[np.uint8], above: NDArray[np.uint8], step: int) -> NDArray[np.uint8]:
    """Undo a line's filter (PNG specification, 9.2)."""
    if kind == 0:
        return line
    if kind == 2:
        return line + above
    if kind == 1:
        summed: NDArray[np.uint8] = np.cumsum(line.reshape(-1, step), axis=0, dtype=np.uint8).reshape(-1)
        return summed
    out = bytearray(line.tobytes())
    up = above.tobytes()
    for i in range(len(out)):
        left = out[i - step] if i >= step else 0
        corner = up[i - step] if i >= step else 0
        if kind == 3:
            guess = (left + up[i]) // 2
        else:
            estimate = left + up[i] - corner
            distances = (abs(estimate - left), abs(estimate - up[i]), abs(estimate - corner))
            guess = (left, up[i], corner)[distances.index(min(distances))]
        out[i] = (out[i] + guess) & 0xFF
    return np.frombuffer(bytes(out), dtype=np.uint8)
