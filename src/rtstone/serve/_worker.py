# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A process that makes answers.
It reads length and MessagePack from standard input, writes the same form, and ends with its input.

Its first output is a length of 0: it is ready.
"""

from __future__ import annotations

import resource
import signal
import sys

import msgspec

from rtstone.serve._answers import Answers, PageRequest, Setup

_MEMORY = 4 << 30
"""Most bytes of address space. A page that takes more fails alone."""


def main() -> None:
    """Answer until the input ends. Interrupt signals are left to the server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    read, write = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # nothing but answers on the way out

    def frame() -> bytes:
        head = read.read(4)
        return read.read(int.from_bytes(head, "big")) if len(head) == 4 else b""

    answers = Answers(msgspec.msgpack.decode(frame(), type=Setup))
    answers.warm()
    write.write(bytes(4))  # ready
    write.flush()
    while asked := frame():
        body = msgspec.msgpack.encode(answers.answer(msgspec.msgpack.decode(asked, type=PageRequest)))
        write.write(len(body).to_bytes(4, "big") + body)
        write.flush()


if __name__ == "__main__":
    main()
