# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
"""A report as JUnit XML: a test case a row; what is exceeded or regressed is a failure, what is inconclusive an error."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from rtstone.judge.check._model import Report
from rtstone.show.judged.rows import sentence


def junit(report: Report) -> bytes:
    """The document, UTF-8."""
    failures = sum(row.outcome in ("exceeded", "regressed") for row in report.rows)
    errors = sum(row.outcome == "inconclusive" for row in report.rows)
    counts = {"tests": str(len(report.rows)), "failures": str(failures), "errors": str(errors)}
    root = ET.Element("testsuites", {"name": "rtstone check", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": _clean(report.file), "skipped": "0", **counts})
    properties = ET.SubElement(suite, "properties")
    for run in report.runs:
        ET.SubElement(properties, "property", {"name": "run", "value": _clean(run)})
    for row in report.rows:
        load = "idle" if row.load == "none" else row.load
        case = ET.SubElement(
            suite,
            "testcase",
            {
                "classname": _clean(f"{row.target}.{row.quantity}".replace(" ", "_")),
                "name": _clean(f"{row.quantity} ({load}): {row.requirement}"),
                "file": _clean(report.file),
                "line": str(row.line),
            },
        )
        said = _clean(sentence(row))
        if row.outcome in ("exceeded", "regressed"):
            ET.SubElement(case, "failure", {"type": row.outcome, "message": said})
        elif row.outcome == "inconclusive":
            ET.SubElement(case, "error", {"type": row.outcome, "message": said})
        else:
            ET.SubElement(case, "system-out").text = said
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _clean(text: str) -> str:
    """Without characters that XML does not have."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
