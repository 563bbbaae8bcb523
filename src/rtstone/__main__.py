# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""`python -m rtstone` is the command `rtstone`."""

from __future__ import annotations

from rtstone.cli import main

if __name__ == "__main__":
    main()
