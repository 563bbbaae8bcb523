# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""Replaces the Channel Access repeater: libca would start one that outlives it and listens on all interfaces."""

from __future__ import annotations

import os
import socket
import struct
import threading

_CONFIRM = struct.pack(">H10x4s", 17, bytes((127, 0, 0, 1)))
_DEFAULT_PORT = 5065


def stand_in() -> None:
    """Answer every client that registers, on the loopback interface, until this process ends.
    If a repeater is running, do nothing."""
    try:
        port = int(os.environ.get("EPICS_CA_REPEATER_PORT", _DEFAULT_PORT))
        own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        own.bind(("127.0.0.1", port))
    except (OSError, ValueError, OverflowError):
        return
    threading.Thread(target=_answer, args=(own,), daemon=True).start()


def _answer(own: socket.socket) -> None:
    while True:
        _, source = own.recvfrom(1024)
        own.sendto(_CONFIRM, source)
