# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A page in a frame as narrow as a telephone, with a script in it that looks around and tells the page around it."""

from __future__ import annotations

import base64
import hashlib
import json
from html import unescape
from pathlib import Path
from typing import Any

from support.browser import Visit, document

# No window of a browser without a display is as narrow as a telephone: the page is shown in a frame, and tells the page around it.
FRAME = """<!doctype html><body style="margin: 0"><iframe src="report.html" width="{width}" height="900" style="border: 0"></iframe>
<script>addEventListener("message", (event) => (document.documentElement.dataset.seen = event.data));</script></body>"""


def with_probe(html: str, probe: str) -> str:
    """The page with this script at its end; the page's own policy is told of it, and of nothing else."""
    digest = base64.b64encode(hashlib.sha256(probe.encode()).digest()).decode()
    assert html.count("script-src ") == 1
    html = html.replace("script-src ", f"script-src &#39;sha256-{digest}&#39; ", 1)
    before, end, after = html.rpartition("</body>")
    return f"{before}<script>{probe}</script>{end}{after}"


def seen(html: str, probe: str, width: int, folder: Path) -> tuple[dict[str, Any], Visit]:
    """What the probe told of the page in a frame of this width. `folder` takes the pages and the browser's profile."""
    (folder / "report.html").write_text(with_probe(html, probe), encoding="utf-8")
    frame = folder / "frame.html"
    frame.write_text(FRAME.replace("{width}", str(width)), encoding="utf-8")
    try:
        visit = document(frame, profile=folder / "profile", width=1400)
    except RuntimeError:  # a browser on a busy machine stops now and then before it has begun
        visit = document(frame, profile=folder / "profile-2", width=1400)
    _, there, rest = visit.document.partition('data-seen="')
    assert there, visit.console
    found: dict[str, Any] = json.loads(unescape(rest.partition('"')[0]))
    return found, visit
