#!/usr/bin/env python3
"""Draws .claude-plugin/icon.png, the 512 px picture a plugin directory shows: a moon over two lines of notes."""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path

SIDE, FINE = 512, 3  # FINE x FINE samples a pixel, for smooth edges
NIGHT, MOON, NOTE = (27, 31, 59), (255, 214, 102), (122, 134, 255)


def colour(x: float, y: float) -> tuple[int, int, int]:
    """The colour at a point; x and y run from 0 to 1."""

    def inside(cx: float, cy: float, radius: float) -> bool:
        return (x - cx) ** 2 + (y - cy) ** 2 <= radius**2

    if inside(0.56, 0.45, 0.27):
        return NIGHT if inside(0.67, 0.37, 0.23) else MOON
    for top in (0.78, 0.87):
        if 0.2 <= x <= 0.8 - (top - 0.78) * 2 and abs(y - top) <= 0.022:
            return NOTE
    return NIGHT


def pixel(column: int, row: int) -> bytes:
    samples = [
        colour((column + (i + 0.5) / FINE) / SIDE, (row + (j + 0.5) / FINE) / SIDE)
        for i in range(FINE)
        for j in range(FINE)
    ]
    return bytes(sum(channel) // len(samples) for channel in zip(*samples, strict=True))


def png() -> bytes:
    """The whole picture as a PNG file: the same bytes on every machine."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = b"".join(b"\0" + b"".join(pixel(column, row) for column in range(SIDE)) for row in range(SIDE))
    head = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / ".claude-plugin" / "icon.png"
    target.write_bytes(png())
